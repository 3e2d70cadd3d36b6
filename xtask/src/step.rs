//! A step: one check, with what it needs and how it runs.

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::arguments::Faults;
use crate::outcome::Outcome;
use crate::postgres::{Cluster, Source};
use crate::process;
use crate::reaper::Reaper;
use crate::tally::Tally;
use crate::workspace::cargo;

pub struct Step {
    pub name: &'static str,
    pub about: &'static str,
    pub needs: &'static [Need],
    /// Generous: it ends a hang and does not measure.
    pub limit: Duration,
    pub run: fn(&Context) -> Outcome,
}

/// What a step needs. Steps without a conflict run concurrently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The lock of cargo's target directory: one step at a time.
    Cargo,
    /// Another step, listed before, must have passed.
    Step(&'static str),
    /// Every step listed before must have ended, whatever its outcome.
    Earlier,
}

/// What a step works with.
pub struct Context {
    pub reaper: Arc<Reaper>,
    /// The step's output, shown if it fails.
    pub log: PathBuf,
    pub deadline: Instant,
    /// Set by the step `postgres`.
    pub postgres: Arc<OnceLock<Cluster>>,
    pub postgres_from: Option<Source>,
    pub faults: Faults,
    pub fuzz_seconds: u64,
}

impl Step {
    pub fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    pub fn needed_steps(&self) -> impl Iterator<Item = &'static str> {
        self.needs.iter().filter_map(|need| match need {
            Need::Cargo | Need::Earlier => None,
            Need::Step(name) => Some(*name),
        })
    }
}

impl Context {
    /// Runs a command that must succeed.
    pub fn succeed(&self, command: &mut Command) -> Result<(), String> {
        process::succeed(&self.reaper, command, &self.log, self.deadline)
    }

    /// The outcome is the command's exit code.
    pub fn run_command(&self, command: &mut Command) -> Outcome {
        match process::run(&self.reaper, command, &self.log, self.deadline) {
            Ok(status) if status.success() => Outcome::passed(),
            Ok(status) => Outcome::failed(status.to_string()),
            Err(reason) => Outcome::failed(reason),
        }
    }

    /// The outcome is that of the tests that the command runs, counted. It fails if there are none, so that a filter
    /// cannot silently match nothing.
    pub fn run_tests(&self, command: &mut Command) -> Outcome {
        let outcome = self.run_command(command);
        let output = std::fs::read(&self.log).unwrap_or_default();
        with_tally(outcome, Tally::read(&String::from_utf8_lossy(&output)))
    }
}

fn with_tally(outcome: Outcome, tally: Tally) -> Outcome {
    match outcome {
        Outcome::Passed { .. } if tally.passed == 0 => Outcome::failed("no test ran"),
        Outcome::Passed { detail, .. } => Outcome::Passed { tally, detail },
        // No test failed: the build failed, or the run was stopped.
        Outcome::Failed { reason, .. } if tally.failed == 0 => {
            Outcome::Failed { tally: Tally { failed: 1, ..tally }, reason }
        }
        Outcome::Failed { reason, .. } => Outcome::Failed { tally, reason },
        Outcome::Skipped { reason } => Outcome::Skipped { reason },
    }
}

pub const fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}

/// All packages but the clients, which would add features to the crates that the service shares with them.
pub const WITHOUT_CLIENTS: [&str; 7] = [
    "--workspace",
    "--exclude",
    "client-octocrab",
    "--exclude",
    "plinth-example-rust",
    "--exclude",
    "plinth-test-tutorials",
];

pub fn cargo_test(arguments: &[&str]) -> Command {
    let mut command = cargo(&["test", "--locked", "--no-fail-fast"]);
    command.args(arguments);
    command
}

/// A developer's own setting must not turn a run on SQLite into one on PostgreSQL.
pub fn without_postgres(command: &mut Command) -> &mut Command {
    command.env_remove("PLINTH_TEST_POSTGRES").env_remove("PLINTH_TEST_POSTGRES_BIN")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Tally = Tally { passed: 4, failed: 0, skipped: 1 };

    #[test]
    fn run_without_tests_fails() {
        assert!(matches!(with_tally(Outcome::passed(), Tally::default()), Outcome::Failed { .. }));
        assert_eq!(with_tally(Outcome::passed(), SOME).tally(), SOME);
    }

    #[test]
    fn broken_build_counts_as_one_failure() {
        assert_eq!(with_tally(Outcome::failed("exit status: 101"), SOME).tally(), Tally { failed: 1, ..SOME });
        let two = Tally { failed: 2, ..SOME };
        assert_eq!(with_tally(Outcome::failed("exit status: 101"), two).tally(), two);
    }
}
