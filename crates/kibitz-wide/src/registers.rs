//! From operations on slots to instructions on registers.
//!
//! A value stays in its register until another needs the place; then the one that is used again
//! latest gives way (Belady 1966). Values go to memory only if they are still needed when they lose
//! their register. At the bounds of loops all registers are emptied.

use crate::emit::{Assembler, Bitwise, Operand, Register};
use crate::{Code, Op};

/// When a value is read next: an operation's number, or one of the following.
type Use = u32;
/// Only after the block.
const LATER: Use = u32::MAX - 1;
/// Not at all.
const NEVER: Use = u32::MAX;

/// All bits set, where that is needed.
const ONES: Register = 15;
/// What has changed in a loop, where there are loops.
const CHANGED: Register = 14;
const NOWHERE: Register = 255;

/// What a register holds.
#[derive(Clone, Copy)]
struct Held {
    slot: u32,
    next: Use,
    /// Memory does not have it yet.
    dirty: bool,
}

/// When the operands and the result of an operation are read next.
#[derive(Clone, Copy, Default)]
struct Uses {
    a: Use,
    b: Use,
    out: Use,
}

pub(crate) struct Allocator<'a> {
    kept: &'a [bool],
    assembler: Assembler,
    registers: Vec<Option<Held>>,
    /// By slot: the register that holds its value.
    home: Vec<Register>,
    uses: Vec<Uses>,
    upcoming: Vec<Use>,
}

impl<'a> Allocator<'a> {
    pub fn new(slots: usize, kept: &'a [bool]) -> Allocator<'a> {
        Allocator {
            kept,
            assembler: Assembler::default(),
            registers: Vec::new(),
            home: vec![NOWHERE; slots],
            uses: Vec::new(),
            upcoming: vec![NEVER; slots],
        }
    }

    /// The instructions, as bytes.
    pub fn translate(mut self, ops: &[Op]) -> Vec<u8> {
        let has = |codes: &[Code]| ops.iter().any(|op| codes.contains(&op.code));
        let mut free = 16;
        if has(&[Code::Not, Code::JoinNot]) {
            self.assembler.ones(ONES);
            free = ONES;
        }
        if has(&[Code::Repeat]) {
            self.assembler.zero(CHANGED);
            free = CHANGED;
        }
        self.registers = vec![None; free as usize];
        self.uses = vec![Uses::default(); ops.len()];
        let mut bounds: Vec<usize> = vec![0, ops.len()];
        for (number, op) in ops.iter().enumerate().filter(|(_, op)| op.code == Code::Repeat) {
            bounds.extend([op.a as usize, number, number + 1]);
        }
        bounds.sort_unstable();
        bounds.dedup();
        let mut starts = vec![0; ops.len() + 1]; // by operation: where its instructions begin
        for block in bounds.windows(2) {
            self.find_uses(ops, block[0], block[1]);
            for number in block[0]..block[1] {
                starts[number] = self.assembler.here();
                match ops[number].code {
                    Code::Repeat => {
                        self.assembler.repeat_if_any(CHANGED, starts[ops[number].a as usize]);
                    }
                    _ => self.operation(number as u32, ops[number]),
                }
            }
            self.flush();
        }
        self.assembler.finish()
    }

    /// Finds out when each value of a block is read next.
    fn find_uses(&mut self, ops: &[Op], begin: usize, end: usize) {
        let is_last = end == ops.len();
        // Only of the block's own slots: there may be many blocks, and many more slots.
        let own = ops[begin..end].iter().filter(|op| op.code != Code::Repeat);
        for slot in own.flat_map(|op| [op.a, op.b, op.out]).map(|slot| slot as usize) {
            let needed = !is_last || self.kept.get(slot).copied().unwrap_or(false);
            self.upcoming[slot] = if needed { LATER } else { NEVER };
        }
        for number in (begin..end).rev() {
            let Op { code, a, b, out } = ops[number];
            if code == Code::Repeat {
                continue;
            }
            let (a, b, out) = (a as usize, b as usize, out as usize);
            let uses = &mut self.uses[number];
            uses.out = std::mem::replace(&mut self.upcoming[out], NEVER);
            (uses.a, uses.b) = (self.upcoming[a], self.upcoming[b]);
            for slot in ops[number].reads() {
                self.upcoming[slot as usize] = number as Use;
            }
        }
    }

    fn operation(&mut self, number: u32, Op { code, a, b, out }: Op) {
        let uses = self.uses[number as usize];
        if uses.out == NEVER {
            return self.forget_unless_needed([(a, uses.a), (b, uses.b)]);
        }
        let (bitwise, first, second) = match code {
            Code::And => (Bitwise::And, (a, uses.a), (b, uses.b)),
            Code::Or => (Bitwise::Or, (a, uses.a), (b, uses.b)),
            Code::Xor => (Bitwise::Xor, (a, uses.a), (b, uses.b)),
            Code::AndNot => (Bitwise::AndNot, (b, uses.b), (a, uses.a)),
            Code::Copy | Code::Not | Code::Zero => return self.unary(code, (a, uses.a), (out, uses.out)),
            Code::Join | Code::JoinNot => return self.join(code, (a, uses.a), (out, uses.out)),
            Code::Repeat => return,
        };
        // Of two operands that may change places, the one in a register comes first.
        let swap = !matches!(bitwise, Bitwise::AndNot)
            && self.home[first.0 as usize] == NOWHERE
            && self.home[second.0 as usize] != NOWHERE;
        let (first, second) = if swap { (second, first) } else { (first, second) };
        let left = self.fetch(first.0, first.1, NOWHERE);
        let right = self.operand(second.0, second.1, left);
        self.forget_unless_needed([first, second]);
        let busy = match right {
            Operand::Register(register) => [left, register],
            Operand::Slot(_) => [left, NOWHERE],
        };
        let to = self.place(out, uses.out, busy);
        self.assembler.bitwise(bitwise, to, left, right);
    }

    fn unary(&mut self, code: Code, (a, next): (u32, Use), (out, next_out): (u32, Use)) {
        if code == Code::Zero {
            let to = self.place(out, next_out, [NOWHERE; 2]);
            return self.assembler.zero(to);
        }
        let from = self.fetch(a, next, NOWHERE);
        self.forget_unless_needed([(a, next); 2]);
        let to = self.place(out, next_out, [from, NOWHERE]);
        if code == Code::Not {
            self.assembler.bitwise(Bitwise::Xor, to, from, Operand::Register(ONES));
        } else if to != from {
            self.assembler.copy(to, from);
        }
    }

    fn join(&mut self, code: Code, (a, next): (u32, Use), (out, next_out): (u32, Use)) {
        let old = self.fetch(out, next_out, NOWHERE);
        let mut more = self.fetch(a, next, old);
        let scratch = self.make_room([old, more]);
        if code == Code::JoinNot {
            self.assembler.bitwise(Bitwise::Xor, scratch, more, Operand::Register(ONES));
            more = scratch;
        }
        // scratch = what is new; old |= scratch
        self.assembler.bitwise(Bitwise::AndNot, scratch, old, Operand::Register(more));
        self.assembler.bitwise(Bitwise::Or, CHANGED, CHANGED, Operand::Register(scratch));
        self.assembler.bitwise(Bitwise::Or, old, old, Operand::Register(scratch));
        self.forget_unless_needed([(a, next); 2]);
        self.hold(old, Held { slot: out, next: next_out, dirty: true });
    }

    /// A register with the slot's value.
    fn fetch(&mut self, slot: u32, next: Use, busy: Register) -> Register {
        let home = self.home[slot as usize];
        if home != NOWHERE {
            return home;
        }
        let register = self.make_room([busy, NOWHERE]);
        self.assembler.load(register, slot);
        self.hold(register, Held { slot, next, dirty: false });
        register
    }

    /// The slot's value, from memory if a register would soon be taken from it again.
    fn operand(&mut self, slot: u32, next: Use, busy: Register) -> Operand {
        let home = self.home[slot as usize];
        if home != NOWHERE {
            return Operand::Register(home);
        }
        let latest = self.registers.iter().map(|held| held.map_or(LATER, |held| held.next)).max();
        if next >= latest.unwrap_or(0) {
            return Operand::Slot(slot);
        }
        Operand::Register(self.fetch(slot, next, busy))
    }

    /// A register for a new value of a slot.
    fn place(&mut self, slot: u32, next: Use, busy: [Register; 2]) -> Register {
        self.drop_value(slot);
        // A register that has just become free may be the operand's own: the instruction reads first.
        let free = self.registers.iter().position(Option::is_none);
        let register = free.map_or_else(|| self.make_room(busy), |register| register as Register);
        self.hold(register, Held { slot, next, dirty: true });
        register
    }

    fn hold(&mut self, register: Register, held: Held) {
        self.home[held.slot as usize] = register;
        self.registers[register as usize] = Some(held);
    }

    /// A register that is free, if need be by sending a value to memory.
    fn make_room(&mut self, busy: [Register; 2]) -> Register {
        if let Some(free) = self.registers.iter().position(Option::is_none) {
            return free as Register;
        }
        let candidates = self.registers.iter().enumerate().filter_map(|(register, held)| {
            let held = (*held)?;
            let register = register as Register;
            (!busy.contains(&register)).then_some((held.next, !held.dirty, register))
        });
        let register = candidates.max().map_or(0, |(_, _, register)| register);
        self.empty(register);
        register
    }

    /// Sends a register's value to memory, if memory does not have it.
    fn empty(&mut self, register: Register) {
        if let Some(held) = self.registers[register as usize].take() {
            self.home[held.slot as usize] = NOWHERE;
            if held.dirty && held.next != NEVER {
                self.assembler.store(held.slot, register);
            }
        }
    }

    fn drop_value(&mut self, slot: u32) {
        let home = std::mem::replace(&mut self.home[slot as usize], NOWHERE);
        if home != NOWHERE {
            self.registers[home as usize] = None;
        }
    }

    /// After operands have been read: their next use counts now.
    fn forget_unless_needed(&mut self, operands: [(u32, Use); 2]) {
        for (slot, next) in operands {
            let home = self.home[slot as usize];
            if home == NOWHERE {
                continue;
            }
            if next == NEVER {
                self.drop_value(slot);
            } else if let Some(held) = &mut self.registers[home as usize] {
                held.next = next;
            }
        }
    }

    fn flush(&mut self) {
        for register in 0..self.registers.len() {
            self.empty(register as Register);
        }
    }
}
