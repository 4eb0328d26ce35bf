//! One player who does not see everything: dynamic programming over the reachable beliefs, whose values are
//! iterated to a fixed point.

use super::{Limits, Solution};
use crate::belief::graph::{Arm, BeliefGraph};
use crate::model::Model;

/// How far from the fixed point the iteration may stop.
const PRECISION: f64 = 1e-9;
/// Sweeps before a game without discount counts as endless.
const SWEEPS: usize = 100_000;

pub(super) fn solve(model: &dyn Model, limits: &mut Limits) -> Result<Solution, String> {
    let (mut graph, mut states) = (BeliefGraph::default(), 0);
    let mut tick = || limits.count(&mut states);
    let (before, roots) = graph.start(model, &mut tick)?;
    let mut arms: Vec<Vec<Arm>> = Vec::new();
    while arms.len() < graph.len() {
        let at = arms.len();
        let mut of_node = Vec::new();
        // One of a class stands for all.
        let actions = graph.classes(model, at).into_iter().map(|class| class[0]);
        for action in actions {
            let (arm, beliefs) = graph.arm(model, at, action, &mut tick)?;
            for ((number, _), belief) in arm.next.iter().zip(beliefs) {
                if *number > at && graph.node(*number).belief.is_empty() {
                    graph.keep(*number, belief);
                }
            }
            of_node.push(arm);
        }
        arms.push(of_node);
    }
    let values = iterate(&arms, model.info().discount)?;
    let worth =
        |arm: &Arm| arm.reward + arm.next.iter().map(|(at, weight)| weight * values[*at]).sum::<f64>();
    let mut solution = Solution {
        value: vec![before + roots.iter().map(|(at, p)| p * values[*at]).sum::<f64>()],
        method: "dynamic programming over beliefs",
        states: graph.len() as u64,
        ..Solution::default()
    };
    if let [(root, _)] = roots.as_slice()
        && let Some((state, _)) = graph.node(*root).belief.first()
    {
        let name = |action| model.action_name(state, Some(0), action);
        for (class, arm) in graph.classes(model, *root).into_iter().zip(&arms[*root]) {
            solution.table.extend(class.into_iter().map(|action| (name(action), worth(arm))));
        }
        solution.table.sort_by(|a, b| b.1.total_cmp(&a.1));
        solution.action = solution.table.first().map(|(name, _)| name.clone());
    }
    Ok(solution)
}

/// Value iteration, latest beliefs first, to a fixed point.
fn iterate(arms: &[Vec<Arm>], gamma: f64) -> Result<Vec<f64>, String> {
    let mut values = vec![0.0; arms.len()];
    // The distance to the fixed point is at most this many times the last change.
    let factor = if gamma < 1.0 { gamma / (1.0 - gamma) } else { 1.0 };
    for _ in 0..SWEEPS {
        let mut change: f64 = 0.0;
        for (at, arms) in arms.iter().enumerate().rev() {
            let worth =
                |arm: &Arm| arm.reward + arm.next.iter().map(|(to, w)| w * values[*to]).sum::<f64>();
            let best = arms.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
            if arms.is_empty() {
                continue;
            }
            change = change.max((best - values[at]).abs());
            values[at] = best;
        }
        if change * factor <= PRECISION {
            return Ok(values);
        }
    }
    Err("the values do not settle: the game has neither an end nor a discount".to_owned())
}
