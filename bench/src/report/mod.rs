//! The report: results as Markdown with a plot.

mod markdown;
mod plot;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

pub use markdown::RunInfo;

use crate::results::Results;

/// The plot, next to the report.
const PLOT: &str = "growth.svg";

/// The page in `docs/`, its plot, and the markers around its figures.
const PAGE: &str = "benchmarks.md";
const PAGE_PLOT: &str = "benchmarks-growth.svg";
const FIGURES_BEGIN: &str = "<!-- figures -->";
const FIGURES_END: &str = "<!-- end of figures -->";

/// Writes the report into a directory and returns its path.
pub fn write(results: &Results, info: &RunInfo<'_>, directory: &Path) -> Result<PathBuf> {
    let file = directory.join("report.md");
    write_file(&directory.join(PLOT), &plot::svg(&results.growths))?;
    write_file(&file, &format!("# Benchmarks\n\n{}", markdown::figures(results, info, PLOT)))?;
    Ok(file)
}

/// Replaces the figures in the documentation.
pub fn publish(results: &Results, info: &RunInfo<'_>) -> Result<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let file = directory.join(PAGE);
    let page = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let (before, rest) = page.split_once(FIGURES_BEGIN).with_context(|| format!("{PAGE} has no `{FIGURES_BEGIN}`"))?;
    let (_, after) = rest.split_once(FIGURES_END).with_context(|| format!("{PAGE} has no `{FIGURES_END}`"))?;
    let figures = markdown::figures(results, info, PAGE_PLOT);
    write_file(&directory.join(PAGE_PLOT), &plot::svg(&results.growths))?;
    write_file(&file, &format!("{before}{FIGURES_BEGIN}\n\n{}\n\n{FIGURES_END}{after}", figures.trim_end()))?;
    Ok(file)
}

fn write_file(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| file.display().to_string())
}
