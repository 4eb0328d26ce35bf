//! Learning to judge states by playing against oneself.
//!
//! `net.rs` has the network, `judged.rs` a game that it judges, `selfplay.rs` the games that it learns from; and
//! here is the network of a file, as a planner's parameter.

mod net;
mod selfplay;
mod with_evaluator;

use std::sync::Arc;

use crate::file;
use crate::params::Param;
use crate::spec::Value;
pub use net::{Example, Net, Shape, Trainer};
pub use selfplay::{Progress, SelfPlay, Training};
pub use with_evaluator::WithEvaluator;

/// No file of a network is larger.
const LARGEST: u64 = 1 << 28;

/// A network that was read from a file.
#[derive(Clone, Debug)]
pub struct Taught {
    file: String,
    /// The network.
    pub net: Arc<Net>,
}

impl PartialEq for Taught {
    fn eq(&self, other: &Taught) -> bool {
        self.file == other.file && self.net == other.net
    }
}

impl Param for Taught {
    fn kind() -> String {
        "file".to_owned()
    }

    fn read(value: &Value) -> Result<Taught, String> {
        let path = String::read(value)?;
        let bytes = file::read(&path, LARGEST).map_err(|why| format!("{path}: {why}"))?;
        let net =
            Net::from_bytes(&bytes).map_err(|why| format!("{path}: {why}; kibitz learn makes one"))?;
        Ok(Taught { file: path, net: Arc::new(net) })
    }

    fn show(&self) -> String {
        self.file.show()
    }
}
