//! Rows, latencies and growth curves.

use anyhow::{Result, bail};

use super::figure::{Figure, significant};
use super::target::{Check, Target};

/// Everything that was measured.
#[derive(Debug, Default)]
pub struct Results {
    pub rows: Vec<Row>,
    pub latencies: Vec<Latency>,
    pub growths: Vec<Growth>,
    /// What could not be measured, and why.
    pub skipped: Vec<String>,
}

/// One line of the main table.
#[derive(Debug)]
pub struct Row {
    pub what: String,
    pub service: String,
    /// What the service is compared with, and its figures.
    pub baseline: String,
    pub figure: Figure,
    pub unit: &'static str,
    pub target: Target,
    pub note: String,
}

/// The 50th, 90th, 99th and 99.9th percentile in milliseconds, timed from when each request was due.
#[derive(Debug)]
pub struct Latency {
    pub what: String,
    pub per_second: f64,
    pub percentiles: [f64; 4],
}

/// The cost of requests at growing sizes of one thing.
#[derive(Debug)]
pub struct Growth {
    pub title: &'static str,
    pub unit: &'static str,
    pub series: Vec<Series>,
}

/// One line of a plot: sizes and costs.
#[derive(Debug)]
pub struct Series {
    pub name: String,
    pub points: Vec<(u64, f64)>,
}

impl Results {
    pub fn of_rows(rows: Vec<Row>) -> Self {
        Self { rows, ..Self::default() }
    }

    pub fn extend(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.latencies.extend(other.latencies);
        self.growths.extend(other.growths);
        self.skipped.extend(other.skipped);
    }

    /// Fails if a result has no valid number: then it was not measured.
    pub fn check_numbers(&self) -> Result<()> {
        let rows = self.rows.iter().map(|row| (&row.what, vec![row.figure.median, row.figure.low, row.figure.high]));
        let series = self.growths.iter().flat_map(|growth| &growth.series);
        let points = series.map(|series| (&series.name, series.points.iter().map(|(_, cost)| *cost).collect()));
        let latencies = self.latencies.iter().map(|latency| (&latency.what, latency.percentiles.to_vec()));
        let mut all = rows.chain(points).chain(latencies).peekable();
        if all.peek().is_none() && self.skipped.is_empty() {
            bail!("nothing was measured");
        }
        let is_valid = |value: &f64| value.is_finite() && *value >= 0.0;
        match all.find(|(_, values)| values.is_empty() || !values.iter().all(is_valid)) {
            Some((what, values)) => bail!("`{what}` has no valid number: {values:?}"),
            None => Ok(()),
        }
    }
}

impl Row {
    pub fn check(&self) -> Check {
        self.target.check(&self.figure)
    }

    /// The figure with its spread.
    pub fn shown(&self) -> String {
        let Figure { median, low, high } = self.figure;
        format!("{} {} ({}–{})", significant(median), self.unit, significant(low), significant(high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(value: f64) -> Results {
        let row = Row {
            what: "GET".into(),
            service: String::new(),
            baseline: String::new(),
            figure: Figure::of(&[value]),
            unit: "×",
            target: Target::None,
            note: String::new(),
        };
        Results::of_rows(vec![row])
    }

    #[test]
    fn results_without_a_valid_number_are_rejected() {
        assert!(results(1.0).check_numbers().is_ok());
        assert!(results(f64::NAN).check_numbers().is_err_and(|error| error.to_string().contains("`GET`")));
        assert!(results(-1.0).check_numbers().is_err());
        assert!(Results::default().check_numbers().is_err());
    }
}
