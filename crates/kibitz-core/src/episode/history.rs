//! Histories as bytes: what was chosen, step by step, and when. A state is nothing that can be sent (it is whatever a
//! game makes of it); a history is, and leads to the same state wherever the rules are the same.
//!
//! ```text
//! "kbzh"  version  players  steps  (elapsed  movers  action …) …  checksum
//! ```
//!
//! Four bytes, then numbers in LEB128 (seven bits a byte, the lowest first, never longer than need be), then eight bytes
//! that say whether the others are whole. `elapsed` is how many ticks went by before the step; `movers` is 0 where
//! chance drew, else one more than the mover's bits; an action is one more than its number, and 0 for who waits.
//! Each history has one spelling, so that equal bytes are equal histories.

use crate::game::{Action, Players, Turn};
use crate::rng::hash_bytes;

const MAGIC: &[u8; 4] = b"kbzh";
const VERSION: u64 = 1;
const CHECKSUM: usize = 8;
const MOST_PLAYERS: u64 = 32;

/// One step of a history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// How many ticks went by before it.
    pub elapsed: u64,
    /// Who moved; `None` where chance did.
    pub movers: Option<Players>,
    /// An action for each mover in ascending order, or chance's outcome.
    pub joint: Vec<Action>,
}

impl Played {
    /// A step of this turn. (Nothing is played when the game is over.)
    pub fn new(elapsed: u64, turn: Turn, joint: &[Action]) -> Played {
        let movers = (turn != Turn::Chance).then(|| turn.movers());
        Played { elapsed, movers, joint: joint.to_vec() }
    }

    /// Whether this turn is the one it was played at.
    pub fn fits(&self, turn: Turn) -> bool {
        turn != Turn::Over && self.movers == (turn != Turn::Chance).then(|| turn.movers())
    }

    fn width(movers: Option<Players>) -> usize {
        movers.map_or(1, Players::len)
    }
}

/// What was played from the beginning of a game on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct History {
    players: usize,
    count: u64,
    /// All ticks that went by.
    ticks: u64,
    /// The steps as bytes: long games take little room.
    body: Vec<u8>,
}

impl History {
    /// Bytes that are still read.
    pub const LARGEST: usize = 64 << 20;

    /// Nothing was played yet.
    pub fn new(players: usize) -> History {
        History { players, count: 0, ticks: 0, body: Vec::new() }
    }

    /// How many players there are.
    pub fn players(&self) -> usize {
        self.players
    }

    /// How many steps were played.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether nothing was played.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a step.
    ///
    /// # Errors
    /// A sentence, for a step that no game of so many players has.
    pub fn push(&mut self, played: &Played) -> Result<(), String> {
        let found = played.joint.len();
        if played.movers.is_some_and(|movers| !within(movers, self.players)) {
            return Err(format!("somebody moves who is none of the {} players", self.players));
        }
        if found != Played::width(played.movers) {
            let wanted = Played::width(played.movers);
            return Err(format!("it has {found} actions, and not {wanted}: one for each who moves"));
        }
        self.ticks = self.ticks.checked_add(played.elapsed).ok_or(TOO_LONG)?;
        write(&mut self.body, played.elapsed);
        write(&mut self.body, played.movers.map_or(0, |movers| u64::from(movers.0) + 1));
        played.joint.iter().for_each(|action| write(&mut self.body, action.0.wrapping_add(1).into()));
        self.count += 1;
        Ok(())
    }

    /// The steps from the first on.
    pub fn iter(&self) -> impl Iterator<Item = Played> {
        let mut reader = Reader { bytes: &self.body, at: 0 };
        // What is kept was checked when it came in.
        (0..self.count).map_while(move |_| reader.step(self.players).ok())
    }

    /// The bytes to send or to keep.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, self.players as u64, self.count] {
            write(&mut bytes, number);
        }
        bytes.extend(&self.body);
        bytes.extend(hash_bytes(&bytes).to_le_bytes());
        bytes
    }

    /// Reads bytes that may come from anywhere. Neither time nor memory is spent beyond their length.
    ///
    /// # Errors
    /// What is wrong with them, in a sentence.
    pub fn from_bytes(bytes: &[u8]) -> Result<History, String> {
        if bytes.len() > History::LARGEST {
            let (long, most) = (bytes.len(), History::LARGEST);
            return Err(format!("a history of {long} bytes is longer than {most}, which is the limit"));
        }
        let Some(after) = bytes.strip_prefix(MAGIC) else {
            return Err("this is no history: it does not begin with 'kbzh'".to_owned());
        };
        let version =
            Reader { bytes: after, at: 0 }.number().map_err(|why| format!("this history {why}"))?;
        if version != VERSION {
            return Err(format!("this history has version {version}, and version {VERSION} is read here"));
        }
        let Some((whole, checksum)) = bytes.split_last_chunk::<CHECKSUM>() else {
            return Err(format!("this history {CUT_SHORT}"));
        };
        if hash_bytes(whole).to_le_bytes() != *checksum {
            return Err("this history is damaged: its bytes do not agree with their checksum".to_owned());
        }
        History::read(&whole[MAGIC.len()..]).map_err(|why| format!("this history {why}"))
    }

    fn read(bytes: &[u8]) -> Result<History, String> {
        let mut reader = Reader { bytes, at: 0 };
        reader.number()?; // the version
        let players = reader.number()?;
        if !(1..=MOST_PLAYERS).contains(&players) {
            return Err(format!("is of {players} players; there may be 1 to {MOST_PLAYERS}"));
        }
        let count = reader.number()?;
        let (players, begin) = (players as usize, reader.at);
        let mut ticks = 0u64;
        for step in 0..count {
            let played = reader.step(players).map_err(|why| format!("{why}, in step {}", step + 1))?;
            ticks = ticks.checked_add(played.elapsed).ok_or_else(|| format!("is wrong: {TOO_LONG}"))?;
        }
        if reader.at < bytes.len() {
            return Err(format!("goes on after its last step, with {} bytes", bytes.len() - reader.at));
        }
        Ok(History { players, count, ticks, body: bytes[begin..].to_vec() })
    }
}

const CUT_SHORT: &str = "is cut short";
const TOO_LONG: &str = "more ticks go by than can be counted";

fn within(movers: Players, players: usize) -> bool {
    movers.0 & !Players::first(players).0 == 0
}

fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn number(&mut self) -> Result<u64, String> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or(CUT_SHORT)?;
            self.at += 1;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits || (byte == 0 && shift > 0) {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(format!("has a number at byte {} that is written wrongly", MAGIC.len() + self.at))
    }

    fn step(&mut self, players: usize) -> Result<Played, String> {
        let elapsed = self.number()?;
        let movers = match self.number()?.checked_sub(1) {
            None => None,
            Some(bits) => match u32::try_from(bits).map(Players) {
                Ok(movers) if within(movers, players) => Some(movers),
                _ => return Err(format!("has a mover who is none of its {players} players")),
            },
        };
        let mut joint = Vec::with_capacity(Played::width(movers));
        for _ in 0..Played::width(movers) {
            let action = u32::try_from(self.number()?);
            let action = action.map_err(|_| "has an action that is no number below 2^32".to_owned())?;
            joint.push(Action(action.wrapping_sub(1)));
        }
        Ok(Played { elapsed, movers, joint })
    }
}
