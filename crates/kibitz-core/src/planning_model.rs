//! Which model of the game a planner is given: what those who play it imagine, the game as it is, or another one.
//!
//! Whatever the planner, `model=` says so. Players, actions and observations must be the game's own; how the world goes on
//! may be anything, so that it can be measured what a wrong idea of the world costs, or a learned one.

use crate::game::Action;
use crate::interrupt::Pause;
use crate::model::{SharedModel, State};
use crate::params::{Param, ParamDoc};
use crate::planner::{Decision, Grown, Planner};
use crate::registry;
use crate::spec::{Spec, SpecError, Value};
use crate::view::View;

/// What a planner is to imagine.
#[derive(Clone)]
pub enum ModelChoice {
    /// What the game says that its players imagine; the game itself where it says nothing.
    Believed,
    /// The game as it is played.
    True,
    /// Another game, as it was asked for.
    Other(SharedModel, String),
}

/// The parameter's name, whatever the planner.
const NAME: &str = "model";

impl ModelChoice {
    /// What is to be known about the parameter.
    pub fn doc() -> ParamDoc {
        ParamDoc {
            name: NAME.into(),
            kind: <ModelChoice as Param>::kind(),
            default: ModelChoice::Believed.show(),
            range: None,
            doc: "What the planner takes the game to be: believed (what the game says its players imagine, else the game \
                  itself), true (the game as it is), or another game with the same players, actions and observations."
                .to_owned(),
            was: None,
        }
    }

    /// Takes the parameter out of a planner's spec.
    ///
    /// # Errors
    /// That no game is called so, or that it is said twice.
    pub fn take(spec: &mut Spec) -> Result<ModelChoice, SpecError> {
        let Some(at) = spec.arguments.iter().position(|(key, _)| key == NAME) else {
            return Ok(ModelChoice::Believed);
        };
        let (_, value) = spec.arguments.remove(at);
        if spec.arguments.iter().any(|(key, _)| key == NAME) {
            return Err(SpecError(format!("{}: {NAME} is given twice", spec.name)));
        }
        ModelChoice::read(&value).map_err(|what| SpecError(format!("{}: {NAME}: {what}", spec.name)))
    }

    /// The model of a game that is played.
    ///
    /// # Errors
    /// A sentence, where this choice makes no difference or does not fit.
    pub fn of(&self, game: SharedModel) -> Result<SharedModel, String> {
        match self {
            ModelChoice::Believed => Ok(game.planning_model().unwrap_or(game)),
            ModelChoice::True if game.planning_model().is_none() => {
                Err("model=true would have no effect: those who play this game imagine it as it is"
                    .to_owned())
            }
            ModelChoice::True => Ok(game),
            ModelChoice::Other(other, name) => {
                let (mine, its) = (game.info(), other.info());
                if mine.players != its.players {
                    let what = format!("{} players, and this game has {}", its.players, mine.players);
                    return Err(format!("model={name} has {what}"));
                }
                if mine.perfect_information != its.perfect_information {
                    let what = if its.perfect_information { "hides nothing" } else { "hides something" };
                    return Err(format!(
                        "model={name} {what}, unlike this game: views of one are none of the other"
                    ));
                }
                Ok(other.clone())
            }
        }
    }
}

impl Param for ModelChoice {
    fn kind() -> String {
        "believed | true | game".to_owned()
    }

    fn read(value: &Value) -> Result<ModelChoice, String> {
        match value {
            Value::Bool(true) => Ok(ModelChoice::True),
            Value::Spec(spec) if spec.name == "believed" && spec.arguments.is_empty() => {
                Ok(ModelChoice::Believed)
            }
            other => {
                let spec =
                    Spec::read(other).map_err(|_| format!("expected {}, not {other}", Self::kind()))?;
                let game = registry::game(&spec).map_err(|SpecError(what)| what)?;
                Ok(ModelChoice::Other(game, spec.to_string()))
            }
        }
    }

    fn show(&self) -> String {
        match self {
            ModelChoice::Believed => "believed".to_owned(),
            ModelChoice::True => "true".to_owned(),
            ModelChoice::Other(_, name) => name.clone(),
        }
    }
}

/// A planner that is given a certain model.
pub struct Imagining {
    planner: Box<dyn Planner>,
    choice: ModelChoice,
}

impl Imagining {
    /// Gives it to any planner.
    pub fn new(planner: Box<dyn Planner>, choice: ModelChoice) -> Imagining {
        Imagining { planner, choice }
    }
}

impl Planner for Imagining {
    fn start(&mut self, model: SharedModel, seat: usize, seed: u64) -> Result<(), String> {
        self.planner.start(self.choice.of(model)?, seat, seed)
    }

    fn act(&mut self, view: &View, pause: Pause) -> Result<Decision, String> {
        self.planner.act(view, pause)
    }

    fn judge(&mut self, view: &View, actions: &[Action], pause: Pause) -> Result<Decision, String> {
        self.planner.judge(view, actions, pause)
    }

    fn tree(&mut self, view: &View, most: usize) -> Option<Grown> {
        self.planner.tree(view, most)
    }

    fn cheats(&self) -> bool {
        self.planner.cheats()
    }

    fn tell(&mut self, truth: State) {
        self.planner.tell(truth);
    }
}
