//! Numbers with their spread, and what is asked of them.

use std::fmt;

/// The middle of several measurements, with the quartiles around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl Figure {
    /// Of at least one measurement.
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self { median: at(&sorted, 2), low: at(&sorted, 1), high: at(&sorted, 3) }
    }
}

/// Between two neighbours where the place falls between them.
fn at(sorted: &[f64], quarters: usize) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let (below, rest) = (last * quarters / 4, last * quarters % 4);
    let step = sorted.get(below + 1).map_or(0.0, |above| above - sorted[below]);
    sorted[below] + step * rest as f64 / 4.0
}

/// What is asked of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    AtLeast(f64),
    AtMost(f64),
    /// At most so many, counted and not measured: there is no spread to allow for.
    Count(u64),
    /// Told, not judged.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Reached,
    /// Worse than the target, but by no more than the spread.
    WithinSpread,
    Missed,
    NotJudged,
}

impl Target {
    pub fn judge(self, figure: &Figure) -> Verdict {
        let (median, best) = match self {
            Target::AtLeast(target) => (figure.median >= target, figure.high >= target),
            Target::AtMost(target) => (figure.median <= target, figure.low <= target),
            Target::Count(most) => (figure.median <= most as f64, false),
            Target::None => return Verdict::NotJudged,
        };
        match (median, best) {
            (true, _) => Verdict::Reached,
            (false, true) => Verdict::WithinSpread,
            (false, false) => Verdict::Missed,
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

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Reached => "ok",
            Verdict::WithinSpread => "within the spread",
            Verdict::Missed => "**missed**",
            Verdict::NotJudged => "",
        }
    }
}

/// Three digits that mean something, however large the number.
pub fn significant(value: f64) -> String {
    match value.abs() {
        size if size >= 10_000.0 => format!("{} k", grouped(value / 1000.0)),
        size if size >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

fn grouped(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_not_moved_by_one_bad_round() {
        let figure = Figure::of(&[0.7, 0.1, 0.72, 0.71, 0.69]);
        assert_eq!((figure.median, figure.low, figure.high), (0.7, 0.69, 0.71));
    }

    #[test]
    fn a_target_is_missed_only_beyond_the_spread() {
        let figure = Figure { median: 0.58, low: 0.55, high: 0.61 };
        assert_eq!(Target::AtLeast(0.5).judge(&figure), Verdict::Reached);
        assert_eq!(Target::AtLeast(0.6).judge(&figure), Verdict::WithinSpread);
        assert_eq!(Target::AtLeast(0.7).judge(&figure), Verdict::Missed);
        assert_eq!(Target::AtMost(0.6).judge(&figure), Verdict::Reached);
        assert_eq!(Target::AtMost(0.56).judge(&figure), Verdict::WithinSpread);
        assert_eq!(Target::AtMost(0.5).judge(&figure), Verdict::Missed);
        assert_eq!(Target::None.judge(&figure), Verdict::NotJudged);
    }

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> = [0.0123, 0.7, 1.0, 12.34, 123.4, 12_345.0, 123_456.0].map(significant).into();
        assert_eq!(shown, ["0.012", "0.70", "1", "12.3", "123", "12.3 k", "123 k"]);
    }
}
