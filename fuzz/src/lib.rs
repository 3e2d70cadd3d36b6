//! Fuzz targets: every parser of bytes that strangers control, each with the properties that must hold for any input.
//!
//! `cargo xtask fuzz` runs them under libFuzzer, which searches for inputs that execute new code. The unit tests of this crate
//! run them on mutated seeds, without coverage, in seconds. To add a target, add it to [`TARGETS`], to `xtask/src/fuzz.rs`, and
//! to the tests.

mod input;
pub mod mutation;
mod targets;
#[cfg(test)]
mod tests;

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time for one input. All inputs are short, so a slow one was found that others could send on purpose. It is measured in
/// CPU time of the thread, so that a busy machine does not matter.
const CPU_TIME_MAX: Duration = Duration::from_secs(1);
/// An input must be slow each time: a virtual machine that is paused counts the pause as CPU time.
const ATTEMPTS: usize = 3;

/// A parser with its properties.
pub struct Target {
    pub name: &'static str,
    /// Inputs to begin with, which together contain the words of the format.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Panics if a property does not hold.
    check: fn(&[u8]),
}

impl Target {
    /// Panics if the input is a finding.
    pub fn run(&self, data: &[u8]) {
        let is_slow = (0..ATTEMPTS).all(|_| {
            let before = cpu_time();
            (self.check)(data);
            cpu_time().saturating_sub(before) > CPU_TIME_MAX
        });
        assert!(!is_slow, "{}: the input takes more than {CPU_TIME_MAX:?} of CPU time", self.name);
    }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    targets::git_protocol::PKT_LINE,
    targets::git_protocol::PUSH_COMMANDS,
    targets::git_protocol::UPLOAD_REQUEST,
    targets::git_objects::OBJECTS,
    targets::git_objects::TREES,
    targets::packs::PACKS,
    targets::diffs::DIFF,
    targets::diffs::REANCHOR,
    targets::markdown::MARKDOWN,
    targets::names::NAMES,
    targets::names::REF_NAMES,
    targets::json_web_tokens::JSON_WEB_TOKENS,
    targets::http1::HTTP1,
    targets::requests::REQUESTS,
    targets::bodies::BODIES,
    targets::state_file::STATE_FILE,
];

/// Targets with planted defects, which the fuzzer must find.
pub const CONTROLS: &[Target] = &[targets::controls::PANIC, targets::controls::SLOW, targets::controls::MEMORY];

/// The target or control with this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().chain(CONTROLS).find(|target| target.name == name)
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or_default(), time.tv_nsec.try_into().unwrap_or_default())
}
