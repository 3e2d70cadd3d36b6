//! Numbers with their spread.

/// The median of several measurements, with the quartiles.
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
        Self { median: quartile(&sorted, 2), low: quartile(&sorted, 1), high: quartile(&sorted, 3) }
    }
}

/// Interpolates between two neighbours.
fn quartile(sorted: &[f64], quarters: usize) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let (below, rest) = (last * quarters / 4, last * quarters % 4);
    let step = sorted.get(below + 1).map_or(0.0, |above| above - sorted[below]);
    sorted[below] + step * rest as f64 / 4.0
}

/// Formats a number with about three significant digits.
pub fn significant(value: f64) -> String {
    match value.abs() {
        size if size >= 100_000.0 => format!("{:.0} k", value / 1000.0),
        size if size >= 10_000.0 => format!("{:.1} k", value / 1000.0),
        size if size >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_outlier_does_not_move_the_median() {
        let figure = Figure::of(&[0.7, 0.1, 0.72, 0.71, 0.69]);
        assert_eq!((figure.median, figure.low, figure.high), (0.7, 0.69, 0.71));
    }

    #[test]
    fn numbers_are_shown_with_three_digits() {
        let shown: Vec<String> = [0.0123, 0.7, 1.0, 12.34, 123.4, 12_345.0, 123_456.0].map(significant).into();
        assert_eq!(shown, ["0.012", "0.70", "1", "12.3", "123", "12.3 k", "123 k"]);
    }
}
