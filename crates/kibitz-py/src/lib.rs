//! `kibitz._core`, the binding. Thin: convert, release the GIL, call, convert.
//!
//! From the lowest to the highest: [`fault`] (failures of users' rules become exceptions), [`pace`]
//! (long work looks for Ctrl-C), [`intern`] and [`rules`] (a game written in Python is a game of
//! the core), [`lang`] (so is a rules file), [`machine`] (a rules file, bare), [`given`], [`trajectory`], [`state`], [`info`] and [`game`], [`count`], [`view`], [`history`] and [`referee`], [`told`], [`translate`] and [`planner`], [`solve`], [`equilibrium`] and [`learn`],
//! [`entry`]
//! (registries and specs).

#![forbid(unsafe_code)]

mod belief;
mod count;
mod entry;
mod equilibrium;
mod fault;
mod game;
mod given;
mod history;
mod info;
mod intern;
mod lang;
mod learn;
mod machine;
mod pace;
mod planner;
mod referee;
mod rules;
mod solve;
mod state;
mod told;
mod trajectory;
mod translate;
mod view;

// Linked for their registrations; nothing here names them.
use kibitz_games as _;

/// The module as Python imports it.
#[pyo3::pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::{
        belief::Belief,
        entry::{
            Entry, ParamDoc, episode_seed, games, old_planners, outline, parse_class, parse_spec, parts,
            planners, spec_name, split_prefix, unknown,
        },
        equilibrium::{GameTree, RegretSolver},
        fault::GameFault,
        game::Game,
        history::{read_history, write_history},
        info::Info,
        lang::{Finding, RulesFile, check_rules, describe_rules, is_rules, rules_languages, rules_limits},
        learn::SelfPlay,
        machine::{RulesMachine, RulesState},
        planner::{Decision, Judgement, Planner},
        referee::Referee,
        rules::Bits,
        solve::solve_alone,
        state::State,
        told::Told,
        view::View,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("debug_build", cfg!(debug_assertions))?;
        // One list less to keep in step with the stub: nobody imports * from here.
        module.delattr("__all__")
    }
}
