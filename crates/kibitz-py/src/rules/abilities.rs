//! What a user's rules offer beyond the rules: each optional method is an ability, and to be there is to be declared.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kibitz_core::abilities::{
    Abilities, ActionHeuristic, ActionKeys, Atoms, Batch, Collapsed, EndTurn, Evaluate, Factors, Facts,
    Faults, Features, OwnMacroActions, PlanningModel, Preferred, Prove, RealTime, Resample, Solver,
    StateHash, Svg, Symmetries, ViewKey,
};
use kibitz_core::episode::Timing;
use kibitz_core::macro_actions::MacroActions;
use kibitz_core::playout::{Context, Policy, Rollout};
use kibitz_core::rng::derive;
use kibitz_core::solve::Proof;
use kibitz_core::view::view_seed;
use kibitz_core::{Action, Rng, SharedModel, State, View};
use pyo3::prelude::*;

use super::read::{Checked, Trouble, contract, raised, show, unnumbered};
use super::{PyRules, Truth};

impl PyRules {
    /// What the user has written.
    pub(super) fn offered(&self) -> Abilities<'_, Truth> {
        let there = |method: &Option<Py<PyAny>>| method.is_some().then_some(self);
        let methods = &self.methods;
        Abilities {
            hash: there(&methods.key).map(|it| it as _),
            evaluator: there(&methods.evaluate).map(|it| it as _),
            action_heuristic: there(&methods.action_values).map(|it| it as _),
            preferred: there(&methods.preferred).map(|it| it as _),
            shown_chance: there(&methods.shown).map(|it| it as _),
            pieces: there(&methods.split).map(|it| it as _),
            resampling: there(&methods.resample).map(|it| it as _),
            view_key: there(&methods.view_key).map(|it| it as _),
            collapsed: there(&methods.collapsed).map(|it| it as _),
            solver: there(&methods.judge).map(|it| it as _),
            prover: there(&methods.prove).map(|it| it as _),
            picture: there(&methods.svg).map(|it| it as _),
            planning_model: there(&methods.planning_model).map(|it| it as _),
            atoms: there(&methods.atoms).map(|it| it as _),
            facts: there(&methods.facts).map(|it| it as _),
            action_keys: there(&methods.action_key).map(|it| it as _),
            factors: there(&methods.factors).map(|it| it as _),
            end_turn: there(&methods.end_turn).map(|it| it as _),
            features: there(&methods.features).map(|it| it as _),
            symmetries: there(&methods.reflected).map(|it| it as _),
            macro_actions: there(&methods.macro_actions).map(|it| it as _),
            batch: there(&methods.play_out_many).map(|it| it as _),
            real_time: there(&methods.timing).map(|it| it as _),
            roles: None,
            faults: Some(self),
        }
    }

    /// Another game that a method gives: rules like these. Where that fails it is these rules, which are broken then.
    fn other_game(&self, method: &'static str, found: &Option<Py<PyAny>>) -> Arc<PyRules> {
        Python::attach(|py| {
            let made = found.as_ref().map(|found| found.bind(py).call0()).transpose();
            let rules = made.and_then(|rules| rules.map(|rules| PyRules::new(&rules)).transpose());
            match rules {
                Ok(Some(rules)) => Arc::new(rules),
                Ok(None) => Arc::new(self.again(py)),
                Err(error) => {
                    self.fail(py, Trouble::Raised(method, error));
                    Arc::new(self.again(py))
                }
            }
        })
    }

    /// The same rules with tables of their own.
    fn again(&self, py: Python<'_>) -> PyRules {
        PyRules::new(self.rules.bind(py)).unwrap_or_else(|_| unreachable!("these rules were read before"))
    }

    /// A whole number that a method answers.
    fn whole(&self, method: &'static str, answer: PyResult<Bound<'_, PyAny>>) -> Checked<i64> {
        let answer = answer.map_err(raised(method))?;
        answer.extract::<i64>().or_else(|_| {
            contract(format!("{method} returned {}; it should return a whole number", show(&answer)))
        })
    }

    /// The value of an action.
    pub(super) fn value_of<'py>(
        &self,
        method: &str,
        py: Python<'py>,
        action: Action,
    ) -> Checked<Bound<'py, PyAny>> {
        let value = self.action_value(py, action);
        value.ok_or_else(|| {
            let number = action.0;
            Trouble::Contract(format!(
                "{method} was asked for action number {number}, which no method returned"
            ))
        })
    }

    /// The same as a number again.
    pub(super) fn number_of(&self, method: &str, value: &Bound<'_, PyAny>) -> Checked<Action> {
        self.action(value).map_err(|_| {
            Trouble::Contract(format!("{method} returned {}, which is not hashable", show(value)))
        })
    }
}

impl StateHash<Truth> for PyRules {
    fn hash(&self, state: &Truth) -> u64 {
        self.ask(state, 0, |py, state| {
            let Some(key) = &self.methods.key else { return Ok(0) };
            let key = key.bind(py).call1((state,)).map_err(raised("key"))?;
            self.keys.key(&key).map_err(unnumbered("key", "", &key))
        })
    }
}

impl Evaluate<Truth> for PyRules {
    fn evaluate(&self, state: &Truth, values: &mut [f64]) {
        values.fill(0.0);
        self.ask(state, (), |py, state| {
            let Some(evaluate) = &self.methods.evaluate else { return Ok(()) };
            let answer = evaluate.bind(py).call1((state,)).map_err(raised("evaluate"))?;
            self.read_numbers("evaluate", &answer, |player, value| values[player] = value)
        });
    }
}

impl ActionHeuristic<Truth> for PyRules {
    fn action_values(
        &self,
        state: &Truth,
        player: usize,
        actions: &[Action],
        values: &mut Vec<f64>,
    ) -> bool {
        self.ask(state, false, |py, state| {
            let Some(method) = &self.methods.action_values else { return Ok(false) };
            let named: Checked<Vec<_>> =
                actions.iter().map(|action| self.value_of("action_values", py, *action)).collect();
            let answer = method.bind(py).call1((state, &self.seats[player], named?));
            let answer = answer.map_err(raised("action_values"))?;
            match answer.extract::<Vec<f64>>() {
                Ok(worth)
                    if worth.len() == actions.len() && worth.iter().all(|value| (0.0..=1.0).contains(value)) =>
                {
                    values.extend(worth);
                    Ok(true)
                }
                _ => contract(format!(
                    "action_values returned {}; it should be numbers from 0 to 1, one for each of the {} actions",
                    show(&answer),
                    actions.len()
                )),
            }
        })
    }

    fn heuristics(&self) -> Vec<Result<String, String>> {
        vec![Ok("action_values of the rules".to_owned()); self.info.players]
    }
}

impl Preferred<Truth> for PyRules {
    fn preferred(&self, state: &Truth, player: usize, actions: &mut Vec<Action>) {
        let Some(preferred) = &self.methods.preferred else { return };
        self.ask(state, (), |py, state| {
            let begin = actions.len();
            let answer =
                preferred.bind(py).call1((state, &self.seats[player])).map_err(raised("preferred"))?;
            self.read_actions("preferred", &answer, actions)?;
            if actions.len() == begin { self.no_actions("preferred", state, player) } else { Ok(()) }
        });
    }
}

impl Resample<Truth> for PyRules {
    fn resample(&self, view: &View, rng: &mut Rng) -> Option<Truth> {
        let resample = self.methods.resample.as_ref()?;
        if self.broken.load(Ordering::Relaxed) {
            return None;
        }
        Python::attach(|py| {
            let events: Vec<_> =
                view.events.iter().map(|event| self.event(py, event)).collect::<Option<_>>()?;
            let drawn = self.streams.lend(py, rng, |stream| {
                resample.bind(py).call1((events, &self.seats[view.player], stream))
            });
            match drawn {
                Ok(state) if state.is_none() => None,
                Ok(state) => Some(Truth(Some(state.unbind()))),
                Err(error) => {
                    self.fail(py, Trouble::Raised("resample", error));
                    None
                }
            }
        })
    }
}

impl ViewKey<Truth> for PyRules {
    fn view_key(&self, state: &Truth, player: usize) -> u64 {
        self.ask(state, 0, |py, state| {
            let Some(key) = &self.methods.view_key else { return Ok(0) };
            let key = key.bind(py).call1((state, &self.seats[player])).map_err(raised("view_key"))?;
            let number = self.keys.key(&key).map_err(unnumbered("view_key", "", &key))?;
            Ok(derive(view_seed(player), number))
        })
    }
}

impl Collapsed<Truth> for PyRules {
    fn collapsed(&self) -> SharedModel {
        self.other_game("collapsed", &self.methods.collapsed)
    }
}

impl PlanningModel<Truth> for PyRules {
    fn planning_model(&self) -> SharedModel {
        self.other_game("planning_model", &self.methods.planning_model)
    }
}

impl Solver<Truth> for PyRules {
    fn judge(&self, state: &Truth, effort: u32, context: &mut Context, returns: &mut [f64]) -> Option<u64> {
        self.ask(state, None, |py, state| {
            let Some(judge) = &self.methods.judge else { return Ok(None) };
            let answer =
                self.streams.lend(py, context.rng, |stream| judge.bind(py).call1((state, effort, stream)));
            let answer = answer.map_err(raised("judge"))?;
            if answer.is_none() {
                return Ok(None);
            }
            self.read_numbers("judge", &answer, |player, value| returns[player] += value)?;
            Ok(Some(u64::from(effort)))
        })
    }

    fn unknown(&self, state: &Truth) -> u32 {
        self.ask(state, 0, |py, state| {
            let Some(unknown) = &self.methods.unknown else { return Ok(0) };
            let number = self.whole("unknown", unknown.bind(py).call1((state,)))?;
            Ok(u32::try_from(number.max(0)).unwrap_or(u32::MAX))
        })
    }
}

impl Prove<Truth> for PyRules {
    fn prove(&self, state: &Truth, states: u64, _: &mut dyn FnMut() -> bool) -> Option<Proof> {
        self.ask(state, None, |py, state| {
            let Some(prove) = &self.methods.prove else { return Ok(None) };
            let answer = prove.bind(py).call1((state, states)).map_err(raised("prove"))?;
            if answer.is_none() {
                return Ok(None);
            }
            let Ok((value, line)) = answer.extract::<(Option<f64>, Bound<'_, PyAny>)>() else {
                return contract(format!(
                    "prove returned {}; it should return None, or (value or None, list of actions)",
                    show(&answer)
                ));
            };
            let mut moves = Vec::new();
            for action in self.in_order("prove", &line)? {
                moves.push(self.number_of("prove", &action.map_err(raised("prove"))?)?);
            }
            Ok(Some(Proof { value, moves, states }))
        })
    }
}

impl Svg<Truth> for PyRules {
    fn svg(&self, state: &Truth, viewer: Option<usize>) -> String {
        self.ask(state, String::new(), |py, state| match &self.methods.svg {
            Some(svg) => self.words("svg", svg.bind(py).call1((state, self.viewer(py, viewer)))),
            None => Ok(String::new()),
        })
    }
}

impl Atoms<Truth> for PyRules {
    fn atom_count(&self) -> u32 {
        self.atom_count
    }

    fn atoms(&self, state: &Truth, atoms: &mut Vec<u32>) {
        self.ask(state, (), |py, state| {
            let Some(method) = &self.methods.atoms else { return Ok(()) };
            let answer = method.bind(py).call1((state,)).map_err(raised("atoms"))?;
            for atom in self.in_order("atoms", &answer)? {
                let number = self.whole("atoms", atom)?;
                match u32::try_from(number) {
                    Ok(atom) if atom < self.atom_count => atoms.push(atom),
                    _ => {
                        let below = self.atom_count;
                        return contract(format!(
                            "atoms returned {number}, which is not from 0 to atom_count - 1 (atom_count is {below})"
                        ));
                    }
                }
            }
            Ok(())
        });
    }
}

impl Factors<Truth> for PyRules {
    fn factors(&self, state: &Truth, player: usize, action: Action, parts: &mut Vec<u32>) {
        self.ask(state, (), |py, state| {
            let Some(method) = &self.methods.factors else { return Ok(()) };
            let value = self.value_of("factors", py, action)?;
            let answer = method.bind(py).call1((state, &self.seats[player], value)).map_err(raised("factors"))?;
            match answer.extract::<Vec<u32>>() {
                Ok(found) => parts.extend(found),
                Err(_) => {
                    return contract(format!(
                        "factors returned {}; it should return whole numbers from 0 to 4294967295, the first part of the \
                         action first",
                        show(&answer)
                    ));
                }
            }
            Ok(())
        });
    }
}

impl EndTurn<Truth> for PyRules {
    fn end_turn(&self, state: &Truth, player: usize) -> Option<Action> {
        self.ask(state, None, |py, state| {
            let Some(method) = &self.methods.end_turn else { return Ok(None) };
            let answer = method.bind(py).call1((state, &self.seats[player])).map_err(raised("end_turn"))?;
            if answer.is_none() { Ok(None) } else { self.number_of("end_turn", &answer).map(Some) }
        })
    }
}

impl Features<Truth> for PyRules {
    fn feature_names(&self) -> Vec<String> {
        self.features.iter().map(|(name, _)| name.clone()).collect()
    }

    fn feature_weights(&self) -> Vec<f64> {
        self.features.iter().map(|(_, weight)| *weight).collect()
    }

    fn features(&self, state: &Truth, player: usize, values: &mut Vec<f64>) {
        self.ask(state, (), |py, state| {
            let Some(method) = &self.methods.features else { return Ok(()) };
            let answer = method.bind(py).call1((state, &self.seats[player])).map_err(raised("features"))?;
            match answer.extract::<Vec<f64>>() {
                Ok(found) if found.len() == self.features.len() && found.iter().all(|value| value.is_finite()) => {
                    values.extend(found);
                    Ok(())
                }
                _ => contract(format!(
                    "features returned {}; it should return a finite number for each of the {} in feature_weights",
                    show(&answer),
                    self.features.len()
                )),
            }
        });
    }
}

impl RealTime<Truth> for PyRules {
    fn timing(&self, state: &Truth) -> Timing {
        self.ask(state, Timing::Turns, |py, state| {
            let Some(timing) = &self.methods.timing else { return Ok(Timing::Turns) };
            let answer = timing.bind(py).call1((state,)).map_err(raised("timing"))?;
            if answer.is_none() {
                return Ok(Timing::Turns);
            }
            match answer.extract::<u64>() {
                Ok(ticks) => Ok(Timing::Due(ticks)),
                _ if answer.extract::<f64>().is_ok_and(|ticks| ticks == f64::INFINITY) => Ok(Timing::Open),
                _ => contract(format!(
                    "timing returned {}; expected a whole number of ticks, math.inf, or None for a state in which \
                     players take turns",
                    show(&answer)
                )),
            }
        })
    }

    fn tick(&self) -> f64 {
        self.tick
    }

    fn pass(&self, state: &mut Truth, ticks: u64) {
        let later = self.ask(state, None, |py, state| {
            let Some(pass) = &self.methods.pass_time else { return Ok(None) };
            pass.bind(py)
                .call1((state, ticks))
                .map(|later| Some(later.unbind()))
                .map_err(raised("pass_time"))
        });
        if later.is_some() {
            state.0 = later;
        }
    }
}

impl Facts<Truth> for PyRules {
    fn facts(&self, state: &Truth) -> Vec<String> {
        self.ask(state, Vec::new(), |py, state| {
            let Some(method) = &self.methods.facts else { return Ok(Vec::new()) };
            let answer = method.bind(py).call1((state,)).map_err(raised("facts"))?;
            self.in_order("facts", &answer)?.map(|fact| self.words("facts", fact)).collect()
        })
    }
}

impl ActionKeys<Truth> for PyRules {
    fn action_key(&self, state: &Truth, player: usize, action: Action) -> u64 {
        self.ask(state, u64::from(action.0), |py, state| {
            let Some(method) = &self.methods.action_key else { return Ok(u64::from(action.0)) };
            let value = self.value_of("action_key", py, action)?;
            let key = method.bind(py).call1((state, &self.seats[player], value));
            let key = key.map_err(raised("action_key"))?;
            self.keys.key(&key).map_err(unnumbered("action_key", "", &key))
        })
    }
}

impl Symmetries<Truth> for PyRules {
    fn symmetries(&self) -> usize {
        self.symmetries
    }

    fn orientation(&self, state: &Truth, symmetry: usize) -> i32 {
        self.ask(state, 0, |py, state| {
            let Some(method) = &self.methods.orientation else { return Ok(0) };
            let answer = self.whole("orientation", method.bind(py).call1((state, symmetry)))?;
            Ok(answer.signum() as i32)
        })
    }

    fn reflected(&self, state: &Truth, symmetry: usize) -> Truth {
        self.ask(state, state.clone(), |py, state| {
            let Some(method) = &self.methods.reflected else { return Ok(Truth(None)) };
            let image = method.bind(py).call1((state, symmetry)).map_err(raised("reflected"))?;
            Ok(Truth(Some(image.unbind())))
        })
    }

    fn reflected_action(&self, player: usize, action: Action, symmetry: usize) -> Action {
        let Some(method) = &self.methods.reflected_action else { return action };
        Python::attach(|py| {
            let image = || {
                let value = self.value_of("reflected_action", py, action)?;
                let image = method.bind(py).call1((player, value, symmetry));
                self.number_of("reflected_action", &image.map_err(raised("reflected_action"))?)
            };
            image().unwrap_or_else(|trouble| {
                self.fail(py, trouble);
                action
            })
        })
    }
}

/// A user's macro-actions: a game over them, and the way there and back.
struct PyMacroActions {
    game: Arc<PyRules>,
    /// For the numbers of the moves that they are spelled in, which go by value.
    moves: PyRules,
    enter: Option<Py<PyAny>>,
    spell: Option<Py<PyAny>>,
}

impl OwnMacroActions<Truth> for PyRules {
    fn macro_actions(&self) -> Arc<dyn MacroActions> {
        let game = self.other_game("macro_actions", &self.methods.macro_actions);
        Python::attach(|py| {
            let method = |name: &str| game.rules.bind(py).getattr(name).ok().map(Bound::unbind);
            let (enter, spell) = (method("enter"), method("spell"));
            if enter.is_none() || spell.is_none() {
                let what = "macro_actions returned rules without the methods enter and spell".to_owned();
                self.fail(py, Trouble::Contract(what));
            }
            Arc::new(PyMacroActions { game, moves: self.again(py), enter, spell })
        })
    }
}

impl MacroActions for PyMacroActions {
    fn model(&self) -> SharedModel {
        self.game.clone()
    }

    fn enter(&self, state: &State) -> State {
        State::new(self.game.ask(state.get::<Truth>(), Truth(None), |py, state| {
            let Some(enter) = &self.enter else { return Ok(Truth(None)) };
            Ok(Truth(Some(enter.bind(py).call1((state,)).map_err(raised("enter"))?.unbind())))
        }))
    }

    fn spell(&self, state: &State, action: Action, moves: &mut Vec<Action>) {
        self.game.ask(state.get::<Truth>(), (), |py, state| {
            let Some(spell) = &self.spell else { return Ok(()) };
            let value = self.game.value_of("spell", py, action)?;
            let answer = spell.bind(py).call1((state, value)).map_err(raised("spell"))?;
            for made in self.game.in_order("spell", &answer)? {
                moves.push(self.moves.number_of("spell", &made.map_err(raised("spell"))?)?);
            }
            Ok(())
        });
    }
}

impl Batch<Truth> for PyRules {
    fn play_out_many(
        &self,
        state: &Truth,
        how: &Rollout,
        count: u32,
        rng: &mut Rng,
        returns: &mut [f64],
    ) -> Option<u64> {
        if how.policy != Policy::Random || how.discount != 1.0 || how.one_turn {
            return None;
        }
        self.ask(state, None, |py, state| {
            let Some(method) = &self.methods.play_out_many else { return Ok(None) };
            let answer = self
                .streams
                .lend(py, rng, |stream| method.bind(py).call1((state, count, how.depth, stream)));
            let answer = answer.map_err(raised("play_out_many"))?;
            self.read_numbers("play_out_many", &answer, |player, value| returns[player] += value)?;
            Ok(Some(u64::from(count)))
        })
    }
}

impl Faults<Truth> for PyRules {
    fn faults(&self) -> u64 {
        self.faults.load(Ordering::Relaxed)
    }

    fn fault(&self) -> Option<String> {
        Some(self.latest.lock().ok()?.as_ref()?.sentence.clone())
    }
}
