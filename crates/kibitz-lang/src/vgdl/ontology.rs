//! The ontology of March 2015: what classes of sprites, effects and terminations there are, with their defaults.

/// How a sprite moves and what it does of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conduct {
    /// It moves by its orientation, if it has one, and is not static.
    Plain,
    /// Lives for some ticks.
    Flicker,
    /// A flicker that has children on the four cells around it at its second update.
    Spreader,
    /// Takes a random orientation at its first update.
    RandomMissile,
    /// Moves at random.
    RandomNpc,
    /// Goes for the nearest sprite of a type, or away from it.
    Chaser {
        /// Away from it.
        fleeing: bool,
    },
    /// Goes for one type, or flees from another, whichever has more sprites; `random` does neither now and then.
    AltChaser {
        /// With probability epsilon at random.
        random: bool,
    },
    /// Makes sprites.
    Spawner,
    /// Moved by the player.
    Avatar(Avatar),
}

/// What the player can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Avatar {
    /// In four directions.
    Moving,
    /// Left and right.
    Horizontal,
    /// Up and down.
    Vertical,
    /// Left and right, and shoots from where it stands.
    Flak,
    /// In four directions, and looks where it goes.
    Oriented,
    /// As oriented, and shoots where it looks.
    Shoot,
    /// A missile: nothing.
    Missile,
}

/// A class of sprites.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Its name.
    pub name: &'static str,
    /// What its sprites do.
    pub conduct: Conduct,
    /// They never move of themselves.
    pub fixed: bool,
    /// They have an orientation, even where none is given.
    pub oriented: bool,
    /// Blocks a tick, when none is given.
    pub speed: f64,
    /// What it takes besides [`COMMON`].
    pub parameters: &'static [&'static str],
}

/// What every sprite takes. The second half is for the eye.
pub const COMMON: [&str; 14] = [
    "speed",
    "cooldown",
    "orientation",
    "singleton",
    "physicstype",
    "mass",
    "strength",
    "portal",
    "color",
    "img",
    "shrinkfactor",
    "invisible",
    "draw_arrow",
    "rotateInPlace",
];

const fn class(
    name: &'static str,
    conduct: Conduct,
    fixed: bool,
    oriented: bool,
    speed: f64,
    parameters: &'static [&'static str],
) -> Class {
    Class { name, conduct, fixed, oriented, speed, parameters }
}

const SPAWN: &[&str] = &["stype", "prob", "total"];

/// All classes of sprites.
pub const CLASSES: [Class; 31] = [
    class("Conveyor", Conduct::Plain, true, true, 0.0, &[]),
    class("Flicker", Conduct::Flicker, false, false, 0.0, &["limit"]),
    class("Immovable", Conduct::Plain, true, false, 0.0, &[]),
    class("OrientedFlicker", Conduct::Flicker, false, true, 0.0, &["limit"]),
    class("Passive", Conduct::Plain, false, false, 0.0, &[]),
    class("Resource", Conduct::Plain, true, false, 0.0, &["value", "limit"]),
    class("ResourcePack", Conduct::Plain, true, false, 0.0, &["value", "limit"]),
    class("Spreader", Conduct::Spreader, false, false, 0.0, &["limit", "spreadprob", "stype"]),
    class("Missile", Conduct::Plain, false, true, 1.0, &[]),
    class("ErraticMissile", Conduct::Plain, false, true, 1.0, &["prob"]),
    class("RandomMissile", Conduct::RandomMissile, false, true, 1.0, &[]),
    class("Walker", Conduct::Plain, false, true, 1.0, &["airsteering"]),
    class("WalkerJumper", Conduct::Plain, false, true, 1.0, &["airsteering", "probability"]),
    class(
        "Chaser",
        Conduct::Chaser { fleeing: false },
        false,
        false,
        1.0,
        &["stype", "fleeing", "maxDistance"],
    ),
    class(
        "Fleeing",
        Conduct::Chaser { fleeing: true },
        false,
        false,
        1.0,
        &["stype", "fleeing", "maxDistance"],
    ),
    class("RandomInertial", Conduct::RandomNpc, false, true, 1.0, &[]),
    class("RandomNPC", Conduct::RandomNpc, false, false, 1.0, &[]),
    class(
        "AlternateChaser",
        Conduct::AltChaser { random: false },
        false,
        false,
        1.0,
        &["stype1", "stype2"],
    ),
    class(
        "RandomAltChaser",
        Conduct::AltChaser { random: true },
        false,
        false,
        1.0,
        &["stype1", "stype2", "epsilon"],
    ),
    class("Bomber", Conduct::Spawner, false, true, 0.0, SPAWN),
    class("Portal", Conduct::Plain, true, false, 0.0, &["stype"]),
    class("SpawnPoint", Conduct::Spawner, true, false, 0.0, SPAWN),
    class("SpriteProducer", Conduct::Plain, true, false, 0.0, &["stype"]),
    class("Door", Conduct::Plain, true, false, 0.0, &[]),
    class("MovingAvatar", Conduct::Avatar(Avatar::Moving), false, false, 1.0, &[]),
    class("HorizontalAvatar", Conduct::Avatar(Avatar::Horizontal), false, false, 1.0, &[]),
    class("VerticalAvatar", Conduct::Avatar(Avatar::Vertical), false, false, 1.0, &[]),
    class(
        "FlakAvatar",
        Conduct::Avatar(Avatar::Flak),
        false,
        false,
        1.0,
        &["stype", "ammo", "minAmmo", "ammoCost"],
    ),
    class("OrientedAvatar", Conduct::Avatar(Avatar::Oriented), false, true, 1.0, &[]),
    class("ShootAvatar", Conduct::Avatar(Avatar::Shoot), false, true, 1.0, &["stype", "ammo"]),
    class("MissileAvatar", Conduct::Avatar(Avatar::Missile), false, true, 1.0, &[]),
];

/// The class of a name.
pub fn class_named(name: &str) -> Option<&'static Class> {
    CLASSES.iter().find(|class| class.name == name)
}

/// What happens when sprites meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verb {
    /// Back to where the sprite was before its own update.
    StepBack,
    /// Back, two steps down, reversed.
    TurnAround,
    /// Dies.
    KillSprite,
    /// Becomes another type.
    TransformTo,
    /// Becomes the only one of another type, whose former ones become a third.
    TransformToSingleton,
    /// Comes in again on the other side of the screen.
    WrapAround,
    /// Gets or loses of a resource.
    ChangeResource,
    /// Dies if it has no more of a resource than a limit.
    KillIfHasLess,
    /// Dies if it has no less of a resource than a limit.
    KillIfHasMore,
    /// Another of its type is born there.
    CloneSprite,
    /// Takes a random orientation.
    FlipDirection,
    /// Turns round.
    ReverseDirection,
    /// Everything goes back to where it was before its update.
    UndoAll,
    /// A sprite is born if it has enough of a resource.
    SpawnIfHasMore,
    /// Moves along with the other.
    PullWithIt,
    /// Stops at a wall.
    WallStop,
    /// The other takes it, a resource.
    CollectResource,
    /// Dies if the other has enough of a resource.
    KillIfOtherHasMore,
    /// Dies if the other comes down on it.
    KillIfFromAbove,
    /// Goes to an exit of the other, a portal.
    TeleportToExit,
    /// Is pushed by the other.
    BounceForward,
    /// Takes the other's orientation.
    AttractGaze,
}

/// An effect: its name, what it does, what it must be given, and what it may be given besides `scoreChange`.
pub type EffectClass = (&'static str, Verb, &'static [&'static str], &'static [&'static str]);

/// All effects.
pub const EFFECTS: [EffectClass; 22] = [
    ("stepBack", Verb::StepBack, &[], &[]),
    ("turnAround", Verb::TurnAround, &[], &[]),
    ("killSprite", Verb::KillSprite, &[], &[]),
    ("transformTo", Verb::TransformTo, &["stype"], &[]),
    ("transformToSingleton", Verb::TransformToSingleton, &["stype", "stype_other"], &["takeOrientation"]),
    ("wrapAround", Verb::WrapAround, &[], &["offset"]),
    ("changeResource", Verb::ChangeResource, &["resource"], &["value"]),
    ("killIfHasLess", Verb::KillIfHasLess, &["resource"], &["limit"]),
    ("killIfHasMore", Verb::KillIfHasMore, &["resource"], &["limit"]),
    ("cloneSprite", Verb::CloneSprite, &[], &[]),
    ("flipDirection", Verb::FlipDirection, &[], &[]),
    ("reverseDirection", Verb::ReverseDirection, &[], &[]),
    ("undoAll", Verb::UndoAll, &[], &[]),
    ("spawnIfHasMore", Verb::SpawnIfHasMore, &["stype", "resource"], &["limit", "prob"]),
    ("pullWithIt", Verb::PullWithIt, &[], &[]),
    ("wallStop", Verb::WallStop, &[], &["friction"]),
    ("collectResource", Verb::CollectResource, &[], &[]),
    ("killIfOtherHasMore", Verb::KillIfOtherHasMore, &["resource"], &["limit"]),
    ("killIfFromAbove", Verb::KillIfFromAbove, &[], &[]),
    ("teleportToExit", Verb::TeleportToExit, &[], &[]),
    ("bounceForward", Verb::BounceForward, &[], &[]),
    ("attractGaze", Verb::AttractGaze, &[], &["prob"]),
];

/// The terminations with what they take.
pub const TERMINATIONS: [(&str, &[&str]); 3] = [
    ("SpriteCounter", &["stype", "limit", "win"]),
    ("MultiSpriteCounter", &["stype1", "stype2", "stype3", "limit", "win"]),
    ("Timeout", &["limit", "win"]),
];
