//! How a choice is carried out: what it does at once, and the list of what comes after it.

use super::Rules;
use super::actions::Choice;
use super::board::{CELLS, NEAR, bit, place};
use super::card::{Card, Keyword, Kind, When};
use super::state::{
    ARTIFACTS, Call, Change, HAND, List, MOST_MANA, NONE, Position, Side, Stage, Task, UNKNOWN, Unit,
    Waiting,
};
use crate::bits::ones;

/// What a General loses for a card that its pile cannot give.
const FATIGUE: i16 = 2;
/// Abilities that act after one choice, and no more: those of a user's cards might never end.
const LONGEST_CHAIN: u16 = 500;

/// Some cells in an order that matters.
#[derive(Default)]
pub struct Row {
    cells: smallvec::SmallVec<[u8; 16]>,
}

impl Row {
    pub fn push(&mut self, cell: u8) {
        self.cells.push(cell);
    }

    pub fn cells(&self) -> &[u8] {
        &self.cells
    }
}

impl Rules {
    /// Carries out the mover's choice, which is legal.
    pub fn act(&self, position: &mut Position, choice: Choice) {
        position.chain = 0;
        let owner = position.mover;
        let side = &mut position.sides[usize::from(owner)];
        match choice {
            Choice::End => self.end_turn(position),
            Choice::Replace(slot) => {
                side.has_replaced = true;
                let card = std::mem::replace(&mut side.hand[usize::from(slot)], NONE);
                position.tasks.push(Task::Return { owner, card });
                position.tasks.push(Task::Redraw { owner, slot, unlike: card });
            }
            Choice::Play { slot, cell } => {
                let card = std::mem::replace(&mut side.hand[usize::from(slot)], NONE);
                side.mana = side.mana.saturating_sub(self.cards[usize::from(card)].mana);
                self.play(position, card, owner, cell);
            }
            Choice::Cast(cell) => {
                let card = self.spells[usize::from(owner)];
                side.is_spell_ready = false;
                side.mana = side.mana.saturating_sub(self.cards[usize::from(card)].mana);
                self.play(position, card, owner, cell);
            }
            Choice::Move { from, to } => {
                if let Some(index) = position.on(from) {
                    let unit = &mut position.units[index];
                    unit.cell = to;
                    unit.moves += 1;
                    unit.attacks = unit.attacks.max(unit.moves - 1);
                }
            }
            Choice::Attack { from, to } => self.attack(position, from, to),
            Choice::FollowUp(cell) => self.follow(position, cell),
            Choice::Stop => position.waiting = None,
            Choice::Mulligan(_) => {}
        }
        self.run(position);
    }

    /// The cards that both players put back before the first turn are dealt anew.
    pub fn mulligan(&self, position: &mut Position, slots: [u8; 2]) {
        position.stage = Stage::Play;
        for owner in [1, 0u8] {
            let at = position.tasks.len();
            for slot in ones(slots[usize::from(owner)].into()) {
                let slot = slot as u8;
                let hand = &mut position.sides[usize::from(owner)].hand;
                let card = std::mem::replace(&mut hand[usize::from(slot)], NONE);
                position.tasks.push(Task::Return { owner, card });
            }
            let redraws: Vec<Task> = ones(slots[usize::from(owner)].into())
                .map(|slot| Task::Redraw { owner, slot: slot as u8, unlike: NONE })
                .collect();
            position.tasks[at..].reverse();
            position.tasks.extend(redraws.into_iter().rev());
        }
        self.run(position);
    }

    /// Goes on until somebody must choose or chance draws.
    pub fn run(&self, position: &mut Position) {
        while position.waiting.is_none() {
            if matches!(position.stage, Stage::Over(_)) {
                position.tasks.clear();
                position.deaths.clear();
                return;
            }
            let Some(task) = position.tasks.last().copied() else {
                self.settle(position);
                return;
            };
            if self.needs_chance(position, task) {
                return;
            }
            position.tasks.pop();
            self.resolve(position, task);
        }
    }

    /// Whether a task waits for chance.
    fn needs_chance(&self, position: &Position, task: Task) -> bool {
        match task {
            Task::Deal { .. } | Task::Redraw { .. } => true,
            Task::Draw { owner } => position.sides[usize::from(owner)].left > 0,
            Task::Summon { .. } | Task::Creep { .. } => self.cells_for(position, task).count_ones() > 1,
            _ => false,
        }
    }

    /// The cells where chance may put something.
    pub fn cells_for(&self, position: &Position, task: Task) -> u64 {
        match task {
            Task::Summon { near, .. } => NEAR[usize::from(near)] & !position.taken(),
            Task::Creep { owner, near } => {
                let own = position.creep.iter().filter(|creep| creep.owner == owner && !creep.is_fresh);
                NEAR[usize::from(near)] & !own.fold(0, |set, creep| set | bit(creep.cell))
            }
            _ => 0,
        }
    }

    /// A task that needs no chance, or for which there is only one outcome.
    fn resolve(&self, position: &mut Position, task: Task) {
        match task {
            Task::Return { owner, card } => {
                let side = &mut position.sides[usize::from(owner)];
                side.left += 1;
                if card != UNKNOWN {
                    side.pile[self.kind_of(owner, card)] += 1;
                }
            }
            Task::Draw { owner } => {
                if let Some(index) = self.general(position, owner) {
                    self.hurt(position, index, FATIGUE);
                    self.sweep(position, &Row::default());
                    position.tasks.push(Task::Deaths);
                }
            }
            Task::Summon { .. } | Task::Creep { .. } => {
                let cells = self.cells_for(position, task);
                if cells != 0 {
                    self.put_at(position, task, cells.trailing_zeros() as u8);
                }
            }
            Task::Effect(call) => {
                position.chain += 1;
                if position.chain <= LONGEST_CHAIN {
                    self.effect(position, call);
                }
            }
            Task::Deaths => self.deal_with_deaths(position),
            Task::FollowUp { card, number, owner, cell } => {
                let aim = self.cards[usize::from(card)].follow_ups[usize::from(number)].aim;
                if !position.is_decided()
                    && self.aims(position, aim, owner, cell) != 0
                    && !self.has_lost_its_unit(position, card, number, cell)
                {
                    position.waiting = Some(Waiting { card, number, cell });
                }
            }
            Task::SpellCast { owner } => {
                let at = position.tasks.len();
                self.trigger_all(position, owner, When::SpellCast);
                position.tasks.push(Task::Deaths);
                position.tasks[at..].reverse();
            }
            Task::LastDraws | Task::Pass if self.ends(position) => {}
            Task::LastDraws => {
                let side = &mut position.sides[usize::from(position.mover)];
                let extra = std::mem::take(&mut side.draws_at_end);
                let mut draws = self.kind.draws() + extra;
                if !self.kind.overdraws() {
                    draws = draws.min((HAND - side.held()) as u8);
                }
                let owner = position.mover;
                position.tasks.extend((0..draws).map(|_| Task::Draw { owner }));
            }
            Task::Pass => self.pass(position),
            Task::Begin => {
                let (owner, turn) = (position.mover, position.turn);
                if self.spells[usize::from(owner)] != NONE && self.kind.spell_comes(owner, turn) {
                    position.sides[usize::from(owner)].is_spell_ready = true;
                }
                for creep in &mut position.creep {
                    creep.is_fresh = false;
                }
            }
            Task::Deal { .. } | Task::Redraw { .. } => {}
        }
    }

    /// The place of a player's General in the list.
    fn general(&self, position: &Position, owner: u8) -> Option<usize> {
        position.on(position.general_cell(owner))
    }

    /// Everything is resolved: springs give their mana.
    fn settle(&self, position: &mut Position) {
        if position.stage == Stage::Deal {
            position.stage = Stage::Mulligan;
        }
        if self.ends(position) {
            return;
        }
        if position.springs == 0 {
            return;
        }
        for unit in &position.units {
            if position.springs >> unit.cell & 1 == 1 {
                let side = &mut position.sides[usize::from(unit.owner)];
                let more = u8::from(side.mana < MOST_MANA);
                side.mana += more;
                side.spring_mana += more;
                side.springs += 1;
                position.springs &= !bit(unit.cell);
                position.spent |= bit(unit.cell);
            }
        }
    }

    /// A card is played or cast, and paid for.
    fn play(&self, position: &mut Position, number: u8, owner: u8, cell: u8) {
        let card = &self.cards[usize::from(number)];
        // What follows in this order is listed, and then put on the list backwards.
        let at = position.tasks.len();
        let call = |list, index: usize| {
            Task::Effect(Call { card: number, list, index: index as u8, owner, target: cell, source: cell })
        };
        match card.kind {
            Kind::Minion => {
                position.put(&self.cards, number, owner, cell);
                self.trigger(position, card, When::Played, call);
            }
            Kind::Spell => {
                if card.follow_ups.is_empty() {
                    position.tasks.push(Task::SpellCast { owner });
                }
                position.tasks.extend((0..card.effects.len()).map(|index| call(List::Effects, index)));
            }
            Kind::Artifact => {
                let side = &mut position.sides[usize::from(owner)];
                add_artifact(side, number, card.durability);
                if let Some(index) = self.general(position, owner) {
                    position.refit(&self.cards, index);
                }
            }
            Kind::General => {}
        }
        if !card.follow_ups.is_empty() {
            position.tasks.push(Task::FollowUp { card: number, number: 0, owner, cell });
        }
        position.tasks.push(Task::Deaths);
        if !card.follow_ups.is_empty() && card.kind == Kind::Spell {
            position.tasks.push(Task::SpellCast { owner });
        }
        position.tasks[at..].reverse();
    }

    /// Lists a card's abilities of one occasion.
    fn trigger(
        &self,
        position: &mut Position,
        card: &Card,
        when: When,
        call: impl Fn(List, usize) -> Task,
    ) {
        let abilities = card.abilities.iter().enumerate().filter(|(_, (each, _))| *each == when);
        position.tasks.extend(abilities.map(|(index, _)| call(List::Abilities, index)));
    }

    /// Lists the abilities of all units and artifacts of a player for one occasion, in order of arrival.
    fn trigger_all(&self, position: &mut Position, owner: u8, when: When) {
        for index in 0..position.units.len() {
            let unit = position.units[index];
            if unit.owner != owner {
                continue;
            }
            let of = |card: u8| {
                move |list, index: usize| {
                    let index = index as u8;
                    Task::Effect(Call { card, list, index, owner, target: unit.cell, source: unit.cell })
                }
            };
            let card = &self.cards[usize::from(unit.card)];
            if !unit.is_dispelled() {
                self.trigger(position, card, when, of(unit.card));
            }
            if card.kind == Kind::General {
                for (artifact, _) in position.sides[usize::from(owner)].artifacts {
                    if artifact != NONE {
                        self.trigger(position, &self.cards[usize::from(artifact)], when, of(artifact));
                    }
                }
            }
        }
    }

    /// A second choice that is about a unit, which has died.
    fn has_lost_its_unit(&self, position: &Position, card: u8, number: u8, cell: u8) -> bool {
        let effects = &self.cards[usize::from(card)].follow_ups[usize::from(number)].effects;
        let is_about_it = effects.iter().any(|effect| effect.deed == super::card::Deed::Teleport);
        is_about_it && position.on(cell).is_none()
    }

    /// The cell of a second choice.
    fn follow(&self, position: &mut Position, cell: u8) {
        let Some(Waiting { card, number, cell: source }) = position.waiting.take() else { return };
        let owner = position.mover;
        let follow_ups = &self.cards[usize::from(card)].follow_ups;
        if usize::from(number) + 1 < follow_ups.len() {
            position.tasks.push(Task::FollowUp { card, number: number + 1, owner, cell });
        }
        position.tasks.push(Task::Deaths);
        for index in (0..follow_ups[usize::from(number)].effects.len()).rev() {
            let list = List::FollowUp(number);
            position.tasks.push(Task::Effect(Call {
                card,
                list,
                index: index as u8,
                owner,
                target: cell,
                source,
            }));
        }
    }

    /// A unit attacks another, which may hit back.
    fn attack(&self, position: &mut Position, from: u8, to: u8) {
        let Some(attacker) = position.on(from) else { return };
        let hitter = position.units[attacker];
        let mut struck = Row::default();
        struck.push(to);
        if hitter.has(Keyword::Blast) {
            let others = self.blasted(position, &hitter, to);
            for unit in position.units.iter().filter(|unit| others >> unit.cell & 1 == 1) {
                struck.push(unit.cell);
            }
        }
        let mut blows: smallvec::SmallVec<[(u8, i16, i16); 8]> = smallvec::SmallVec::new();
        for cell in struck.cells() {
            let Some(index) = position.on(*cell) else { continue };
            let target = position.units[index];
            let back =
                if self.hits_back(&target, &hitter) { self.blow(position, &target, &hitter) } else { 0 };
            blows.push((*cell, self.blow(position, &hitter, &target), back));
        }
        let unit = &mut position.units[attacker];
        unit.attacks += 1;
        unit.moves = unit.moves.max(unit.attacks);
        // Artifacts that the exchange wears out act for the last time.
        let at = position.tasks.len();
        position.tasks.push(Task::Deaths);
        for (cell, blow, back) in &blows {
            if let Some(index) = position.on(*cell) {
                let target = position.units[index];
                self.has_dealt(position, &hitter, *blow);
                self.has_dealt(position, &target, *back);
            }
        }
        position.tasks[at..].reverse();
        for (cell, blow, back) in blows {
            if let Some(index) = position.on(cell) {
                self.hurt(position, index, blow);
                self.hurt(position, attacker, back);
            }
        }
        struck.push(from);
        self.sweep(position, &struck);
    }

    /// The other enemies that a blast at a cell hits: all in that direction, along a row or column.
    fn blasted(&self, position: &Position, hitter: &Unit, to: u8) -> u64 {
        let ((x, y), (u, v)) = (place(hitter.cell), place(to));
        let (dx, dy) = ((u - x).signum(), (v - y).signum());
        if dx != 0 && dy != 0 {
            return 0;
        }
        let mut line = 0;
        let (mut a, mut b) = (x + dx, y + dy);
        while let Some(cell) = super::board::at(a, b) {
            line |= bit(cell);
            (a, b) = (a + dx, b + dy);
        }
        line & position.cells_of(1 - hitter.owner) & !bit(to)
    }

    /// Whether a unit stands right behind another: player 1's look to the right, player 2's to the left.
    fn is_behind(unit: &Unit, other: &Unit) -> bool {
        let ((x, y), (u, v)) = (place(unit.cell), place(other.cell));
        y == v && if other.owner == 0 { x + 1 == u } else { x == u + 1 }
    }

    fn stabs(&self, unit: &Unit, other: &Unit) -> bool {
        self.cards[usize::from(unit.card)].backstab > 0
            && !unit.is_dispelled()
            && Self::is_behind(unit, other)
    }

    /// Whether a unit that is attacked hits back.
    fn hits_back(&self, target: &Unit, hitter: &Unit) -> bool {
        !target.has(Keyword::NoCounter)
            && target.answers() >> hitter.cell & 1 == 1
            && !self.stabs(hitter, target)
    }

    /// What one unit's attack takes from another.
    pub fn blow(&self, position: &Position, hitter: &Unit, target: &Unit) -> i16 {
        let mut blow = position.attack(&self.cards, hitter);
        if self.stabs(hitter, target) {
            blow += self.cards[usize::from(hitter.card)].backstab;
        }
        if hitter.has(Keyword::Facestrike) && target.is_general() {
            blow = blow.saturating_mul(2);
        }
        if target.has(Keyword::GeneralProof) && hitter.is_general() {
            blow = 0;
        }
        blow
    }

    /// What a General's artifacts do when it has dealt damage.
    fn has_dealt(&self, position: &mut Position, unit: &Unit, damage: i16) {
        if damage <= 0 || !unit.is_general() {
            return;
        }
        let owner = unit.owner;
        for (artifact, _) in position.sides[usize::from(owner)].artifacts {
            if artifact != NONE {
                let card = &self.cards[usize::from(artifact)];
                self.trigger(position, card, When::DealsDamage, |list, index| {
                    let index = index as u8;
                    Task::Effect(Call {
                        card: artifact,
                        list,
                        index,
                        owner,
                        target: unit.cell,
                        source: unit.cell,
                    })
                });
            }
        }
    }

    /// A unit is damaged. A General's artifacts wear.
    pub fn hurt(&self, position: &mut Position, index: usize, amount: i16) {
        if amount <= 0 {
            return;
        }
        let Some(unit) = position.units.get_mut(index) else { return };
        unit.damage = unit.damage.saturating_add(amount);
        if !unit.is_general() {
            return;
        }
        let side = &mut position.sides[usize::from(unit.owner)];
        if side.artifacts[0].0 == NONE {
            return;
        }
        let mut kept = [(NONE, 0); ARTIFACTS];
        let worn = side.artifacts().map(|(card, durability)| (card, durability - 1));
        for (place, artifact) in kept.iter_mut().zip(worn.filter(|(_, durability)| *durability > 0)) {
            *place = artifact;
        }
        side.artifacts = kept;
        position.refit(&self.cards, index);
    }

    /// Takes the dead off the board: first those on these cells, then all others.
    pub fn sweep(&self, position: &mut Position, first: &Row) {
        if position.units.iter().all(|unit| unit.health() > 0) {
            return;
        }
        for cell in first.cells() {
            if let Some(index) = position.on(*cell).filter(|index| position.units[*index].health() <= 0) {
                self.kill(position, index);
            }
        }
        while let Some(index) = position.units.iter().position(|unit| unit.health() <= 0) {
            self.kill(position, index);
        }
    }

    /// Takes a unit off the board that dies.
    pub fn kill(&self, position: &mut Position, index: usize) {
        let unit = position.remove(index);
        let Unit { card, owner, cell, .. } = unit;
        position.deaths.push(super::state::Death { card, owner, cell, is_dispelled: unit.is_dispelled() });
    }

    /// The game is over when a General has died.
    fn ends(&self, position: &mut Position) -> bool {
        if !position.is_decided() {
            return false;
        }
        let lives = |owner: u8| position.general_cell(owner) < CELLS;
        position.stage = match (lives(0), lives(1)) {
            (true, _) => Stage::Over(Some(0)),
            (_, true) => Stage::Over(Some(1)),
            _ => Stage::Over(None),
        };
        true
    }

    /// What deaths set off: those who watch, then the dying wishes.
    fn deal_with_deaths(&self, position: &mut Position) {
        if position.deaths.is_empty() {
            return;
        }
        let deaths = std::mem::take(&mut position.deaths);
        let is_decided = position.is_decided();
        let at = position.tasks.len();
        // With a General's death nobody watches any more; dying wishes are still granted.
        for death in deaths.iter().filter(|_| !is_decided) {
            for owner in [0, 1] {
                self.trigger_all(position, owner, When::MinionDies);
            }
            let owner = death.owner;
            let draws = position.sides[usize::from(owner)].draws_on_deaths;
            position.tasks.extend((0..draws).map(|_| Task::Draw { owner }));
        }
        for death in &deaths {
            let card = &self.cards[usize::from(death.card)];
            if !death.is_dispelled {
                self.trigger(position, card, When::Dies, |list, index| {
                    Task::Effect(Call {
                        card: death.card,
                        list,
                        index: index as u8,
                        owner: death.owner,
                        target: death.cell,
                        source: death.cell,
                    })
                });
            }
        }
        position.tasks.push(Task::Deaths);
        position.tasks[at..].reverse();
    }

    /// The mover's turn ends.
    fn end_turn(&self, position: &mut Position) {
        let owner = position.mover;
        let mut struck = Row::default();
        for at in 0..position.creep.len() {
            let creep = position.creep[at];
            if let Some(index) =
                position.on(creep.cell).filter(|index| position.units[*index].owner != owner)
                && creep.owner == owner
            {
                self.hurt(position, index, 1);
                struck.push(creep.cell);
            }
        }
        self.sweep(position, &struck);
        let at = position.tasks.len();
        self.trigger_all(position, owner, When::TurnEnds);
        position.tasks.extend([Task::Deaths, Task::LastDraws, Task::Pass]);
        position.tasks[at..].reverse();
        while let Some(index) =
            position.units.iter().position(|unit| unit.owner == owner && unit.has(Keyword::Ephemeral))
        {
            position.remove(index);
        }
    }

    /// One turn is over, and the other's begins.
    fn pass(&self, position: &mut Position) {
        position.tick(&self.cards, true);
        for side in &mut position.sides {
            side.mana = side.mana.saturating_sub(side.spring_mana);
            (side.spring_mana, side.springs) = (0, 0);
            (side.draws_on_deaths, side.draws_at_end) = (0, 0);
            side.has_replaced = false;
        }
        position.turn = position.turn.saturating_add(1);
        position.mover = 1 - position.mover;
        position.tick(&self.cards, false);
        for unit in &mut position.units {
            unit.refresh();
        }
        let owner = position.mover;
        let side = &mut position.sides[usize::from(owner)];
        if position.turn >= 2 && side.most_mana < MOST_MANA {
            side.most_mana += 1;
        }
        side.mana = side.most_mana;
        let at = position.tasks.len();
        self.trigger_all(position, owner, When::TurnStarts);
        position.tasks.extend([Task::Deaths, Task::Begin]);
        position.tasks[at..].reverse();
    }

    /// A lasting change of a unit.
    pub fn change(
        &self,
        position: &mut Position,
        index: usize,
        clock: super::state::Clock,
        change: Change,
    ) {
        position.modify(&self.cards, index, clock, change);
    }
}

/// A General takes up an artifact, and lays down the oldest of too many.
fn add_artifact(side: &mut Side, card: u8, durability: u8) {
    match side.artifacts.iter().position(|(other, _)| *other == NONE) {
        Some(free) => side.artifacts[free] = (card, durability),
        None => {
            side.artifacts.rotate_left(1);
            side.artifacts[ARTIFACTS - 1] = (card, durability);
        }
    }
}
