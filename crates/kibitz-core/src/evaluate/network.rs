//! A network that judges states by what is true of them.

use std::sync::Arc;

use super::Evaluator;
use crate::file;
use crate::learn::Net;
use crate::model::Model;
use crate::playout::Context;
use crate::position::Position;

/// No file of a network is larger.
const LARGEST: u64 = 1 << 28;

/// A network as an evaluator.
pub struct Network(pub Arc<Net>);

impl Network {
    /// The network of a file that `kibitz learn` wrote.
    ///
    /// # Errors
    /// That it cannot be read, or is none.
    pub fn read(path: &str) -> Result<Network, String> {
        let bytes = file::read(path, LARGEST).map_err(|why| format!("{path}: {why}"))?;
        let net =
            Net::from_bytes(&bytes).map_err(|why| format!("{path}: {why}; kibitz learn makes one"))?;
        Ok(Network(Arc::new(net)))
    }
}

impl Evaluator for Network {
    fn check(&self, model: &dyn Model) -> Result<(), String> {
        let (atoms, players) = (self.0.shape.inputs, self.0.shape.outputs);
        let info = model.info();
        if model.atom_count() as usize != atoms || info.players != players {
            return Err(format!(
                "the network was taught a game of {players} players with {atoms} atoms, and this one has {} and {}",
                info.players,
                model.atom_count()
            ));
        }
        Ok(())
    }

    fn evaluate(&self, position: &dyn Position, _: &mut Context, values: &mut [f64]) -> u64 {
        let mut atoms = Vec::with_capacity(256);
        position.atoms(&mut atoms);
        self.0.judge(&atoms, values);
        let info = position.info();
        values
            .iter_mut()
            .for_each(|value| *value = info.min_return + *value * (info.max_return - info.min_return));
        0
    }
}
