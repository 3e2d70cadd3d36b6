//! Measurements that other users of the machine have disturbed are made again.

use std::cell::Cell;

use anyhow::Result;

use crate::system::ProcessorTime;

/// More of the processors' time than this, in the hands of others, is a disturbance.
const STOLEN_MAX: f64 = 0.05;
/// Of one run. On a machine that is never quiet, a run must end, too.
const REPEATS_MAX: u32 = 300;
/// After so many disturbed measurements in a row, the machine is taken for busy: nothing is repeated until it is quiet again.
const IN_A_ROW_MAX: u32 = 8;

/// The disturbances of a run.
pub struct Disturbances {
    begun: ProcessorTime,
    repeats_left: Cell<u32>,
    repeated: Cell<u32>,
    disturbed: Cell<u32>,
    /// How many of the last measurements were disturbed.
    in_a_row: Cell<u32>,
}

impl Disturbances {
    /// Smoke tests repeat nothing: their figures mean nothing.
    pub fn new(quick: bool) -> Self {
        let repeats_left = Cell::new(if quick { 0 } else { REPEATS_MAX });
        let [repeated, disturbed, in_a_row] = [Cell::new(0), Cell::new(0), Cell::new(0)];
        Self { begun: ProcessorTime::now(), repeats_left, repeated, disturbed, in_a_row }
    }

    /// Measures, and again while others disturb it, unless they do so all the time.
    pub fn measure<T>(&self, mut measure: impl FnMut() -> Result<T>) -> Result<T> {
        loop {
            let before = ProcessorTime::now();
            let measured = measure()?;
            if ProcessorTime::now().stolen_since(before) <= STOLEN_MAX {
                self.in_a_row.set(0);
                return Ok(measured);
            }
            self.in_a_row.set(self.in_a_row.get() + 1);
            if self.in_a_row.get() > IN_A_ROW_MAX || self.repeats_left.get() == 0 {
                self.disturbed.set(self.disturbed.get() + 1);
                return Ok(measured);
            }
            self.repeats_left.set(self.repeats_left.get() - 1);
            self.repeated.set(self.repeated.get() + 1);
        }
    }

    /// A line for the report.
    pub fn describe(&self) -> String {
        let share = ProcessorTime::now().stolen_since(self.begun) * 100.0;
        let (repeated, disturbed, limit) = (self.repeated.get(), self.disturbed.get(), STOLEN_MAX * 100.0);
        format!(
            "other users of the machine had {share:.0} % of its processors' time; {repeated} measurements in which they had more than \
             {limit:.0} % were repeated, and {disturbed} count nevertheless"
        )
    }
}
