//! What a card is: its numbers, its abilities, and what it does, in a small effect language.

/// What kind of card it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    General,
    Minion,
    Spell,
    Artifact,
}

/// An ability that is there or is not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Keyword {
    /// Enemies around it may neither move nor attack anybody else.
    Provoke,
    /// Acts in the turn in which it is played.
    Rush,
    /// Moves and attacks twice.
    Celerity,
    /// Moves to any free cell.
    Flying,
    /// Attacks anybody.
    Ranged,
    /// Attacks along rows and columns, everybody there at once.
    Blast,
    /// Is played on any free cell.
    Airdrop,
    /// Damages Generals twice as much.
    Facestrike,
    /// Never moves, and its attack stays zero.
    Structure,
    /// Is removed at the end of its owner's turn.
    Ephemeral,
    /// Does not hit back.
    NoCounter,
    /// Is not damaged by Generals.
    GeneralProof,
}

impl Keyword {
    /// How each is written.
    pub const NAMES: [(&'static str, Keyword); 12] = [
        ("provoke", Keyword::Provoke),
        ("rush", Keyword::Rush),
        ("celerity", Keyword::Celerity),
        ("flying", Keyword::Flying),
        ("ranged", Keyword::Ranged),
        ("blast", Keyword::Blast),
        ("airdrop", Keyword::Airdrop),
        ("facestrike", Keyword::Facestrike),
        ("structure", Keyword::Structure),
        ("ephemeral", Keyword::Ephemeral),
        ("no-counter", Keyword::NoCounter),
        ("general-proof", Keyword::GeneralProof),
    ];

    /// As one bit of a set.
    #[inline]
    pub const fn bit(self) -> u16 {
        1 << self as u16
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        Keyword::NAMES[self as usize].0
    }
}

/// Whose units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Whose {
    Any,
    Friendly,
    Enemy,
}

/// Which units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    Unit,
    Minion,
    General,
}

/// Where they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Where {
    Anywhere,
    /// Around one's own General.
    NearGeneral,
    /// Around where the card was played.
    NearSource,
    /// On one's own starting side.
    OwnSide,
    /// In the column of the enemy General.
    EnemyColumn,
}

/// Some of the units on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Units {
    pub whose: Whose,
    pub sort: Sort,
    pub place: Where,
    /// Only those with at most so much attack.
    pub most_attack: Option<i16>,
    /// Only those with the least attack of all minions.
    pub least_attack: bool,
}

/// What a card is aimed at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Aim {
    /// Any cell at all: it makes no difference.
    Anywhere,
    /// One of these units.
    Unit(Units),
    /// A free cell beside an own unit, as minions.
    Spawn,
    /// A cell with a unit or a tile on it.
    Something,
    /// The lower left cell of a square of four.
    Square,
    /// A free cell around where the card was played.
    FreeNear,
    /// A free cell at most two steps from there.
    FreeWithinTwo,
    /// Any free cell.
    Free,
}

/// Which units an effect falls on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum On {
    /// The one aimed at.
    Target,
    /// The one whose ability it is.
    Itself,
    /// All of these, in order of arrival, or column by column.
    All(Units, bool),
}

/// How long something lasts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Until {
    /// As long as the unit is there.
    Forever,
    /// The end of this turn.
    EndOfTurn,
    /// The start of the caster's next turn.
    OwnTurn,
}

/// Where something appears.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Spot {
    /// The cell aimed at.
    Target,
    /// The cell where the unit is, or was.
    Itself,
    /// A random free cell around the unit whose ability it is.
    NearItself,
    /// A random free cell around one's own General.
    NearGeneral,
}

/// When an ability acts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum When {
    /// It is played from the hand.
    Played,
    /// It dies.
    Dies,
    /// Another minion dies.
    MinionDies,
    /// Its owner casts a spell.
    SpellCast,
    /// Its owner's turn begins.
    TurnStarts,
    /// Its owner's turn ends.
    TurnEnds,
    /// The General who has the artifact deals damage.
    DealsDamage,
}

/// Of whom an effect demands something before it happens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Only {
    Always,
    /// The target has backstab.
    Backstab,
    /// The target is of this race.
    Race(u8),
    /// The target is not of this race.
    NotRace(u8),
    /// The target is an enemy.
    Enemy,
}

/// What happens. Cards are named by number once all are known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Deed {
    Damage(i16),
    Destroy,
    /// Heals the target's General by the target's health.
    HealItsGeneral,
    Buff {
        attack: i16,
        health: i16,
        until: Until,
    },
    /// Adds its health to its attack.
    AttackByHealth,
    SetAttack {
        to: i16,
        until: Until,
    },
    Grant(Keyword),
    Stun,
    /// Rests: it may move and attack again.
    Reactivate,
    Summon {
        card: u8,
        count: u8,
        spot: Spot,
    },
    /// Becomes another minion.
    Transform(u8),
    /// Takes all abilities and effects from what is on the cell, and tiles off it.
    Dispel,
    /// Goes to the cell chosen.
    Teleport,
    /// Makes creep of the four cells of a square.
    CreepSquare,
    /// Makes creep of a random cell around it.
    CreepNear,
    Draw(u8),
    DrawAtEnd,
    /// Draws whenever an own minion dies this turn.
    DrawOnDeaths,
}

/// One effect: what, on whom, and on what condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Effect {
    pub deed: Deed,
    pub on: On,
    pub only: Only,
}

/// A second choice that a card gives after it was played.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FollowUp {
    pub aim: Aim,
    pub effects: Vec<Effect>,
}

/// A card.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Card {
    /// The number that the game it comes from gives it.
    pub id: u32,
    pub name: String,
    pub kind: Kind,
    /// The number of its faction's deck owner, or 0 for a neutral one.
    pub faction: u8,
    /// Made by other cards alone.
    pub token: bool,
    pub race: u8,
    pub mana: u8,
    pub attack: i16,
    pub health: i16,
    pub durability: u8,
    pub keywords: u16,
    /// More attack beside its General.
    pub zeal: i16,
    /// More attack from behind.
    pub backstab: i16,
    /// More attack on the other's starting side.
    pub infiltrate: i16,
    /// A General's own spell.
    pub spell: Option<u8>,
    pub aim: Aim,
    pub effects: Vec<Effect>,
    pub follow_ups: Vec<FollowUp>,
    pub abilities: Vec<(When, Effect)>,
    /// All that it does, for people.
    pub text: String,
}

impl Card {
    /// Whether it has an ability.
    #[inline]
    pub fn has(&self, keyword: Keyword) -> bool {
        self.keywords & keyword.bit() != 0
    }

    /// Whether something happens when it is played, and not later.
    pub fn has_opening(&self) -> bool {
        self.kind == Kind::Minion
            && (!self.follow_ups.is_empty() || self.abilities.iter().any(|(when, _)| *when == When::Played))
    }
}
