//! Runs the selected rows, writes the report and compares the figures with their targets.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::cli::Options;
use crate::harness::{Context, Disturbances};
use crate::report::{self, RunInfo};
use crate::results::{Check, Growth, Results, Row, Series, Target, significant};
use crate::rows::{self, RowGroup};
use crate::system::Machine;

pub fn run(options: &Options) -> Result<ExitCode> {
    let selected = select(&options.only)?;
    let context = context(options)?;
    let mut results = Results::default();
    let begun = Instant::now();
    for group in selected {
        println!("{}: {}", group.name, group.about);
        let group_begun = Instant::now();
        let measured = (group.run)(&context).with_context(|| group.name)?;
        print(&measured);
        println!("  took {:.1} s", group_begun.elapsed().as_secs_f64());
        results.extend(measured);
    }
    let info = RunInfo {
        rounds: context.rounds,
        duration: context.duration,
        machine: &context.machine.description,
        disturbances: context.disturbances.describe(),
        took: begun.elapsed(),
    };
    // Before the check: one row without a number must not take the others with it.
    println!("\nwritten to {}", report::write(&results, &info, &context.directory)?.display());
    results.check_numbers()?;
    if options.publish {
        println!("published in {}", report::publish(&results, &info)?.display());
    }
    Ok(check(&results, options))
}

/// The named rows, or all; an unknown name must not silently measure nothing.
fn select(names: &[String]) -> Result<Vec<&'static RowGroup>> {
    if let Some(name) = names.iter().find(|name| !rows::ALL.iter().any(|row| row.name == **name)) {
        bail!("no row is named `{name}`; see --list");
    }
    Ok(rows::ALL.iter().filter(|row| names.is_empty() || names.iter().any(|name| name == row.name)).collect())
}

fn context(options: &Options) -> Result<Context> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let bin = program.parent().unwrap_or(Path::new("."));
    let directory = options.directory.clone().unwrap_or_else(|| bin.join("../bench"));
    std::fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
    let (rounds, seconds) = if options.quick { (2, 0.1) } else { (7, 0.7) };
    Ok(Context {
        machine: Machine::detect(),
        plinth: options.plinth.clone().unwrap_or_else(|| bin.join("plinth")),
        directory: directory.canonicalize().with_context(|| directory.display().to_string())?,
        quick: options.quick,
        rounds: options.rounds.unwrap_or(rounds).max(1),
        duration: Duration::from_secs_f64(options.seconds.unwrap_or(seconds).clamp(0.01, 60.0)),
        disturbances: Disturbances::new(options.quick),
    })
}

fn print(results: &Results) {
    for Growth { title, unit, series } in &results.growths {
        for Series { name, points } in series {
            let points: Vec<String> =
                points.iter().map(|(size, cost)| format!("{size}: {}", significant(*cost))).collect();
            println!("  {title}, {name}, {unit}: {}", points.join(", "));
        }
    }
    for row in &results.rows {
        println!("  {}: {} {} ({})", row.what, row.shown(), row.check(), row.target);
        println!("      service {}; {}; {}", row.service, row.baseline, row.note);
    }
    for reason in &results.skipped {
        println!("  skipped: {reason}");
    }
}

/// Counts do not depend on how busy the machine is, so they are always checked.
fn check(results: &Results, options: &Options) -> ExitCode {
    let is_checked = |row: &&Row| options.check || matches!(row.target, Target::Count(_));
    let missed = results.rows.iter().filter(is_checked).filter(|row| row.check() == Check::Missed);
    let missed: Vec<&str> = missed.map(|row| row.what.as_str()).collect();
    if missed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("targets missed by more than the spread: {}", missed.join("; "));
    ExitCode::FAILURE
}
