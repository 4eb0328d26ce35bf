//! How ghosts move: they wander, never turning back; near pocman they hunt, or flee from a strong one.

use kibitz_core::rng::Rng;

use super::maze::{Maze, NOWHERE};
use super::{NONE, WAYS};

/// A ghost wanders one of four ways, makes for one of four, or stays.
pub const CHOICES: u32 = 9;
const PURPOSE: usize = 4;
const STAY: usize = 8;

/// How often a ghost that has noticed pocman hunts instead of wandering.
const HUNTS: f64 = 0.75;
/// How often a fleeing ghost that was wandering before is taken by surprise and stays.
const SURPRISED: f64 = 0.25;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ghost {
    pub square: u8,
    /// Where it went last, if it wandered; else NONE.
    heading: u8,
}

pub fn choice_name(choice: u32) -> String {
    match choice as usize {
        way @ 0..PURPOSE => WAYS[way].to_owned(),
        way @ PURPOSE..STAY => format!("makes for {}", WAYS[way - PURPOSE]),
        _ => "stays".to_owned(),
    }
}

impl Ghost {
    pub fn at(square: u8) -> Ghost {
        Ghost { square, heading: NONE }
    }

    pub fn key(self) -> u64 {
        u64::from(self.square) << 3 | u64::from(self.heading)
    }

    /// Carries out a choice.
    #[inline]
    pub fn follow(&mut self, maze: &Maze, choice: u32) {
        let choice = choice as usize;
        self.heading = if choice < PURPOSE { choice as u8 } else { NONE };
        if choice < STAY {
            self.square = maze.square(self.square).next[choice % PURPOSE];
        }
    }

    /// Draws a choice.
    #[inline]
    pub fn draw(self, maze: &Maze, pocman: u8, strong: bool, rng: &mut Rng) -> u32 {
        if maze.distance(self.square, pocman) >= maze.range || !strong && rng.unit() >= HUNTS {
            let ways = self.ways(maze);
            let mut left = rng.below(ways.iter().map(|way| u32::from(*way)).sum());
            for way in 0..4 {
                if ways[way as usize] && left == 0 {
                    return way;
                }
                left -= u32::from(ways[way as usize]);
            }
        }
        if strong && self.heading != NONE && rng.unit() < SURPRISED {
            return STAY as u32;
        }
        self.aim(maze, pocman, strong) as u32
    }

    /// How likely each choice is.
    pub fn choices(self, maze: &Maze, pocman: u8, strong: bool) -> [f64; CHOICES as usize] {
        let mut choices = [0.0; CHOICES as usize];
        let near = maze.distance(self.square, pocman) < maze.range;
        let wanders = match (near, strong) {
            (false, _) => 1.0,
            (true, false) => 1.0 - HUNTS,
            (true, true) => 0.0,
        };
        let ways = self.ways(maze);
        let count = ways.iter().filter(|way| **way).count() as f64;
        for (choice, _) in choices.iter_mut().zip(ways).filter(|(_, way)| *way) {
            *choice = wanders / count;
        }
        if near {
            let surprised = if strong && self.heading != NONE { SURPRISED } else { 0.0 };
            choices[STAY] = surprised;
            choices[self.aim(maze, pocman, strong)] += 1.0 - wanders - surprised;
        }
        choices
    }

    /// Where it may wander: not back, unless there is no other way.
    #[inline]
    fn ways(self, maze: &Maze) -> [bool; 4] {
        let open = maze.square(self.square).next.map(|next| next != NOWHERE);
        let mut ways = open;
        if self.heading != NONE {
            ways[self.back()] = false;
        }
        if ways == [false; 4] { open } else { ways }
    }

    #[inline]
    fn back(self) -> usize {
        usize::from(self.heading + 2) & 3
    }

    /// The way that leads most towards pocman, or away from a strong one, in the coordinate that it
    /// changes; of equal ones the last. A fleeing ghost that could only come nearer stays.
    #[inline]
    fn aim(self, maze: &Maze, pocman: u8, strong: bool) -> usize {
        let (here, there) = (maze.square(self.square), maze.square(pocman));
        let east = there.column as i32 - here.column as i32;
        let north = there.row as i32 - here.row as i32;
        let mut best = (STAY, if strong { 0 } else { i32::MIN });
        for (way, towards) in [north, east, -north, -east].into_iter().enumerate() {
            let gain = if strong { -towards } else { towards };
            let turns = self.heading != NONE && way == self.back();
            if here.next[way] != NOWHERE && !turns && gain >= best.1 {
                best = (PURPOSE + way, gain);
            }
        }
        best.0
    }
}
