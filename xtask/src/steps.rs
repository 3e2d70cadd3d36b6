//! What is checked: the quick round and the whole. A new check is a new `Step` here.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub use crate::outcome::Outcome;
use crate::postgres::Cluster;
use crate::process;
use crate::runner::Context;
use crate::tally::Tally;
use crate::workspace::{answers, cargo, target};
use crate::{bench, browser, clients, durability, faults, python};

/// One check.
pub struct Step {
    pub name: &'static str,
    pub about: &'static str,
    pub needs: &'static [Need],
    /// Generous: it is there to end a hang, not to measure.
    pub limit: Duration,
    pub run: fn(&Context) -> Outcome,
}

/// What a step cannot share or do without. Steps whose needs do not meet run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The lock on cargo's build folder: one step at a time.
    Cargo,
    /// Another step, listed earlier, that must have passed.
    Step(&'static str),
    /// Every step listed earlier must have come to its end, whatever it was.
    Earlier,
}

/// Before a commit: what finds most mistakes in little time.
pub fn quick() -> Vec<Step> {
    vec![FORMAT, CLIPPY, DOCS, ARCHITECTURE]
}

/// Before a merge: everything.
pub fn whole() -> Vec<Step> {
    vec![
        FORMAT,
        POSTGRES,
        DENY,
        CLIPPY,
        DOCS,
        UNIT,
        INTEGRATION_SQLITE,
        INTEGRATION_POSTGRES,
        durability::SQLITE,
        durability::POSTGRES,
        faults::SHORT,
        BINARY,
        python::OPENAPI,
        python::SCHEMATHESIS,
        browser::STEP,
        clients::OCTOKIT,
        clients::PYTHON,
        clients::GH,
        clients::GIT,
        clients::EXAMPLE_NODE,
        clients::EXAMPLE_PYTHON,
        clients::OCTOCRAB,
        clients::EXAMPLE_RUST,
        bench::STEP,
        // Last, since it judges what the others were answered.
        clients::CONFORMANCE,
    ]
}

const FORMAT: Step = Step {
    name: "format",
    about: "the code is as rustfmt writes it",
    needs: &[],
    limit: minutes(2),
    run: |context| exits_with_success(context, &mut cargo(&["fmt", "--all", "--check"])),
};

const CLIPPY: Step = Step {
    name: "clippy",
    about: "no warning in any target",
    needs: &[Need::Cargo],
    limit: minutes(12),
    run: |context| {
        let words = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
        exits_with_success(context, &mut cargo(&words))
    },
};

const DOCS: Step = Step {
    name: "docs",
    about: "the documentation builds without a warning",
    needs: &[Need::Cargo],
    limit: minutes(10),
    run: |context| {
        let mut command = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"]);
        exits_with_success(context, command.env("RUSTDOCFLAGS", "-D warnings"))
    },
};

const ARCHITECTURE: Step = Step {
    name: "architecture",
    about: "the arrows between modules point down",
    needs: &[Need::Cargo],
    limit: minutes(10),
    run: |context| runs_tests(context, without_postgres(&mut cargo_test(&["--test", "it", "architecture"]))),
};

const UNIT: Step = Step {
    name: "unit",
    about: "the tests beside the code",
    needs: &[Need::Cargo],
    limit: minutes(15),
    run: |context| {
        // Not the whole workspace: clients would bring features of their own to what the service shares with them.
        let words = ["--package", "plinth", "--package", "xtask", "--lib", "--bins"];
        runs_tests(context, without_postgres(&mut cargo_test(&words)))
    },
};

const INTEGRATION_SQLITE: Step = Step {
    name: "integration-sqlite",
    about: "the service over HTTP, on the embedded store",
    needs: &[Need::Cargo],
    limit: minutes(12),
    run: |context| runs_tests(context, without_postgres(&mut recorded("integration-sqlite"))),
};

const INTEGRATION_POSTGRES: Step = Step {
    name: "integration-postgres",
    about: "the same on PostgreSQL",
    needs: &[Need::Cargo, Need::Step("postgres")],
    limit: minutes(12),
    run: |context| {
        let cluster = context.postgres.get().expect("the step `postgres` has passed");
        runs_tests(context, recorded("integration-postgres").envs(cluster.environment()))
    },
};

const BINARY: Step = Step {
    name: "binary",
    about: "build the programs that the steps below start",
    needs: &[Need::Cargo],
    limit: minutes(10),
    run: |context| exits_with_success(context, &mut bench::build(&["--locked"])),
};

pub const POSTGRES: Step = Step {
    name: "postgres",
    about: "find or fetch a PostgreSQL and start a private cluster",
    needs: &[],
    limit: minutes(8),
    run: |context| match Cluster::start(&context.reaper, context.postgres_from, &context.log, context.limit) {
        Ok(cluster) => {
            let remark = cluster.about();
            // Only this step fills the place, and it runs once.
            let _ = context.postgres.set(cluster);
            Outcome::Passed { tally: Tally::ONE_PASSED, remark }
        }
        Err(reason) => Outcome::failed(reason),
    },
};

const DENY: Step = Step {
    name: "deny",
    about: "licences, advisories, bans and sources of dependencies, where cargo-deny is installed",
    needs: &[],
    limit: minutes(3),
    run: |context| {
        if process::ask(&mut cargo(&["deny", "--version"])).is_none() {
            return Outcome::skipped("cargo-deny is not installed");
        }
        if !has_folder(&advisory_databases()) {
            return Outcome::skipped("cargo-deny has no advisory database here; `cargo deny fetch` gets one");
        }
        exits_with_success(context, &mut cargo(&["deny", "--offline", "check"]))
    },
};

pub fn cargo_test(words: &[&str]) -> Command {
    let mut command = cargo(&["test", "--locked", "--no-fail-fast"]);
    command.args(words);
    command
}

/// The stories, with their answers written down for the step `conformance`.
fn recorded(step: &str) -> Command {
    let mut command = cargo_test(&["--test", "it"]);
    command.env("PLINTH_TEST_ANSWERS", answers().join(step));
    command
}

/// A developer's own setting must not turn the run on SQLite into one on PostgreSQL.
pub fn without_postgres(command: &mut Command) -> &mut Command {
    command.env_remove("PLINTH_TEST_POSTGRES").env_remove("PLINTH_TEST_POSTGRES_BIN")
}

/// The step is its command's exit code.
pub fn exits_with_success(context: &Context, command: &mut Command) -> Outcome {
    match process::run(&context.reaper, command, &context.log, context.limit) {
        Ok(status) if status.success() => Outcome::passed(),
        Ok(status) => Outcome::failed(status.to_string()),
        Err(reason) => Outcome::failed(reason),
    }
}

/// The step is its tests, counted; to run none is a failure, so that a filter cannot quietly match nothing.
pub fn runs_tests(context: &Context, command: &mut Command) -> Outcome {
    let outcome = exits_with_success(context, command);
    let output = std::fs::read(&context.log).unwrap_or_default();
    judge(outcome, Tally::read(&String::from_utf8_lossy(&output)))
}

fn judge(outcome: Outcome, tally: Tally) -> Outcome {
    match outcome {
        Outcome::Passed { .. } if tally.passed == 0 => Outcome::failed("no test ran"),
        Outcome::Passed { remark, .. } => Outcome::Passed { tally, remark },
        // It did not come to a failing test: it did not compile, or was stopped.
        Outcome::Failed { reason, .. } if tally.failed == 0 => {
            Outcome::Failed { tally: Tally { failed: 1, ..tally }, reason }
        }
        Outcome::Failed { reason, .. } => Outcome::Failed { tally, reason },
        Outcome::Skipped { reason } => Outcome::Skipped { reason },
    }
}

fn advisory_databases() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    home.unwrap_or_else(target).join("advisory-dbs")
}

/// Beside databases there may be a lock file, which a failed fetch leaves too.
fn has_folder(parent: &Path) -> bool {
    parent.read_dir().is_ok_and(|entries| entries.flatten().any(|entry| entry.path().is_dir()))
}

pub const fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
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

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Tally = Tally { passed: 4, failed: 0, skipped: 1 };

    #[test]
    fn a_run_without_tests_has_failed() {
        assert!(matches!(judge(Outcome::passed(), Tally::default()), Outcome::Failed { .. }));
        assert_eq!(judge(Outcome::passed(), SOME).tally(), SOME);
    }

    #[test]
    fn a_build_that_breaks_counts_as_one_failure() {
        assert_eq!(judge(Outcome::failed("exit status: 101"), SOME).tally(), Tally { failed: 1, ..SOME });
        let two = Tally { failed: 2, ..SOME };
        assert_eq!(judge(Outcome::failed("exit status: 101"), two).tally(), two);
    }

    #[test]
    fn steps_stand_after_what_they_need() {
        for steps in [quick(), whole(), faults::cases()] {
            for (index, step) in steps.iter().enumerate() {
                for needed in step.needed_steps() {
                    assert!(steps[..index].iter().any(|step| step.name == needed), "{} needs {needed}", step.name);
                }
            }
        }
    }
}
