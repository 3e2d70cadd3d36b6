//! The steps of `check` and `test`. A new check is a new `Step` here.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Options;
use crate::outcome::Outcome;
use crate::postgres::Cluster;
use crate::process::first_line;
use crate::step::{Need, Step, WITHOUT_CLIENTS, cargo_test, minutes, without_postgres};
use crate::tally::Tally;
use crate::workspace::{TEST_RESPONSES_VARIABLE, cargo, recorded_responses, target};
use crate::{bench, browser, clients, durability, faults, nodes, packages, python};

/// The variable of the test harness for how many tests run at once.
const TEST_THREADS_VARIABLE: &str = "RUST_TEST_THREADS";

/// Before a commit: finds most mistakes in little time.
pub fn quick() -> Vec<Step> {
    vec![FORMAT, CLIPPY, DOCS, ARCHITECTURE]
}

/// Before a merge; with the long steps that are named.
pub fn test(options: &Options) -> Vec<Step> {
    let is_named = |step: &Step| options.list || options.only.iter().any(|name| name == step.name);
    all().into_iter().chain([nodes::GARAGE].into_iter().filter(is_named)).collect()
}

fn all() -> Vec<Step> {
    vec![
        FORMAT,
        POSTGRES,
        DENY,
        CLIPPY,
        DOCS,
        UNIT,
        INTEGRATION_SQLITE,
        INTEGRATION_POSTGRES,
        nodes::STEP,
        durability::SQLITE,
        durability::POSTGRES,
        faults::SHORT,
        BINARY,
        python::OPENAPI,
        python::SCHEMATHESIS,
        browser::STEP,
        clients::OCTOKIT,
        clients::PROBOT,
        clients::TOOLS,
        clients::PYTHON,
        clients::GH,
        clients::HUB,
        clients::GIT,
        clients::EXAMPLE_NODE,
        clients::EXAMPLE_PYTHON,
        packages::NODE,
        packages::PYTHON,
        packages::ACTION,
        packages::DEB,
        packages::RUST,
        clients::OCTOCRAB,
        clients::EXAMPLE_RUST,
        bench::STEP,
        // Last: it checks the responses that the other steps recorded.
        clients::CONFORMANCE,
        clients::PAYLOADS,
    ]
}

const FORMAT: Step = Step {
    name: "format",
    about: "the code is formatted with rustfmt",
    needs: &[],
    limit: minutes(2),
    run: |context| context.run_command(&mut cargo(&["fmt", "--all", "--check"])),
};

const CLIPPY: Step = Step {
    name: "clippy",
    about: "no warning in any target",
    needs: &[Need::Cargo],
    limit: minutes(12),
    run: |context| {
        let mut command = cargo(&["clippy", "--workspace", "--all-targets", "--features", "plinth-test/in-process"]);
        context.run_command(command.args(["--locked", "--", "-D", "warnings"]))
    },
};

const DOCS: Step = Step {
    name: "docs",
    about: "the documentation builds without a warning",
    needs: &[Need::Cargo],
    limit: minutes(10),
    run: |context| {
        let mut command = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"]);
        context.run_command(command.env("RUSTDOCFLAGS", "-D warnings"))
    },
};

const ARCHITECTURE: Step = Step {
    name: "architecture",
    about: "modules only use modules below them",
    needs: &[Need::Cargo],
    limit: minutes(10),
    run: |context| context.run_tests(without_postgres(&mut cargo_test(&["--test", "it", "architecture"]))),
};

const UNIT: Step = Step {
    name: "unit",
    about: "unit tests of the service, the benchmarks and xtask",
    needs: &[Need::Cargo],
    limit: minutes(15),
    run: |context| {
        context.run_tests(without_postgres(&mut cargo_test(&[&WITHOUT_CLIENTS[..], &["--lib", "--bins"]].concat())))
    },
};

const INTEGRATION_SQLITE: Step = Step {
    name: "integration-sqlite",
    about: "the service over HTTP, on SQLite",
    needs: &[Need::Cargo],
    limit: minutes(25),
    run: |context| context.run_tests(without_postgres(&mut recorded("integration-sqlite"))),
};

const INTEGRATION_POSTGRES: Step = Step {
    name: "integration-postgres",
    about: "the service over HTTP, on PostgreSQL",
    needs: &[Need::Cargo, Need::Step("postgres")],
    limit: minutes(35),
    run: |context| {
        let cluster = context.postgres.get().expect("the step `postgres` has passed");
        context.run_tests(recorded("integration-postgres").envs(cluster.environment()))
    },
};

const BINARY: Step = Step {
    name: "binary",
    about: "build the programs that later steps start",
    needs: &[Need::Cargo],
    limit: minutes(10),
    // With a test, so that dependencies have the features that they have in tests, and are not built again.
    run: |context| context.run_command(&mut bench::build(&["--locked", "--test", "it"])),
};

pub const POSTGRES: Step = Step {
    name: "postgres",
    about: "find or fetch PostgreSQL and start a private cluster",
    needs: &[],
    limit: minutes(8),
    run: |context| match Cluster::start(&context.reaper, context.postgres_from, &context.log, context.deadline) {
        Ok(cluster) => {
            let detail = cluster.about();
            // It cannot be set already: only this step sets it, and it runs once.
            let _ = context.postgres.set(cluster);
            Outcome::Passed { tally: Tally::ONE_PASSED, detail }
        }
        Err(reason) => Outcome::failed(reason),
    },
};

const DENY: Step = Step {
    name: "deny",
    about: "licences, bans and sources of dependencies, and downloaded advisories, if cargo-deny is installed",
    needs: &[],
    limit: minutes(3),
    run: |context| {
        if first_line(&mut cargo(&["deny", "--version"])).is_none() {
            return Outcome::skipped("cargo-deny is not installed");
        }
        // cargo-deny reads the crates of all platforms; a build downloads only those of its own.
        if first_line(&mut cargo(&["metadata", "--offline", "--locked", "--format-version=1"])).is_none() {
            return Outcome::skipped("crates of other platforms are missing; `cargo fetch --locked` downloads them");
        }
        let advisories = has_subdirectory(&advisory_databases()).then_some("advisories");
        let checks = ["licenses", "bans", "sources"].into_iter().chain(advisories);
        context.run_command(cargo(&["deny", "--offline", "--locked", "check"]).args(checks))
    },
};

/// The integration tests, with their responses recorded for the step `conformance`.
fn recorded(step: &str) -> Command {
    let mut command = cargo_test(&["--test", "it"]);
    command.env(TEST_RESPONSES_VARIABLE, recorded_responses().join(step));
    if std::env::var_os(TEST_THREADS_VARIABLE).is_none() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        command.env(TEST_THREADS_VARIABLE, test_threads(cores).to_string());
    }
    command
}

/// Tests also wait, for git, for timeouts and for disks: two per core keep a small machine busy. Large ones would need
/// more connections to PostgreSQL than the cluster has.
fn test_threads(cores: usize) -> usize {
    cores.max((2 * cores).min(8))
}

fn advisory_databases() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    home.unwrap_or_else(target).join("advisory-dbs")
}

/// A database is a directory; a failed fetch leaves only a lock file.
fn has_subdirectory(parent: &Path) -> bool {
    parent.read_dir().is_ok_and(|entries| entries.flatten().any(|entry| entry.path().is_dir()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_machines_run_two_tests_per_core() {
        assert_eq!([1, 2, 4, 6, 16].map(test_threads), [2, 4, 8, 8, 16]);
    }

    #[test]
    fn steps_are_listed_after_those_they_need() {
        for steps in [quick(), all(), faults::cases(), crate::fuzz::steps()] {
            for (index, step) in steps.iter().enumerate() {
                for needed in step.needed_steps() {
                    assert!(steps[..index].iter().any(|step| step.name == needed), "{} needs {needed}", step.name);
                }
            }
        }
    }
}
