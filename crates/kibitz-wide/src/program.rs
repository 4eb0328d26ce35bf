//! A list of operations, ready to run.

use crate::op::{Op, interpret};
use crate::{Code, Word, with_wide_instructions};

/// A list of operations on numbered slots, ready to run.
pub struct Program {
    ops: Vec<Op>,
    slots: usize,
    #[cfg(target_arch = "x86_64")]
    machine_code: Option<crate::emit::MachineCode>,
}

impl Program {
    /// A program on `slots` slots. What it leaves in those that are not kept is of no interest.
    ///
    /// # Panics
    /// If an operation names a slot that is not there, or a loop goes back to what comes later.
    pub fn new(ops: &[Op], slots: usize, kept: &[bool]) -> Program {
        let mut program = Program::interpreted(ops, slots);
        program.translate(kept);
        program
    }

    /// A program that is never translated to machine code.
    ///
    /// # Panics
    /// As [`Program::new`].
    pub fn interpreted(ops: &[Op], slots: usize) -> Program {
        for (number, op) in ops.iter().enumerate() {
            let fits = match op.code {
                Code::Repeat => op.a as usize <= number,
                _ => [op.a, op.b, op.out].iter().all(|slot| (*slot as usize) < slots),
            };
            assert!(fits, "operation {number} of {}: {op:?}", ops.len());
        }
        Program {
            ops: ops.to_vec(),
            slots,
            #[cfg(target_arch = "x86_64")]
            machine_code: None,
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn translate(&mut self, kept: &[bool]) {
        // Whoever suspects the machine code can do without it.
        let wanted = std::env::var_os("KIBITZ_INTERPRET").is_none();
        if wanted && crate::has_wide_instructions() {
            self.machine_code = crate::emit::MachineCode::of(&self.ops, self.slots, kept);
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn translate(&mut self, _: &[bool]) {}

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Whether it runs as machine code.
    pub fn is_machine_code(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.machine_code.is_some();
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Carries out the operations.
    ///
    /// # Panics
    /// If there are fewer slots in `memory` than the program has.
    #[inline]
    pub fn run(&self, memory: &mut [Word]) {
        let memory = &mut memory[..self.slots];
        #[cfg(target_arch = "x86_64")]
        if let Some(code) = &self.machine_code {
            // SAFETY: the code touches the first `slots` slots only: `new` has checked every
            // operation, and `memory` has so many. The processor has AVX2, or there were no code.
            return unsafe { code.run(memory.as_mut_ptr()) };
        }
        with_wide_instructions(
            #[inline(always)]
            || interpret(&self.ops, memory),
        );
    }
}
