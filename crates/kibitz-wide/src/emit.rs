//! Instructions as bytes, and memory that can be executed.

use memmap2::{Mmap, MmapMut};

use crate::registers::Allocator;
use crate::{Op, Word};

/// One of the sixteen registers of 256 bits.
pub(crate) type Register = u8;

/// The second operand of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    /// In a register.
    Register(Register),
    /// In a slot in memory.
    Slot(u32),
}

/// Bitwise instructions, by their opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bitwise {
    And = 0xDB,
    /// The first operand is the inverted one.
    AndNot = 0xDF,
    Or = 0xEB,
    Xor = 0xEF,
}

const MOVE: u8 = 0x6F;
const STORE: u8 = 0x7F;
const SET_IF_EQUAL: u8 = 0x76;

/// Writes instructions. The address of slot 0 is in the register of a function's first argument.
#[derive(Default)]
pub(crate) struct Assembler {
    bytes: Vec<u8>,
}

impl Assembler {
    /// Where the next instruction goes.
    pub fn here(&self) -> usize {
        self.bytes.len()
    }

    /// `to = first op second`.
    pub fn bitwise(&mut self, code: Bitwise, to: Register, first: Register, second: Operand) {
        self.instruction(code as u8, to, first, second);
    }

    /// Copies one register to another.
    pub fn copy(&mut self, to: Register, from: Register) {
        self.instruction(MOVE, to, 0, Operand::Register(from));
    }

    /// From a slot to a register.
    pub fn load(&mut self, to: Register, slot: u32) {
        self.instruction(MOVE, to, 0, Operand::Slot(slot));
    }

    /// From a register to a slot.
    pub fn store(&mut self, slot: u32, from: Register) {
        self.instruction(STORE, from, 0, Operand::Slot(slot));
    }

    /// Clears all bits.
    pub fn zero(&mut self, register: Register) {
        self.bitwise(Bitwise::Xor, register, register, Operand::Register(register));
    }

    /// Sets all bits.
    pub fn ones(&mut self, register: Register) {
        self.instruction(SET_IF_EQUAL, register, register, Operand::Register(register));
    }

    /// Clears a register and goes back to `target` if any bit in it was set.
    pub fn repeat_if_any(&mut self, register: Register, target: usize) {
        // vptest register, register; vpxor leaves the flags alone; jnz target
        let high = u8::from(register >= 8);
        let both = (1 - high) << 7 | 1 << 6 | (1 - high) << 5;
        self.bytes.extend([
            0xC4,
            both | 0b10,
            0b0111_1101,
            0x17,
            0xC0 | (register & 7) << 3 | register & 7,
        ]);
        self.zero(register);
        self.bytes.extend([0x0F, 0x85]);
        let distance = target as i64 - (self.here() as i64 + 4);
        self.bytes.extend((distance as i32).to_le_bytes());
    }

    /// The end of the function.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.extend([0xC5, 0xF8, 0x77, 0xC3]); // vzeroupper; ret
        self.bytes
    }

    /// A 256-bit instruction in its VEX form: with two bytes of prefix where they can say all.
    fn instruction(&mut self, opcode: u8, register: Register, first: Register, second: Operand) {
        // The prefix holds the fourth bits of the registers, and `first`, all inverted.
        let rest = (!first & 15) << 3 | 0b101; // 256 bits, the group of 0x66
        let reach = |low: Register| u8::from(low < 8);
        match second {
            Operand::Register(low @ 8..) => {
                self.bytes.extend([
                    0xC4,
                    reach(register) << 7 | 1 << 6 | reach(low) << 5 | 1,
                    rest,
                    opcode,
                ]);
            }
            _ => self.bytes.extend([0xC5, reach(register) << 7 | rest, opcode]),
        }
        match second {
            Operand::Register(low) => self.bytes.push(0xC0 | (register & 7) << 3 | low & 7),
            Operand::Slot(slot) => {
                let offset = slot * size_of::<Word>() as u32;
                match u8::try_from(offset) {
                    Ok(near @ ..=127) => self.bytes.extend([0x47 | (register & 7) << 3, near]),
                    _ => {
                        self.bytes.push(0x87 | (register & 7) << 3);
                        self.bytes.extend(offset.to_le_bytes());
                    }
                }
            }
        }
    }
}

/// A program's instructions, in memory that can be executed but no longer written.
pub(crate) struct MachineCode {
    code: Mmap,
}

impl MachineCode {
    /// Translates operations; nothing if the system does not allow it.
    pub fn of(ops: &[Op], slots: usize, kept: &[bool]) -> Option<MachineCode> {
        // Offsets and jumps have 31 bits.
        let largest = i32::MAX as usize / size_of::<Word>();
        if slots.max(ops.len()) >= largest {
            return None;
        }
        let bytes = Allocator::new(slots, kept).translate(ops);
        let mut memory = MmapMut::map_anon(bytes.len()).ok()?;
        memory.copy_from_slice(&bytes);
        Some(MachineCode { code: memory.make_exec().ok()? })
    }

    /// Runs the instructions.
    ///
    /// # Safety
    /// `memory` points to as many slots as the operations were translated for, nobody else uses them
    /// meanwhile, and the processor has AVX2.
    #[inline]
    pub unsafe fn run(&self, memory: *mut Word) {
        // SAFETY: the bytes are a function of this type, written by `Allocator::translate`.
        let function: unsafe extern "sysv64" fn(*mut Word) =
            unsafe { std::mem::transmute(self.code.as_ptr()) };
        // SAFETY: the caller's promise.
        unsafe { function(memory) }
    }
}
