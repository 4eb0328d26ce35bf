//! Which belief: how it is written in a spec, and how it is made for a game.

use super::{Belief, Exact, Factored, HistoryTree, Hypergames, Opponents, Particles, Resampling, Weights};
use crate::model::Model;
use crate::params::{NoParams, Param, Params};
use crate::spec::{Spec, SpecError, Value, unknown};

/// What the past leaves possible, and what other players are taken to have done in it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BeliefKind {
    /// How what may be is held.
    pub form: Form,
    /// What other players are taken to do.
    pub opponents: Opponents,
}

/// How a belief holds what may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The known state where there is perfect information, else particles: as many as there are
    /// simulations, from a hundred to a thousand.
    Auto,
    /// Every possible state, at most so many.
    Exact(usize),
    /// So many particles.
    Particles(usize, Weights),
    /// The tree of all histories, as far as they are looked at; at most so many are kept.
    Tree(usize),
    /// The game's own resampling.
    Resampling,
    /// So many states for each decision, which the game's own resampling draws; where it has none, as auto.
    Sampled(usize),
    /// So many whole histories.
    Hypergames(usize),
}

/// Against opponents who do anything legal.
impl From<Form> for BeliefKind {
    fn from(form: Form) -> BeliefKind {
        BeliefKind { form, opponents: Opponents::Random }
    }
}

/// The largest number of anything that may be asked for.
const MOST: usize = 100_000_000;

crate::params! {
    /// What `auto` takes.
    pub struct AutoParams {
        /// What other players are taken to do.
        pub opponents: Opponents = Opponents::Random;
    }
}
crate::params! {
    /// What `exact` and `tree` take.
    pub struct ListedParams {
        /// States, or histories, to hold at most.
        pub limit: usize = 100_000, in 1..=MOST;
        /// What other players are taken to do.
        pub opponents: Opponents = Opponents::Random;
    }
}
crate::params! {
    /// What `particles` take.
    pub struct ParticleParams {
        /// How many.
        pub count: usize = 1000, in 1..=MOST;
        /// What becomes of their weights.
        pub weights: Weights = Weights::Even;
        /// What other players are taken to do.
        pub opponents: Opponents = Opponents::Random;
    }
}
crate::params! {
    /// What `sampled` takes.
    pub struct SampledParams {
        /// How many states are drawn for a decision.
        pub count: usize = 20, in 1..=MOST;
    }
}
crate::params! {
    /// What `hypergames` take.
    pub struct HypergameParams {
        /// Histories to hold at most.
        pub count: usize = 100, in 1..=MOST;
        /// What other players are taken to do.
        pub opponents: Opponents = Opponents::Random;
    }
}

impl Param for BeliefKind {
    fn kind() -> String {
        "auto | exact(limit) | particles(count, weights=even|kept|none) | tree(limit) | resampling | \
         sampled(count) | hypergames(count); all but resampling and sampled with opponents=random|preferred(slip)|greedy(slip)|search(slip)"
            .to_owned()
    }

    fn read(value: &Value) -> Result<Self, String> {
        let known = ["auto", "exact", "particles", "tree", "resampling", "sampled", "hypergames"];
        let Value::Spec(spec) = value else {
            return Err(format!("expected one of {}, not {value}", known.join(", ")));
        };
        BeliefKind::from_spec(spec, &known).map_err(|SpecError(what)| what)
    }

    fn show(&self) -> String {
        let (name, mut arguments) = match self.form {
            Form::Auto => ("auto", Vec::new()),
            Form::Exact(limit) => ("exact", vec![limit.to_string()]),
            Form::Particles(count, Weights::Even) => ("particles", vec![count.to_string()]),
            Form::Particles(count, weights) => {
                ("particles", vec![count.to_string(), format!("weights={}", weights.show())])
            }
            Form::Tree(limit) => ("tree", vec![limit.to_string()]),
            Form::Resampling => ("resampling", Vec::new()),
            Form::Sampled(count) => ("sampled", vec![count.to_string()]),
            Form::Hypergames(count) => ("hypergames", vec![count.to_string()]),
        };
        if self.opponents != Opponents::Random {
            arguments.push(format!("opponents={}", self.opponents.show()));
        }
        if arguments.is_empty() { name.to_owned() } else { format!("{name}({})", arguments.join(", ")) }
    }
}

impl BeliefKind {
    fn from_spec(spec: &Spec, known: &[&str]) -> Result<BeliefKind, SpecError> {
        let (form, opponents) = match spec.name.as_str() {
            "auto" => (Form::Auto, AutoParams::from_spec(spec)?.opponents),
            "exact" => {
                let ListedParams { limit, opponents } = ListedParams::from_spec(spec)?;
                (Form::Exact(limit), opponents)
            }
            "particles" => {
                let ParticleParams { count, weights, opponents } = ParticleParams::from_spec(spec)?;
                (Form::Particles(count, weights), opponents)
            }
            "tree" => {
                let mut params = ListedParams { limit: 1_000_000, ..ListedParams::default() };
                params.apply(spec)?;
                (Form::Tree(params.limit), params.opponents)
            }
            "resampling" => {
                NoParams::from_spec(spec)?;
                (Form::Resampling, Opponents::Random)
            }
            "sampled" => (Form::Sampled(SampledParams::from_spec(spec)?.count), Opponents::Random),
            "hypergames" => {
                let HypergameParams { count, opponents } = HypergameParams::from_spec(spec)?;
                (Form::Hypergames(count), opponents)
            }
            name => return Err(unknown("choice", name, known.iter().copied())),
        };
        Ok(BeliefKind { form, opponents })
    }

    /// The same for somebody who has no tree to look up in what others do.
    ///
    /// # Errors
    /// Others are taken to do as a search of one's own has them do.
    pub fn without_search(self) -> Result<BeliefKind, String> {
        match self.opponents {
            Opponents::Search(_) => Err("opponents=search goes by the tree of a search, and here there is none; \
                                         use opponents=random, preferred or greedy, or a planner with a tree, \
                                         such as pomcp"
                .to_owned()),
            _ => Ok(self),
        }
    }

    /// A new belief of this kind for a game, from which so many presents will be drawn.
    ///
    /// # Errors
    /// What the game lacks for it.
    pub fn build(self, model: &dyn Model, draws: u64) -> Result<Box<dyn Belief>, String> {
        let (info, has) = (model.info(), model.has());
        let need = |holds: bool, part: &str, what: &str| {
            if holds { Ok(()) } else { Err(format!("{part} needs {what}, which this game lacks")) }
        };
        match self.opponents {
            Opponents::Random => {}
            Opponents::Preferred(_) => {
                need(has.preferred, "opponents=preferred", "preferred actions")?;
            }
            Opponents::Greedy(_) => need(has.evaluator, "opponents=greedy", "an evaluator")?,
            Opponents::Search(_) if matches!(self.form, Form::Tree(_)) => {
                let what = "opponents=search does not go with belief=tree, which looks at the past when it is \
                            drawn from; use belief=exact or belief=particles";
                return Err(what.to_owned());
            }
            Opponents::Search(_) => {}
        }
        let opponents = self.opponents;
        let particles = |count, weights| Box::new(Particles::new(count, weights).against(opponents));
        Ok(match self.form {
            Form::Sampled(count) if has.resampling && !info.perfect_information => {
                Box::new(Resampling::kept(count))
            }
            Form::Auto | Form::Sampled(_)
                if info.perfect_information && (info.explicit_chance || has.shown_chance) =>
            {
                Box::new(Exact::new(1_000_000).against(opponents))
            }
            Form::Auto | Form::Sampled(_) => particles(draws.clamp(100, 1000) as usize, Weights::Even),
            Form::Exact(limit) => {
                need(info.explicit_chance || has.shown_chance, "belief=exact", "explicit chance")?;
                // One player has no opponents to take for anything.
                if has.pieces && has.hash && info.explicit_chance && info.players == 1 {
                    Box::new(Factored::new(limit))
                } else {
                    Box::new(Exact::new(limit).against(opponents))
                }
            }
            Form::Particles(count, weights) => particles(count, weights),
            Form::Tree(limit) => Box::new(HistoryTree::new(limit).against(opponents)),
            Form::Resampling => {
                need(has.resampling, "belief=resampling", "resampling")?;
                Box::<Resampling>::default()
            }
            Form::Hypergames(count) => Box::new(Hypergames::new(count).against(opponents)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_search_cannot_go_by_a_search() {
        let kind = |text: &str| BeliefKind::read(&Value::Spec(text.parse().unwrap())).unwrap();
        let refused = kind("exact(opponents=search)").without_search().unwrap_err();
        assert!(refused.contains("here there is none"), "{refused}");
        assert_eq!(
            kind("exact(opponents=preferred)").without_search(),
            Ok(kind("exact(opponents=preferred)"))
        );
    }

    #[test]
    fn kinds_are_read_as_they_are_shown() {
        for text in [
            "auto",
            "auto(opponents=preferred(0.01))",
            "exact(5)",
            "particles(7, weights=none)",
            "particles(7, weights=kept, opponents=greedy(0.5))",
            "exact(5, opponents=search(0.1))",
            "tree(1000000, opponents=preferred(0))",
            "resampling",
            "hypergames(100)",
        ] {
            let read = BeliefKind::read(&Value::Spec(text.parse().unwrap())).unwrap();
            assert_eq!(read.show(), text);
        }
        let bare = |text: &str| BeliefKind::read(&Value::Spec(text.parse().unwrap())).unwrap().show();
        assert_eq!(bare("tree(opponents=random)"), "tree(1000000)");
        assert_eq!(bare("particles(weights=even, count=3)"), "particles(3)");
    }
}
