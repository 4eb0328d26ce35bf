//! What a user's rules know of what they hide: outcomes that everybody is told of, and pieces that go their own ways.

use std::sync::atomic::Ordering;

use kibitz_core::abilities::{Pieces, Products, ShownChance};
use kibitz_core::{Action, Game, Observation, View};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::methods::Methods;
use super::read::{Checked, contract, raised, show, unnumbered};
use super::{PyRules, Truth};

impl Methods {
    /// That whoever splits states does all that goes with it.
    ///
    /// # Errors
    /// TypeError that names what is missing.
    pub(super) fn check_pieces(&self, class: &str) -> PyResult<()> {
        let others = [
            ("key", &self.key),
            ("piece_prior", &self.piece_prior),
            ("join", &self.join),
            ("piece_done", &self.piece_done),
            ("done_together", &self.done_together),
        ];
        match others.iter().find(|(_, method)| method.is_none()) {
            Some((name, _)) if self.split.is_some() => Err(PyTypeError::new_err(format!(
                "{class} has a method split and none of the name {name}: hidden pieces need key, piece_prior, split, join, \
                 piece_done and done_together (see kibitz.Rules)"
            ))),
            _ => Ok(()),
        }
    }
}

impl PyRules {
    /// The value of what was told; None for nothing.
    fn told(&self, py: Python<'_>, told: Observation) -> Py<PyAny> {
        self.observation_value(py, told).map_or_else(|| py.None(), Bound::unbind)
    }
}

impl ShownChance<Truth> for PyRules {
    fn shown(&self, state: &Truth, told: Observation) -> Option<Action> {
        self.ask(state, None, |py, state| {
            let Some(method) = &self.methods.shown else { return Ok(None) };
            let outcome = method.bind(py).call1((state, self.told(py, told))).map_err(raised("shown"))?;
            if outcome.is_none() { Ok(None) } else { self.number_of("shown", &outcome).map(Some) }
        })
    }
}

impl Pieces<Truth> for PyRules {
    fn prior(&self, view: &View) -> Option<(usize, Products<Truth>)> {
        let method = self.methods.piece_prior.as_ref()?;
        if self.broken.load(Ordering::Relaxed) {
            return None;
        }
        Python::attach(|py| {
            let events: Vec<_> =
                view.events.iter().map(|event| self.event(py, event)).collect::<Option<_>>()?;
            let read = || -> Checked<Option<(usize, Products<Truth>)>> {
                let answer = method.bind(py).call1((events,)).map_err(raised("piece_prior"))?;
                if answer.is_none() {
                    return Ok(None);
                }
                let Ok((behind, products)) =
                    answer.extract::<(usize, Vec<(f64, Vec<Vec<(Py<PyAny>, f64)>>)>)>()
                else {
                    return contract(format!(
                        "piece_prior returned {}; it should return None, or how many events lie behind and a list of \
                         products: (probability, for each piece a list of (state, probability))",
                        show(&answer)
                    ));
                };
                let piece = |places: Vec<(Py<PyAny>, f64)>| {
                    places.into_iter().map(|(state, p)| (Truth(Some(state)), p)).collect()
                };
                let product = |(p, pieces): (f64, Vec<_>)| (p, pieces.into_iter().map(piece).collect());
                Ok(Some((behind, products.into_iter().map(product).collect())))
            };
            read().unwrap_or_else(|trouble| {
                self.fail(py, trouble);
                None
            })
        })
    }

    fn split(&self, state: &Truth) -> Vec<Truth> {
        self.ask(state, Vec::new(), |py, state| {
            let Some(method) = &self.methods.split else { return Ok(Vec::new()) };
            let answer = method.bind(py).call1((state,)).map_err(raised("split"))?;
            let piece = |piece: PyResult<Bound<'_, PyAny>>| {
                Ok(Truth(Some(piece.map_err(raised("split"))?.unbind())))
            };
            self.in_order("split", &answer)?.map(piece).collect()
        })
    }

    fn join(&self, pieces: &[&Truth]) -> Truth {
        let Some(first) = pieces.first() else { return self.initial() };
        self.ask(first, Truth(None), |py, _| {
            let Some(method) = &self.methods.join else { return Ok(Truth(None)) };
            let all: Vec<_> = pieces.iter().map(|piece| piece.value(py)).collect();
            Ok(Truth(Some(method.bind(py).call1((all,)).map_err(raised("join"))?.unbind())))
        })
    }

    fn done(&self, before: &Truth, after: &Truth, told: Observation) -> Option<u64> {
        self.ask(before, None, |py, before| {
            let Some(method) = &self.methods.piece_done else { return Ok(None) };
            let done = method.bind(py).call1((before, after.value(py), self.told(py, told)));
            let done = done.map_err(raised("piece_done"))?;
            if done.is_none() {
                return Ok(None);
            }
            self.observations.number(&done).map(Some).map_err(unnumbered("piece_done", "", &done))
        })
    }

    fn together(&self, before: &Truth, done: &[u64], told: Observation) -> bool {
        self.ask(before, false, |py, before| {
            let Some(method) = &self.methods.done_together else { return Ok(false) };
            let done: Vec<_> = done.iter().map(|number| self.observations.value(py, *number)).collect();
            let answer = method.bind(py).call1((before, done, self.told(py, told)));
            answer.and_then(|answer| answer.is_truthy()).map_err(raised("done_together"))
        })
    }

    fn take(&self, after: &mut Truth, before: &Truth, action: Option<Action>, told: Observation) {
        let Some(method) = &self.methods.take_in else { return };
        let taken = self.ask(before, None, |py, before| {
            let action = action.map(|action| self.value_of("take_in", py, action)).transpose()?;
            let taken = method.bind(py).call1((after.value(py), before, action, self.told(py, told)));
            Ok(Some(taken.map_err(raised("take_in"))?.unbind()))
        });
        if taken.is_some() {
            after.0 = taken;
        }
    }
}
