//! Targets, and checking a figure against its target.

use std::fmt;

use super::figure::{Figure, significant};

/// What a figure should reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    AtLeast(f64),
    AtMost(f64),
    /// At most this many, counted exactly: there is no spread to allow for.
    Count(u64),
    /// Reported, not checked.
    None,
}

/// The result of checking a figure against its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    Passed,
    /// Worse than the target, but by no more than the spread.
    WithinSpread,
    Missed,
    NotChecked,
}

impl Target {
    pub fn check(self, figure: &Figure) -> Check {
        let (median, best) = match self {
            Target::AtLeast(target) => (figure.median >= target, figure.high >= target),
            Target::AtMost(target) => (figure.median <= target, figure.low <= target),
            Target::Count(most) => (figure.median <= most as f64, false),
            Target::None => return Check::NotChecked,
        };
        match (median, best) {
            (true, _) => Check::Passed,
            (false, true) => Check::WithinSpread,
            (false, false) => Check::Missed,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::AtLeast(target) => write!(out, "≥ {}", significant(*target)),
            Target::AtMost(target) => write!(out, "≤ {}", significant(*target)),
            Target::Count(most) => write!(out, "≤ {most}"),
            Target::None => write!(out, "–"),
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Check::Passed => "ok",
            Check::WithinSpread => "within the spread",
            Check::Missed => "**missed**",
            Check::NotChecked => "",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_is_missed_only_beyond_the_spread() {
        let figure = Figure { median: 0.58, low: 0.55, high: 0.61 };
        assert_eq!(Target::AtLeast(0.5).check(&figure), Check::Passed);
        assert_eq!(Target::AtLeast(0.6).check(&figure), Check::WithinSpread);
        assert_eq!(Target::AtLeast(0.7).check(&figure), Check::Missed);
        assert_eq!(Target::AtMost(0.6).check(&figure), Check::Passed);
        assert_eq!(Target::AtMost(0.56).check(&figure), Check::WithinSpread);
        assert_eq!(Target::AtMost(0.5).check(&figure), Check::Missed);
        assert_eq!(Target::None.check(&figure), Check::NotChecked);
    }

    #[test]
    fn count_above_its_target_is_missed() {
        let figure = Figure { median: 3.0, low: 2.0, high: 3.0 };
        assert_eq!(Target::Count(3).check(&figure), Check::Passed);
        assert_eq!(Target::Count(2).check(&figure), Check::Missed);
    }
}
