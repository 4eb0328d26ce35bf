//! Positions of King UP as text files.
//!
//! ```text
//! # Everything after a number sign is a comment.
//! cards: DEFG ABFG ?          each player's target card, or ? for one that is not known
//! votes: 1 1 0                how often each may still say no
//! pieces: D3 E2 G:3           the pieces on the board, each with its level; the others are out
//! mover: 2                    who moves next (player 1 without this line); in a vote, once it is over
//! stage: set                  set, promote or vote; without this line, one of the last two
//! ```
//! Only the pieces must be there. Without a line of votes nobody has said no yet; cards that are not named
//! are dealt by chance. A piece on the top is voted on.

use super::setting::{parse_card, parse_piece, piece_name};
use super::state::{MOST_PLAYERS, NONE, Rules, Stage, State};
use crate::position_file;

/// A position as far as it is known.
#[derive(Clone, Debug)]
pub struct Known {
    /// Before the cards are dealt.
    pub state: State,
    /// The number of each player's card, or [`NONE`].
    pub cards: [u8; MOST_PLAYERS],
}

/// Reads a position from a file.
///
/// # Errors
/// What is wrong, with the line.
pub fn read(path: &str, rules: &Rules) -> Result<Known, String> {
    parse(&position_file::read(path)?, rules).map_err(|what| format!("{path}: {what}"))
}

const HEADS: [&str; 5] = ["cards", "votes", "pieces", "mover", "stage"];

/// Reads a position from text.
///
/// # Errors
/// What is wrong, with the line.
pub fn parse(text: &str, rules: &Rules) -> Result<Known, String> {
    let state = State { set: rules.to_set, ..rules.empty() };
    let mut reader = Reader { rules, known: Known { state, cards: [NONE; MOST_PLAYERS] }, stage: None };
    let mut found: [Option<(usize, &str)>; HEADS.len()] = [None; HEADS.len()];
    for (number, line) in position_file::lines(text) {
        let head = line.split_once(':').map(|(head, rest)| (head.trim(), rest));
        let part = head.and_then(|(head, rest)| Some((HEADS.iter().position(|h| *h == head)?, rest)));
        let Some((part, rest)) = part else {
            let all: Vec<String> = HEADS.iter().map(|head| format!("'{head}:'")).collect();
            return Err(format!("line {number}: a line begins with one of {}", all.join(", ")));
        };
        if let Some((before, _)) = found[part].replace((number, rest)) {
            return Err(format!("line {number}: '{}' was there before, in line {before}", HEADS[part]));
        }
    }
    if found[2].is_none() {
        return Err("there is no line 'pieces:'".to_owned());
    }
    for (head, line) in HEADS.iter().zip(found) {
        if let Some((number, rest)) = line {
            reader.read(head, rest).map_err(|what| format!("line {number}: {what}"))?;
        }
    }
    reader.finish()
}

struct Reader<'a> {
    rules: &'a Rules,
    known: Known,
    stage: Option<Stage>,
}

impl Reader<'_> {
    fn read(&mut self, head: &str, rest: &str) -> Result<(), String> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        match head {
            "stage" => self.stage(&words),
            "cards" => self.cards(&words),
            "votes" => self.votes(&words),
            "mover" => self.mover(&words),
            _ => words.iter().try_for_each(|word| self.piece(word)),
        }
    }

    fn pieces(&self) -> u32 {
        self.rules.pieces.count_ones()
    }

    fn one_each(&self, words: &[&str], what: &str) -> Result<(), String> {
        let (players, count) = (self.rules.players, words.len());
        if count == players {
            return Ok(());
        }
        Err(format!("{players} players have {players} {what}, not {count}"))
    }

    fn stage(&mut self, words: &[&str]) -> Result<(), String> {
        self.stage = match words {
            ["set"] => Some(Stage::Set),
            ["promote"] => Some(Stage::Promote),
            ["vote"] => Some(Stage::Vote),
            _ => return Err("the stage is 'set', 'promote' or 'vote'".to_owned()),
        };
        Ok(())
    }

    fn cards(&mut self, words: &[&str]) -> Result<(), String> {
        self.one_each(words, "target cards ('?' for one that is not known)")?;
        for (player, word) in words.iter().enumerate().filter(|(_, word)| **word != "?") {
            let card = parse_card(word, self.pieces())?;
            let Some(number) = self.rules.cards.iter().position(|other| *other == card) else {
                return Err(format!("there is no target card {word}"));
            };
            if let Some(other) = self.known.cards.iter().position(|other| usize::from(*other) == number) {
                return Err(format!("players {} and {} have the same card, {word}", other + 1, player + 1));
            }
            self.known.cards[player] = number as u8;
        }
        Ok(())
    }

    fn votes(&mut self, words: &[&str]) -> Result<(), String> {
        self.one_each(words, "numbers of vote cards")?;
        let most = self.rules.rejections;
        for (player, word) in words.iter().enumerate() {
            self.known.state.votes[player] = match word.parse::<u8>() {
                Ok(votes) if votes <= most => votes,
                _ => {
                    let player = player + 1;
                    return Err(format!(
                        "player {player} has 0 to {most} vote cards (see rejections), not '{word}'"
                    ));
                }
            };
        }
        Ok(())
    }

    fn mover(&mut self, words: &[&str]) -> Result<(), String> {
        let players = self.rules.players;
        match words {
            [word] if word.parse().is_ok_and(|number: usize| (1..=players).contains(&number)) => {
                self.known.state.mover = word.parse::<u8>().unwrap_or(1) - 1;
                Ok(())
            }
            _ => Err(format!("the mover is a player's number, 1 to {players}")),
        }
    }

    /// Such as D3, or D:3.
    fn piece(&mut self, word: &str) -> Result<(), String> {
        let Rules { height, .. } = *self.rules;
        let mut letters = word.chars();
        let piece = parse_piece(letters.next().unwrap_or(' '), self.pieces())?;
        let name = piece_name(piece);
        let rest = letters.as_str();
        let level = match rest.strip_prefix(':').unwrap_or(rest).parse::<u8>() {
            Ok(level) if level <= height => level,
            _ => return Err(format!("'{word}': after {name} its level is expected, 0 to {height}")),
        };
        let state = &mut self.known.state;
        if state.board >> piece & 1 == 1 {
            return Err(format!("{name} is there twice"));
        }
        if level == height && state.top != NONE {
            return Err(format!("{} and {name} are both on the top", piece_name(state.top.into())));
        }
        self.rules.put(state, piece, level);
        Ok(())
    }

    fn finish(mut self) -> Result<Known, String> {
        let (rules, state) = (self.rules, &mut self.known.state);
        let top = (state.top != NONE).then(|| piece_name(state.top.into()));
        match (self.stage, top) {
            (Some(Stage::Set), _) => {
                let (count, all) = (state.board.count_ones() as u8, rules.to_set);
                if count >= all {
                    return Err(format!(
                        "the stage is not 'set': the players set {all} pieces, and so many are there"
                    ));
                }
                state.set = count;
            }
            (Some(Stage::Promote), Some(top)) => {
                return Err(format!("the stage is 'vote': {top} is on the top, level {}", rules.height));
            }
            (Some(Stage::Vote), None) => {
                return Err(format!(
                    "the stage is not 'vote': no piece is on the top, level {}",
                    rules.height
                ));
            }
            (_, Some(top)) if !rules.can_be_refused(state) => {
                return Err(format!(
                    "{top} is on the top and nobody has a vote card: there is nothing to play"
                ));
            }
            _ if state.board == 0 => {
                return Err("no piece is on the board: there is nothing to play".to_owned());
            }
            _ => {}
        }
        match rules.misplaced(state) {
            Some(what) => Err(what),
            None => Ok(self.known),
        }
    }
}
