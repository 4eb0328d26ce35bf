//! From parameters to parts: each part says what it needs of the game and what it cannot go with, and a parameter that
//! nobody would read is refused.

use super::aim::Aim;
use super::beliefs::LARGEST;
use super::params::{Backup, Choice, Expansion, Horizon, Observers, Parallel, SearchParams, TreeKind};
use super::select::Selection;
use crate::belief::{Belief, BeliefKind, Form, Opponents};
use crate::game::Info;
use crate::model::Model;
use crate::params::{Param, Params};
use crate::part::Needs;
use crate::playout::{Playout, PlayoutSpec};

/// The parts of a search that depend on the game.
pub(super) struct Parts {
    /// State, open-loop, action-observation, public, belief or outcomes; never auto.
    pub kind: TreeKind,
    pub playout: Box<dyn Playout>,
    pub selection: Box<dyn Selection>,
    pub belief: Box<dyn Belief>,
}

/// Whether tree=belief chooses the belief itself.
pub(super) fn lists_all(belief: BeliefKind) -> bool {
    matches!(belief.form, Form::Auto | Form::Tree(_))
}

/// Makes the parts.
///
/// # Errors
/// A sentence saying what the game cannot provide, or which parameters do not go together.
pub(super) fn compose(
    p: &SearchParams,
    presets: &SearchParams,
    model: &dyn Model,
) -> Result<Parts, String> {
    let (info, has) = (model.info(), model.has());
    let kind = match p.tree {
        TreeKind::Auto if info.perfect_information || p.width.is_some() => TreeKind::State,
        TreeKind::Auto => TreeKind::ActionObservation,
        kind => kind,
    };
    let playout = match p.playout.name() {
        "auto" if has.preferred => PlayoutSpec::named("preferred"),
        "auto" => PlayoutSpec::named("random"),
        _ => p.playout.clone(),
    };
    let (made, selection) = (playout.build(), p.selection.build());
    tree(p, kind, model)?;
    backup(p, kind, info)?;
    observers(p, kind, &*selection)?;
    aim(p, info)?;
    solver(p, kind, info, &*selection)?;
    one_turn(p, kind, model)?;
    action_tree(p, kind, model, &*selection)?;
    go_together(
        p.normalise || selection.looks_back().is_none(),
        "selection=reversal-penalty goes with normalise=true: it multiplies bounds of values from 0 to 1",
    )?;
    let given = p.evaluator.is_some();
    let lacks = |needs: Needs, part: String| match needs.lacks(info, &has, given) {
        Some(what) => Err(format!("{part} needs {what}, which this game lacks")),
        None => Ok(()),
    };
    lacks(made.needs(), format!("playout={}", playout.show()))?;
    lacks(selection.needs(), format!("selection={}", p.selection.show()))?;
    let part = match (made.needs().trace, selection.needs().trace) {
        (true, _) => Some(format!("playout={}", playout.show())),
        (_, true) => Some(format!("selection={}", p.selection.show())),
        _ => None,
    };
    let of_several = p.playouts > 1 || p.parallel == Parallel::Leaf && p.workers > 1;
    if let Some(part) = part.filter(|_| of_several) {
        return Err(format!(
            "{part} learns from the moves of each simulation: it goes with single playouts and not with parallel=leaf"
        ));
    }
    unread(p, presets, kind, info, &*made, &*selection)?;
    // The graph of beliefs is made of all states that may be, whatever the way to them.
    let all = kind == TreeKind::Belief && lists_all(p.belief);
    let belief = if all { Form::Exact(LARGEST).into() } else { p.belief };
    let belief = belief.build(model, p.simulations.unwrap_or(u64::MAX))?;
    Ok(Parts { kind, playout: made, selection, belief })
}

fn need(holds: bool, part: &str, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{part} needs {what}, which this game lacks")) }
}

fn go_together(fine: bool, why: &str) -> Result<(), String> {
    if fine { Ok(()) } else { Err(why.to_owned()) }
}

/// Whether nodes stand for known states.
fn of_states(kind: TreeKind) -> bool {
    matches!(kind, TreeKind::State | TreeKind::OpenLoop | TreeKind::Outcomes)
}

fn tree(p: &SearchParams, kind: TreeKind, model: &dyn Model) -> Result<(), String> {
    let info = model.info();
    let known = of_states(kind);
    let told_apart = known && kind != TreeKind::OpenLoop;
    need(info.perfect_information || !known, "a state tree", "perfect information")?;
    if !p.macro_actions.is_none() {
        let part = format!("macro_actions={}", p.macro_actions.show());
        need(known, &part, "perfect information (or a collapsed model) and tree=state")?;
        // A macro-action may be several moves, and would count as one.
        need(info.discount == 1.0, &part, "returns that are not discounted")?;
    }
    if p.transpositions {
        need(model.has().hash, "transpositions", "a state hash")?;
        need(told_apart, "transpositions", "perfect information and tree=state")?;
        let plain = kind != TreeKind::State || p.backup != Backup::Max && p.width.is_none();
        go_together(plain, "transpositions go with neither backup=max nor width")?;
    }
    go_together(p.width.is_none() || told_apart, "width goes with tree=state only")?;
    let alone = p.parallel != Parallel::Tree || p.workers == 1;
    go_together(
        kind != TreeKind::OpenLoop || alone,
        "tree=open-loop goes with a tree for each thread only",
    )?;
    match kind {
        TreeKind::Outcomes => need(info.explicit_chance, "tree=outcomes", "explicit chance"),
        TreeKind::Belief => {
            need(info.players == 1, "tree=belief", "a single player")?;
            need(info.explicit_chance, "tree=belief", "explicit chance")
        }
        _ => Ok(()),
    }
}

fn backup(p: &SearchParams, kind: TreeKind, info: &Info) -> Result<(), String> {
    if p.backup == Backup::Max && kind == TreeKind::State {
        let fits = info.players == 1 || info.players == 2 && info.zero_sum;
        need(fits, "backup=max", "one player, or two whose returns add up to zero")?;
    }
    let by_visits = !p.until_decided || p.choice == Choice::Visits;
    go_together(by_visits, "until_decided goes with choice=visits only")
}

fn observers(p: &SearchParams, kind: TreeKind, selection: &dyn Selection) -> Result<(), String> {
    let alone = p.parallel != Parallel::Tree || p.workers == 1;
    let plain = p.backup == Backup::Mean && p.expansion == Expansion::All && alone;
    let Needs { own_nodes, plain_means, .. } = selection.needs();
    let one = p.observers == Observers::One;
    if own_nodes && (one || kind == TreeKind::Belief) || plain_means && !plain {
        let means = ", backup=mean, expansion=all and a tree for each thread";
        return Err(format!(
            "selection={} goes with observers=all{} only, and not with tree=belief",
            p.selection.show(),
            if plain_means { means } else { "" }
        ));
    }
    let mine = kind != TreeKind::Public || plain && !one && (selection.draws() || selection.columns() == 0);
    go_together(
        mine,
        "tree=public goes with observers=all, backup=mean, expansion=all, a tree for each thread and selections by ucb1 \
         or regret only",
    )?;
    go_together(
        !one || !of_states(kind) && plain,
        "observers=one goes with tree=action-observation, backup=mean, expansion=all and a tree for each thread only",
    )
}

fn aim(p: &SearchParams, info: &Info) -> Result<(), String> {
    if p.aim != Aim::Return {
        need(info.players > 1, &format!("aim={}", p.aim.show()), "several players")?;
    }
    if p.aim == Aim::Win {
        go_together(
            info.paid_at_end,
            "aim=win needs a game that pays at its end only (and says so); use aim=lead",
        )?;
        let leaf = p.parallel == Parallel::Leaf && p.workers > 1;
        go_together(
            p.backup != Backup::Max && p.playouts == 1 && !leaf,
            "aim=win goes with single playouts and not with backup=max: who wins on average cannot be told",
        )?;
    }
    Ok(())
}

/// Where only one's own turn is searched, somebody must judge what is left after it.
fn one_turn(p: &SearchParams, kind: TreeKind, model: &dyn Model) -> Result<(), String> {
    if p.horizon != Horizon::Turn {
        return Ok(());
    }
    need(p.evaluator.is_some() || model.has().evaluator, "horizon=turn", "an evaluator")?;
    go_together(
        !matches!(kind, TreeKind::Belief | TreeKind::Outcomes | TreeKind::Public)
            && p.macro_actions.is_none(),
        "horizon=turn goes with neither tree=belief, tree=outcomes or tree=public nor macro_actions",
    )
}

/// What is counted and kept of an edge is about one action.
fn action_tree(
    p: &SearchParams,
    kind: TreeKind,
    model: &dyn Model,
    selection: &dyn Selection,
) -> Result<(), String> {
    if p.expansion != Expansion::ActionTree {
        return Ok(());
    }
    need(model.has().factors, "expansion=action-tree", "action factors")?;
    let trees = matches!(kind, TreeKind::State | TreeKind::ActionObservation);
    let plain = !matches!(p.backup, Backup::MixMax(_))
        && p.growth() == 1.0
        && !p.until_decided
        && p.width.is_none();
    let alone = p.workers == 1 || p.parallel == Parallel::Leaf;
    let searched = matches!(p.belief.opponents, Opponents::Search(_));
    go_together(
        trees
            && plain
            && alone
            && p.trees == 1
            && p.macro_actions.is_none()
            && selection.is_ucb1()
            && !searched,
        "expansion=action-tree goes with tree=state or action-observation, selection=ucb1, one node a simulation, one tree \
         and one thread (or parallel=leaf) only, and with neither backup=mixmax, until_decided, width, macro_actions nor \
         opponents=search",
    )
}

/// What is proved are returns of known states, reached without chance.
fn solver(p: &SearchParams, kind: TreeKind, info: &Info, selection: &dyn Selection) -> Result<(), String> {
    if !p.solver {
        return Ok(());
    }
    need(kind == TreeKind::State, "solver", "perfect information (or a collapsed model) and tree=state")?;
    need(info.simultaneous != Some(true), "solver", "players who move in turn")?;
    need(
        info.bounds_what_is_left(),
        "solver",
        "returns that are paid at the end only, without a discount",
    )?;
    let plain = p.backup == Backup::Mean && p.expansion == Expansion::All && p.aim == Aim::Return;
    let plain = plain && p.macro_actions.is_none() && selection.is_ucb1();
    go_together(
        plain && p.growth() >= 1.0,
        "solver goes with selection=ucb1, backup=mean, expansion=all, aim=return and trees that grow only, and not with \
         macro_actions",
    )
}

/// Refuses what was asked for and would not be read. For each parameter: whether somebody reads it, and if not, why.
fn unread(
    p: &SearchParams,
    presets: &SearchParams,
    kind: TreeKind,
    info: &Info,
    playout: &dyn Playout,
    selection: &dyn Selection,
) -> Result<(), String> {
    let trees = !matches!(kind, TreeKind::Belief | TreeKind::Outcomes);
    let beliefs = kind == TreeKind::Belief;
    let graph = format!("tree={} does not read it", kind.show());
    let flat = trees && p.growth() < 1.0;
    let flatly = "grow=0 keeps no tree";
    // Where whole games enter the tree nothing is played out, but what lies beyond the horizon may be judged.
    let whole = trees && p.growth().is_infinite();
    let cut = p.horizon != Horizon::Natural || info.horizon.is_none() && info.discount < 1.0;
    let plays = !beliefs && !whole;
    let judges_leaves = playout.needs().evaluator && (plays || cut && !playout.makes_moves());
    let needs = playout.needs().and(selection.needs());
    let judges = needs.action_heuristic
        || judges_leaves
        || selection.needs().evaluator
        || playout.makes_moves() && (cut || p.depth.is_some());
    let in_the_end = if whole { "grow=inf leaves nothing to play out" } else { &graph };
    let uniform = !selection.explores() && !selection.draws();
    let open = kind == TreeKind::OpenLoop;
    let forgets = p.width.is_some() || p.observers == Observers::One || flat || open;
    let leaf = p.parallel == Parallel::Leaf && p.playouts == 1 && !(flat && uniform);
    let readers = [
        ("exploration", !trees || selection.explores(), "this selection does not explore by it"),
        ("expansion", trees && selection.is_ucb1(), "only selection=ucb1 in a tree reads it"),
        ("selection", trees, &graph),
        ("grow", trees || beliefs, &graph),
        ("grow", p.horizon != Horizon::Moves(1), "with horizon=1 nothing lies beyond the first move"),
        ("width", trees, &graph),
        ("trees", trees, &graph),
        ("workers", trees, &graph),
        ("parallel", trees && p.workers > 1, "it is about several workers"),
        (
            "parallel",
            !leaf,
            "workers share out the playouts of a leaf, and there is one: say how many playouts",
        ),
        ("transpositions", trees && !flat, if flat { flatly } else { &graph }),
        ("solver", trees, &graph),
        ("aim", trees, &graph),
        ("observers", kind == TreeKind::ActionObservation && !flat, if flat { flatly } else { &graph }),
        ("playout", plays || whole && cut && !playout.makes_moves(), in_the_end),
        ("playouts", plays, in_the_end),
        ("backup", !beliefs, &graph),
        ("until_decided", !beliefs, &graph),
        ("until_decided", p.simulations.or(p.rounds).is_some(), "it needs a number of simulations"),
        ("until_decided", !uniform, "selection=uniform visits all actions equally often"),
        (
            "reuse",
            !trees || !forgets,
            "what was searched is not kept with grow=0, width, observers=one or tree=open-loop",
        ),
        (
            "ties",
            trees && !(selection.draws() && matches!(p.choice, Choice::Policy | Choice::Drawn)),
            if trees { "an action is drawn" } else { &graph },
        ),
        (
            "normalise",
            trees && selection.explores(),
            if trees { "this selection does not explore by it" } else { &graph },
        ),
        ("evaluator", judges && !beliefs, "no state would be judged by it"),
        (
            "depth",
            playout.makes_moves() && !whole || beliefs,
            if whole { in_the_end } else { "this playout makes no moves" },
        ),
    ];
    let (given, usual) = (p.docs(), presets.docs());
    for (name, is_read, why) in readers {
        let value = |docs: &[crate::params::ParamDoc]| {
            docs.iter().find(|doc| doc.name == name).map(|doc| doc.default.clone()).unwrap_or_default()
        };
        let value = (value(&given), value(&usual));
        if !is_read && value.0 != value.1 {
            return Err(format!("{name}={} would have no effect: {why}", value.0));
        }
    }
    Ok(())
}
