//! What was found: on the terminal at once, and in a report at the end.

mod markdown;
mod plot;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Result;
use crate::bench::Bench;
use crate::figure::{Figure, Target, Verdict, significant};

/// The plot, beside the report.
const PLOT: &str = "growth.svg";

/// The page in `docs/`, the plot beside it, and what its figures stand between.
const PAGE: &str = "benchmarks.md";
const PAGE_PLOT: &str = "benchmarks-growth.svg";
const FIGURES: &str = "<!-- figures -->";
const END: &str = "<!-- end of figures -->";

/// Everything that was measured.
#[derive(Default)]
pub struct Report {
    pub rows: Vec<Row>,
    pub latencies: Vec<Latency>,
    pub growths: Vec<Growth>,
    /// What could not be measured, and why.
    pub skipped: Vec<String>,
}

/// One line of the main table.
pub struct Row {
    pub what: String,
    pub service: String,
    pub beside: String,
    pub figure: Figure,
    pub unit: &'static str,
    pub target: Target,
    pub remark: String,
}

/// Milliseconds that 50, 90, 99 and 99.9 of a hundred requests stayed below, timed from when they were due.
pub struct Latency {
    pub what: String,
    pub per_second: f64,
    pub percentiles: [f64; 4],
}

/// What requests cost at growing sizes of one thing.
pub struct Growth {
    pub title: &'static str,
    pub unit: &'static str,
    pub series: Vec<Series>,
}

/// One line of a plot: sizes and costs.
pub struct Series {
    pub name: String,
    pub points: Vec<(u64, f64)>,
}

impl Report {
    pub fn grown(&mut self, growth: Growth) {
        for Series { name, points } in &growth.series {
            let shown: Vec<String> =
                points.iter().map(|(size, cost)| format!("{size}: {}", significant(*cost))).collect();
            println!("  {}, {name}, {}: {}", growth.title, growth.unit, shown.join(", "));
        }
        self.growths.push(growth);
    }

    pub fn add(&mut self, row: Row) {
        println!("  {}: {} {} ({})", row.what, row.shown(), row.verdict().word(), row.target);
        println!("      service {}; {}; {}", row.service, row.beside, row.remark);
        self.rows.push(row);
    }

    /// A row that has no number was not measured, whatever else happened.
    pub fn check_numbers(&self) -> Result<()> {
        let rows = self.rows.iter().map(|row| (&row.what, vec![row.figure.median, row.figure.low, row.figure.high]));
        let series = self.growths.iter().flat_map(|growth| &growth.series);
        let points = series.map(|series| (&series.name, series.points.iter().map(|(_, cost)| *cost).collect()));
        let latencies = self.latencies.iter().map(|latency| (&latency.what, latency.percentiles.to_vec()));
        let mut all = rows.chain(points).chain(latencies).peekable();
        if all.peek().is_none() && self.skipped.is_empty() {
            return Err("nothing was measured".into());
        }
        let is_number = |value: &f64| value.is_finite() && *value >= 0.0;
        match all.find(|(_, values)| values.is_empty() || !values.iter().all(is_number)) {
            Some((what, values)) => Err(format!("`{what}` has no number: {values:?}")),
            None => Ok(()),
        }
    }

    /// Writes the report into the bench's folder.
    pub fn write(&self, bench: &Bench, took: Duration) -> Result<PathBuf> {
        let file = bench.folder.join("report.md");
        write(&bench.folder.join(PLOT), &plot::svg(&self.growths))?;
        write(&file, &format!("# Benchmarks\n\n{}", markdown::figures(self, bench, took, PLOT)))?;
        Ok(file)
    }

    /// Puts the figures of this run into the page that people read.
    pub fn publish(&self, bench: &Bench, took: Duration) -> Result<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let file = folder.join(PAGE);
        let page = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let (before, _) = page.split_once(FIGURES).ok_or(format!("{PAGE} has no line `{FIGURES}`"))?;
        let (_, after) = page.split_once(END).ok_or(format!("{PAGE} has no line `{END}`"))?;
        let figures = markdown::figures(self, bench, took, PAGE_PLOT);
        write(&folder.join(PAGE_PLOT), &plot::svg(&self.growths))?;
        write(&file, &format!("{before}{FIGURES}\n\n{}\n{END}{after}", figures.trim_end().to_owned() + "\n"))?;
        Ok(file)
    }
}

fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

impl Row {
    pub fn verdict(&self) -> Verdict {
        self.target.judge(&self.figure)
    }

    /// The figure with its spread.
    pub fn shown(&self) -> String {
        let Figure { median, low, high } = self.figure;
        format!("{} {} ({}–{})", significant(median), self.unit, significant(low), significant(high))
    }
}
