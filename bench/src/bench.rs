//! The run: its sizes, its folders, its rows one after another.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::Result;
use crate::arguments::Options;
use crate::figure::{Target, Verdict};
use crate::machine::Machine;
use crate::report::{Report, Row};
use crate::rows;

/// What every row works with.
pub struct Bench {
    pub machine: Machine,
    pub plinth: PathBuf,
    pub folder: PathBuf,
    pub quick: bool,
    pub rounds: usize,
    /// Of one server in one round.
    pub duration: Duration,
}

pub fn run(options: Options) -> Result<ExitCode> {
    rows::check_names(&options.only)?;
    let bench = Bench::new(&options)?;
    let mut report = Report::default();
    let begun = Instant::now();
    for row in
        rows::ALL.iter().filter(|row| options.only.is_empty() || options.only.iter().any(|name| name == row.name))
    {
        let row_begun = Instant::now();
        println!("{}: {}", row.name, row.about);
        (row.run)(&bench, &mut report).map_err(|error| format!("{}: {error}", row.name))?;
        println!("  took {:.1} s", row_begun.elapsed().as_secs_f64());
    }
    report.check_numbers()?;
    let took = begun.elapsed();
    println!("\nwritten to {}", report.write(&bench, took)?.display());
    if options.publish {
        println!("published in {}", report.publish(&bench, took)?.display());
    }
    // What is counted is no different on a busy machine, and is judged always.
    let is_judged = |row: &&Row| options.check || matches!(row.target, Target::Count(_));
    let missed = report.rows.iter().filter(is_judged).filter(|row| row.verdict() == Verdict::Missed);
    let missed: Vec<&str> = missed.map(|row| row.what.as_str()).collect();
    if !missed.is_empty() {
        println!("targets missed by more than the spread: {}", missed.join("; "));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

impl Bench {
    fn new(options: &Options) -> Result<Self> {
        let here = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
        let beside = here.parent().unwrap_or(Path::new("."));
        let folder = options.folder.clone().unwrap_or_else(|| beside.join("../bench"));
        std::fs::create_dir_all(folder.join("log")).map_err(|error| format!("{}: {error}", folder.display()))?;
        let (rounds, seconds) = if options.quick { (2, 0.1) } else { (7, 0.7) };
        Ok(Self {
            machine: Machine::look(),
            plinth: options.plinth.clone().unwrap_or_else(|| beside.join("plinth")),
            folder: folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?,
            quick: options.quick,
            rounds: options.rounds.unwrap_or(rounds).max(1),
            duration: Duration::from_secs_f64(options.seconds.unwrap_or(seconds).clamp(0.01, 60.0)),
        })
    }

    /// One of two sizes: that of a smoke test, or the one that the row is about.
    pub fn size<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// Where a server's complaints go.
    pub fn log(&self, name: &str) -> PathBuf {
        self.folder.join("log").join(format!("{name}.log"))
    }

    /// An empty folder for one row.
    pub fn scratch(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join("work").join(name);
        let made = || {
            if folder.exists() {
                std::fs::remove_dir_all(&folder)?;
            }
            std::fs::create_dir_all(&folder)
        };
        made().map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    }
}
