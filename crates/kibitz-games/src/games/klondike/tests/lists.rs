//! The rules once more, with plain lists of cards and the deck turned card by card, to compare with.

use std::collections::BTreeSet;

use super::*;
use crate::klondike::cards::KING;

#[derive(Clone)]
struct Lists {
    rules: Rules,
    down: Vec<Vec<Card>>,
    up: Vec<Vec<Card>>,
    waste: Vec<Card>,
    stock: Vec<Card>,
    founded: [Vec<Card>; 4],
    passes: u32,
    visited: Vec<String>,
}

impl Lists {
    fn of(rules: &Rules, position: &Position) -> Lists {
        let deck = position.deck_cards();
        let turned = |(place, _): &(usize, Card)| *place < usize::from(position.turned);
        let (waste, stock): (Vec<_>, Vec<_>) = deck.partition(turned);
        let bare = |cards: Vec<(usize, Card)>| cards.into_iter().map(|(_, card)| card).collect();
        let suit =
            |suit: u8| (0..position.foundation[usize::from(suit)]).map(move |rank| Card::new(rank, suit));
        Lists {
            rules: *rules,
            down: (0..COLUMNS).map(|column| position.face_down(column).to_vec()).collect(),
            up: position.runs.iter().map(|run| run.cards().collect()).collect(),
            waste: bare(waste),
            stock: bare(stock),
            founded: [0, 1, 2, 3].map(|number| suit(number).collect()),
            passes: 1,
            visited: Vec::new(),
        }
    }

    /// What makes two states the same for the prevention of cycles.
    fn layout(&self) -> String {
        let column = |number: usize| format!("{:?}{:?}", self.down[number], self.up[number]);
        let mut columns: Vec<String> = (0..COLUMNS).map(column).collect();
        columns.sort();
        format!("{columns:?}{:?}", self.founded)
    }

    /// Everything that is seen on top of the waste while the deck is turned, without any other move.
    fn reachable(&self) -> Vec<Card> {
        let (mut waste, mut stock) = (self.waste.clone(), self.stock.clone());
        let mut seen: Vec<Card> = waste.last().copied().into_iter().collect();
        for pass in 0..2 {
            while !stock.is_empty() {
                let count = stock.len().min(self.rules.draw as usize);
                waste.extend(stock.drain(..count));
                seen.extend(waste.last());
            }
            if pass == 0 && self.rules.passes > 0 && self.passes >= self.rules.passes {
                break;
            }
            std::mem::swap(&mut waste, &mut stock);
        }
        seen
    }

    fn fits_up(&self, card: Card) -> bool {
        self.founded[usize::from(card.suit())].len() == usize::from(card.rank())
    }

    /// Where a card may go in the tableau, by the number of the move.
    fn places(&self, card: Card) -> Vec<Move> {
        let tops = self.up.iter().filter_map(|column| column.last());
        let mut moves: Vec<Move> = tops
            .filter(|top| card.goes_on(**top))
            .map(|top| Move::Onto(card, top.suit() & 1 == 1))
            .collect();
        let has_empty =
            (0..COLUMNS).any(|column| self.up[column].is_empty() && self.down[column].is_empty());
        if card.rank() == KING && has_empty {
            moves.push(Move::Onto(card, false));
        }
        moves
    }

    /// Whether something useful could be built on a card that comes back.
    fn is_wanted(&self, card: Card) -> bool {
        let reveals = |column: usize| {
            !self.down[column].is_empty() && self.up[column].first().is_some_and(|base| base.goes_on(card))
        };
        self.reachable().iter().any(|other| other.goes_on(card)) || (0..COLUMNS).any(reveals)
    }

    fn legal(&self) -> BTreeSet<u32> {
        let is_paper = self.rules.reading == Reading::Paper;
        let mut moves = Vec::new();
        for card in self.reachable() {
            moves.extend(self.places(card));
            if self.fits_up(card) {
                moves.push(Move::Up(card));
            }
        }
        for (column, cards) in self.up.iter().enumerate() {
            moves.extend(cards.last().filter(|top| self.fits_up(**top)).map(|top| Move::Up(*top)));
            for (index, card) in cards.iter().enumerate() {
                let is_settled = card.rank() == KING && self.down[column].is_empty();
                if is_paper && (is_settled || index > 0 && !self.fits_up(cards[index - 1])) {
                    continue;
                }
                moves.extend(self.places(*card));
            }
        }
        for top in self.founded.iter().filter_map(|cards| cards.last()) {
            let all_lower = |rank: u8| self.founded.iter().all(|cards| cards.len() > usize::from(rank));
            if is_paper && (top.rank() < 2 || all_lower(top.rank() - 2) || !self.is_wanted(*top)) {
                continue;
            }
            moves.extend(self.places(*top));
        }
        let now = self.layout();
        let is_new = |made: &&Move| {
            let after = self.after(**made).0.layout();
            after != now && !self.visited.contains(&after)
        };
        moves.iter().filter(is_new).map(|made| made.action().0).collect()
    }

    /// What a move leads to, and whether the past is over.
    fn after(&self, made: Move) -> (Lists, bool) {
        let mut lists = self.clone();
        let (card, onto) = match made {
            Move::Up(card) => (card, None),
            Move::Onto(card, second) => (card, Some(second)),
            Move::Turn => panic!("the deck is not turned by moves"),
        };
        let mut lifted = vec![card];
        let mut is_new = false;
        let column = self.up.iter().position(|cards| cards.contains(&card));
        if let Some(column) = column {
            let index = self.up[column].iter().position(|other| *other == card).unwrap();
            lifted = lists.up[column].split_off(index);
        } else if let Some(founded) = lists.founded.iter_mut().find(|cards| cards.contains(&card)) {
            assert_eq!(founded.pop(), Some(card));
        } else {
            lists.play_from_deck(card);
            is_new = true;
        }
        match onto {
            None => lists.founded[usize::from(card.suit())].extend(&lifted),
            Some(second) => {
                let is_target = |cards: &Vec<Card>| {
                    cards.last().is_some_and(|top| card.goes_on(*top) && (top.suit() & 1 == 1) == second)
                };
                let target = lists.up.iter().position(is_target).or_else(|| {
                    (0..COLUMNS)
                        .find(|number| lists.up[*number].is_empty() && lists.down[*number].is_empty())
                });
                lists.up[target.unwrap()].extend(&lifted);
            }
        }
        if let Some(column) = column.filter(|column| lists.up[*column].is_empty())
            && let Some(turned) = lists.down[column].pop()
        {
            lists.up[column].push(turned);
            is_new = true;
        }
        (lists, is_new)
    }

    fn play_from_deck(&mut self, card: Card) {
        while self.waste.last() != Some(&card) {
            if self.stock.is_empty() {
                std::mem::swap(&mut self.waste, &mut self.stock);
                self.passes += 1;
            }
            let count = self.stock.len().min(self.rules.draw as usize);
            self.waste.extend(self.stock.drain(..count));
        }
        self.waste.pop();
    }

    fn make(&mut self, made: Move) {
        let (before, (after, is_new)) = (self.layout(), self.after(made));
        *self = after;
        if is_new {
            self.visited.clear();
        } else if self.rules.reading == Reading::Paper || !matches!(made, Move::Up(_)) {
            self.visited.push(before);
        }
    }
}

#[test]
fn legal_moves_agree_with_lists_of_cards() {
    let mut compared = 0;
    for options in ["", "draw=1", "passes=1", "draw=2, passes=3", "reading=naive", "reading=naive, draw=4"]
    {
        let spec = format!("klondike(thoughtful=true, finish=false, {options})").replace(", )", ")");
        let game = klondike(&spec);
        for seed in 0..30 {
            let (mut state, mut rng) = (game.initial(), Rng::new(seed));
            let mut lists: Option<Lists> = None;
            loop {
                let action = match game.turn(&state) {
                    Turn::Chance => game.draw(&state, &mut rng),
                    _ => {
                        let lists = lists.get_or_insert_with(|| Lists::of(&game.rules, &state.position));
                        let found: BTreeSet<u32> = state.moves.iter().map(|made| made.action().0).collect();
                        if state.remembered() == MEMORY {
                            break; // From here on, the game forbids more.
                        }
                        assert_eq!(found, lists.legal(), "{spec}, {seed}:\n{}", game.text(&state, None));
                        compared += 1;
                        if found.is_empty() || state.won {
                            break;
                        }
                        // Half of the moves are the preferred ones, which get further.
                        let random = game.random_action(&state, 0, &mut Vec::new(), &mut rng);
                        let preferred = prefer::preferred(&game.rules, &state).unwrap().action();
                        let action = if rng.below(2) == 0 { random } else { preferred };
                        lists.make(Move::of(action));
                        action
                    }
                };
                game.step(&mut state, &[action], &mut [0.0]);
            }
        }
    }
    assert!(compared > 5_000, "{compared}");
}
