//! Counts tests in the output of cargo.

use std::fmt;
use std::ops::AddAssign;

/// Numbers of tests.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl Tally {
    pub const ONE_PASSED: Self = Self { passed: 1, failed: 0, skipped: 0 };
    pub const ONE_FAILED: Self = Self { passed: 0, failed: 1, skipped: 0 };
    pub const ONE_SKIPPED: Self = Self { passed: 0, failed: 0, skipped: 1 };

    /// Adds up every `test result:` line of cargo's output.
    pub fn read(output: &str) -> Self {
        let mut sum = Self::default();
        for line in output.lines().filter_map(|line| line.strip_prefix("test result: ")) {
            sum +=
                Self { passed: count(line, "passed"), failed: count(line, "failed"), skipped: count(line, "ignored") };
        }
        sum
    }
}

/// The number before a word, as in `12 passed`.
fn count(line: &str, word: &str) -> u64 {
    let words: Vec<&str> = line.split([' ', ';', '.']).filter(|word| !word.is_empty()).collect();
    let pairs = words.windows(2).filter(|pair| pair[1] == word);
    pairs.filter_map(|pair| pair[0].parse::<u64>().ok()).next().unwrap_or(0)
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 { write!(out, ", {} skipped", self.skipped) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_summed() {
        let output = "\
running 3 tests
test a ... ok
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.01s

test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s
";
        assert_eq!(Tally::read(output), Tally { passed: 13, failed: 2, skipped: 1 });
    }

    #[test]
    fn other_lines_are_not_counted() {
        assert_eq!(
            Tally::read("5 passed; 1 failed\n  test result: ok. 5 passed\nerror: could not compile"),
            Tally::default()
        );
    }

    #[test]
    fn skipped_is_shown_unless_zero() {
        assert_eq!(Tally { passed: 2, failed: 1, skipped: 0 }.to_string(), "2 passed, 1 failed");
        assert_eq!(Tally { passed: 2, failed: 0, skipped: 3 }.to_string(), "2 passed, 0 failed, 3 skipped");
    }
}
