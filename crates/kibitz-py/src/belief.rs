//! Beliefs as Python sees them: what a planner written in Python imagines its presents with.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kibitz_core::Rng;
use kibitz_core::belief::{self, BeliefKind, World};
use kibitz_core::model::{Model, SharedModel};
use kibitz_core::params::Param;
use kibitz_core::spec::{Spec, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::count::at_work;
use crate::fault::drive;
use crate::game::{Game, spec_error};
use crate::given::game_named;
use crate::state::State;
use crate::translate::translate;
use crate::view::View;

/// A distribution over states, given a view.
#[pyclass(module = "kibitz._core", frozen)]
pub struct Belief {
    game: Py<Game>,
    /// The game as it is imagined.
    model: SharedModel,
    mind: Mutex<Mind>,
}

struct Mind {
    belief: Box<dyn belief::Belief>,
    rng: Rng,
    view: Option<kibitz_core::View>,
}

impl Belief {
    fn mind(&self) -> MutexGuard<'_, Mind> {
        self.mind.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at all worlds with their probabilities, or at so many that are drawn.
    fn with_worlds<T>(
        &self,
        py: Python<'_>,
        draws: usize,
        look: impl FnOnce(&[(World, f64)], &kibitz_core::View) -> T,
    ) -> PyResult<T> {
        let mut mind = self.mind();
        let Mind { belief, rng, view } = &mut *mind;
        let Some(view) = view else {
            return Err(PyValueError::new_err("the belief has seen no view yet; call update first"));
        };
        if draws == 0 {
            return Err(PyValueError::new_err("draws must be at least 1"));
        }
        drive(py, self.game.get(), || {
            let worlds = belief.worlds(&*self.model, view, draws).unwrap_or_else(|| {
                let draw = |_| {
                    let mut world = World::initial(&*self.model);
                    belief.sample(&*self.model, view, rng, &mut world);
                    (world, 1.0 / draws as f64)
                };
                (0..draws).map(draw).collect()
            });
            look(&worlds, view)
        })
    }
}

/// The states of some worlds, equal ones as one, the likeliest first.
fn likeliest(model: &dyn Model, worlds: Vec<(World, f64)>) -> Vec<(kibitz_core::State, f64)> {
    let mut states: Vec<_> = worlds.into_iter().map(|(world, p)| (world.state, p)).collect();
    if model.has().hash {
        states.sort_by_key(|(state, _)| model.hash(state));
        states.dedup_by(|(later, p), (first, total)| {
            let same = model.hash(later) == model.hash(first);
            *total += if same { *p } else { 0.0 };
            same
        });
    }
    states.sort_by(|(_, p), (_, q)| q.total_cmp(p));
    states
}

#[pymethods]
impl Belief {
    #[new]
    #[pyo3(signature = (game, kind="auto", seed=0))]
    fn new(game: &Bound<'_, PyAny>, kind: &str, seed: u64) -> PyResult<Belief> {
        let game = game_named(game)?;
        let spec: Spec = kind.parse().map_err(spec_error)?;
        let kind = BeliefKind::read(&Value::Spec(spec)).and_then(BeliefKind::without_search);
        let kind = kind.map_err(PyValueError::new_err)?;
        let model = game.get().planning_model();
        let belief = kind.build(&*model, u64::MAX).map_err(PyValueError::new_err)?;
        let mind = Mind { belief, rng: Rng::new(seed), view: None };
        Ok(Belief { game: game.unbind(), model, mind: Mutex::new(mind) })
    }

    /// Takes in what has been added to the view. What no state explains is passed over where that helps, and
    /// `notes` say so; else ValueError.
    fn update(&self, py: Python<'_>, view: &Bound<'_, View>) -> PyResult<()> {
        let (game, view) = (self.game.get(), view.get());
        if !game.equals(py, view.game.get())? {
            return Err(PyValueError::new_err("the view is of another game than the belief"));
        }
        let view = translate(py, view, game)?;
        let mut mind = self.mind();
        let Mind { belief, rng, view: seen } = &mut *mind;
        *seen = None;
        at_work(py, game, None, |pace| belief.update(&*self.model, &view, rng, &mut || pace.stop()))?
            .map_err(|trouble| PyValueError::new_err(trouble.to_string()))?;
        *seen = Some(view);
        Ok(())
    }

    /// A state that may be the present one, drawn with its probability.
    fn sample(&self, py: Python<'_>) -> PyResult<State> {
        let game = self.game.get();
        let mut mind = self.mind();
        let Mind { belief, rng, view } = &mut *mind;
        let Some(view) = view else {
            return Err(PyValueError::new_err("the belief has seen no view yet; call update first"));
        };
        let world = drive(py, game, || {
            let mut world = World::initial(&*self.model);
            belief.sample(&*self.model, view, rng, &mut world);
            world
        })?;
        Ok(State { game: self.game.clone_ref(py), state: Arc::new(world.state), trajectory: None })
    }

    /// All states that may be the present one with their probabilities, the likeliest first; particles that
    /// are alike count as one where the game can tell. None if there are more than `limit`, or they cannot be
    /// listed.
    #[pyo3(signature = (limit=1000))]
    fn states(&self, py: Python<'_>, limit: usize) -> PyResult<Option<Vec<(State, f64)>>> {
        let game = self.game.get();
        let mind = self.mind();
        let Some(view) = &mind.view else {
            return Err(PyValueError::new_err("the belief has seen no view yet; call update first"));
        };
        let worlds = drive(py, game, || mind.belief.worlds(&*self.model, view, limit))?;
        let Some(worlds) = worlds else { return Ok(None) };
        let state = |(state, p)| {
            (State { game: self.game.clone_ref(py), state: Arc::new(state), trajectory: None }, p)
        };
        Ok(Some(likeliest(&*self.model, worlds).into_iter().map(state).collect()))
    }

    /// A picture of what the player sees, and of where that which it does not see may be, as SVG; None where the
    /// game draws no beliefs. A belief of more than `draws` states, or whose states cannot be listed, is drawn from so
    /// often.
    #[pyo3(signature = (draws=10_000))]
    fn svg(&self, py: Python<'_>, draws: usize) -> PyResult<Option<String>> {
        self.with_worlds(py, draws, |worlds, view| {
            let states: Vec<_> = worlds.iter().map(|(world, p)| (&world.state, *p)).collect();
            self.model.belief_svg(&states, view.player)
        })
    }

    /// How likely each fact is, the likeliest first, in games whose rules are made of facts; None elsewhere. A belief of
    /// more than `draws` states, or whose states cannot be listed, is drawn from so often.
    #[pyo3(signature = (draws=10_000))]
    fn marginals(&self, py: Python<'_>, draws: usize) -> PyResult<Option<Vec<(String, f64)>>> {
        if !self.model.has().facts {
            return Ok(None);
        }
        let shares = self.with_worlds(py, draws, |worlds, _| {
            let mut shares: BTreeMap<String, f64> = BTreeMap::new();
            for (world, p) in worlds {
                for fact in self.model.facts(&world.state) {
                    *shares.entry(fact).or_default() += p;
                }
            }
            shares
        })?;
        let mut shares: Vec<_> = shares.into_iter().map(|(fact, p)| (fact, p.min(1.0))).collect();
        shares.sort_by(|(_, p), (_, q)| q.total_cmp(p));
        Ok(Some(shares))
    }

    /// What it has cost so far and how sure it is, in figures with names.
    #[getter]
    fn counters(&self) -> Vec<(&'static str, f64)> {
        self.mind().belief.counters()
    }

    /// How many different states (or particles) it holds; None where it holds none itself.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.mind().belief.size()
    }

    /// What a person should know about the last update.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.mind().belief.notes()
    }

    /// What a notebook shows.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("kibitz._notebook")?.call_method1("belief", (slf,))
    }
}
