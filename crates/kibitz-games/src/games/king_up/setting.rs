//! The parameters of King UP, and what is wrong with those that cannot be.

use kibitz_core::params::{ParamDoc, Params, params, words};
use kibitz_core::spec::{Spec, SpecError, Value};

use super::state::{MOST_CARDS, MOST_PIECES};

params! {
    /// The castle, the cards and the scores; where the text of the rules is open, the reading.
    pub struct KingUpParams {
        /// Players. (The rules are for three to six; two make a small game.)
        pub players: u32 = 3, in 2..=6;
        /// Pieces on a target card (full: 6).
        pub targets: u32 = 4, in 1..=16;
        /// Pieces, which are called A, B, C and so on (full: 13).
        pub pieces: u32 = 7, in 2..=16;
        /// Points of a player who would get none.
        pub bonus: u32 = 15, in 0..=1000;
        /// Points for the piece on the top (full: 20).
        pub top: u32 = 10, in 0..=1000;
        /// Pieces that each player sets before the first is moved up (full: 12 for all together).
        pub set_rounds: u32 = 2, in 1..=8;
        /// The top's level. Below it are that many levels, 0 included (full: 7).
        pub height: u32 = 5, in 2..=12;
        /// Pieces that may be set on one level; any number on level 0 (full: 4).
        pub width: u32 = 3, in 1..=16;
        /// How often a player may say no (full: 12 for all together).
        pub rejections: u32 = 1, in 0..=20;
        /// Rounds that are played, each with new cards; who scores least begins the next (full: 3).
        pub rounds: u32 = 1, in 1..=9;
        /// Whether what is not given is as in the game that is sold, and not as in the paper's experiments.
        pub full: bool = false;
        /// The target cards, such as "ABCD BCDE CDEF"; without them, each run of so many neighbours in a ring of
        /// all pieces is a card.
        pub cards: Option<String> = None;
        /// Where the pieces go that nobody has set: out of the game, or to level 0 (ground).
        pub leftover: Leftover = Leftover::Out;
        /// Whether a piece may move up to a level that is full, so that the width limits setting only.
        pub crowding: bool = true;
        /// Who gets the bonus: who has no credits, or who has no piece on the board.
        pub bonus_for: BonusFor = BonusFor::NoCredits;
        /// Who votes: all, or all but the one who moved the piece to the top (others).
        pub voters: Voters = Voters::All;
        /// Who moves after a piece was thrown out: the next player, or the same once more.
        pub after_no: AfterNo = AfterNo::Next;
        /// Whether a player is paid by how much it is above the mean of the others, so that all add up to zero.
        pub relative: bool = false;
        /// A file with the position to begin from, in place of an empty board; `examples/king-up` has some. The
        /// cards that it names are dealt, and to those who do not see them may be any.
        pub position: Option<String> = None;
    }
}

words! {
    /// What becomes of pieces that nobody has set.
    Leftover {
        /// They are out of the game.
        Out = "out",
        /// They stand on level 0.
        Ground = "ground",
    }
}

words! {
    /// Who gets the bonus.
    BonusFor {
        /// Whose pieces on the board, if any, are all on level 0.
        NoCredits = "no-credits",
        /// Who has no piece on the board.
        NoPieces = "no-pieces",
    }
}

words! {
    /// Who votes on the piece on the top.
    Voters {
        /// Everybody.
        All = "all",
        /// Everybody but the one who moved it there.
        Others = "others",
    }
}

words! {
    /// Who moves after a piece was thrown out.
    AfterNo {
        /// The next in turn.
        Next = "next",
        /// The one who moved it up.
        Same = "same",
    }
}

/// The parameters, whose defaults depend on one of them.
#[derive(Default)]
pub struct Chosen(pub KingUpParams);

impl Params for Chosen {
    fn docs(&self) -> Vec<ParamDoc> {
        self.0.docs()
    }

    fn set(&mut self, name: &str, value: &Value) -> Option<Result<(), String>> {
        self.0.set(name, value)
    }

    fn from_spec(spec: &Spec) -> Result<Chosen, SpecError> {
        let mut chosen = Chosen::default();
        chosen.apply(spec)?;
        if chosen.0.full {
            chosen = Chosen(KingUpParams::full(chosen.0.players));
            chosen.apply(spec)?;
        }
        Ok(chosen)
    }
}

impl KingUpParams {
    /// The game that is sold. The paper tells its height, its targets, its rounds and two top scores; the rest
    /// is chosen to go with them.
    fn full(players: u32) -> KingUpParams {
        let each = 12 / players.max(1);
        KingUpParams {
            players,
            targets: 6,
            pieces: 13,
            top: 20,
            set_rounds: each,
            height: 7,
            width: 4,
            rejections: each,
            rounds: 3,
            full: true,
            ..KingUpParams::default()
        }
    }

    /// The target cards, as sets of pieces.
    ///
    /// # Errors
    /// A card that cannot be, or too few of them.
    pub fn deck(&self) -> Result<Vec<u16>, String> {
        let KingUpParams { players, targets, pieces, .. } = *self;
        if targets > pieces {
            return Err(format!("a card cannot have {targets} targets: there are {pieces} pieces"));
        }
        let cards = match &self.cards {
            Some(names) => self.named_cards(names)?,
            None if targets == pieces => vec![everything(pieces)],
            None => (0..pieces)
                .map(|first| (first..first + targets).fold(0, |card, piece| card | 1 << (piece % pieces)))
                .collect(),
        };
        if cards.len() < players as usize {
            let count = cards.len();
            let what =
                if count == 1 { "is 1 target card".into() } else { format!("are {count} target cards") };
            return Err(format!("{players} players need a target card each, but there {what}"));
        }
        Ok(cards)
    }

    fn named_cards(&self, names: &str) -> Result<Vec<u16>, String> {
        let mut cards = Vec::new();
        for name in names.split_whitespace() {
            let card = parse_card(name, self.pieces)?;
            if card.count_ones() != self.targets {
                let (count, targets) = (card.count_ones(), self.targets);
                return Err(format!("the card {name} has {count} pieces, not {targets} (see targets)"));
            }
            if cards.contains(&card) {
                return Err(format!("the card {name} is there twice"));
            }
            if cards.len() == MOST_CARDS {
                return Err(format!("there may be {MOST_CARDS} cards at most"));
            }
            cards.push(card);
        }
        Ok(cards)
    }

    /// # Errors
    /// What of the rest cannot be.
    pub fn check(&self) -> Result<(), String> {
        let KingUpParams { players, pieces, set_rounds, .. } = *self;
        if players * set_rounds > pieces {
            let all = players * set_rounds;
            return Err(format!(
                "{players} players cannot set {set_rounds} pieces each: that is {all}, and there are {pieces}"
            ));
        }
        Ok(())
    }
}

/// All pieces.
pub fn everything(pieces: u32) -> u16 {
    ((1u32 << pieces.min(MOST_PIECES as u32)) - 1) as u16
}

/// What a piece is called.
pub fn piece_name(piece: u32) -> char {
    char::from(b'A' + (piece % 26) as u8)
}

/// The names of some pieces.
pub fn names_of(set: u16) -> String {
    crate::bits::ones(set.into()).map(piece_name).collect()
}

/// The piece that is called so.
///
/// # Errors
/// That there is none.
pub fn parse_piece(name: char, pieces: u32) -> Result<u32, String> {
    let number = (name.to_ascii_uppercase() as u32).wrapping_sub(u32::from(b'A'));
    if number < pieces {
        return Ok(number);
    }
    Err(format!("there is no piece {name:?}: they are called A to {}", piece_name(pieces - 1)))
}

/// A target card by the names of its pieces, such as ABFG.
///
/// # Errors
/// A piece that is not there, or there twice.
pub fn parse_card(name: &str, pieces: u32) -> Result<u16, String> {
    let mut card = 0;
    for letter in name.chars() {
        let bit = 1 << parse_piece(letter, pieces)?;
        if card & bit != 0 {
            return Err(format!("the card {name} names {} twice", letter.to_ascii_uppercase()));
        }
        card |= bit;
    }
    Ok(card)
}
