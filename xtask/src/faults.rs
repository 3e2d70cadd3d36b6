//! The fault suite, one step per case.

use std::process::Command;

use crate::apt;
use crate::durability;
use crate::fuzz;
use crate::outcome::Outcome;
use crate::process::first_line;
use crate::step::{Context, Need, Step, cargo_test, minutes, without_postgres};
use crate::steps::POSTGRES;
use crate::tally::Tally;

/// Prefixes of lines that `tests/faults` prints for the summary.
const FIGURE: &str = "figure: ";
const SKIPPED: &str = "skipped: ";

macro_rules! case {
    ($name:literal, $filter:literal, $about:literal) => {
        Step {
            name: $name,
            about: $about,
            needs: &[Need::Cargo, Need::Step("postgres")],
            limit: minutes(240),
            run: |context| run(context, Some($filter), context.faults.long),
        }
    };
}

/// The short form of all cases, for `cargo xtask test`.
pub const SHORT: Step = Step {
    name: "faults",
    about: "the fault suite in its short form: kills, power cuts, full disks, failed syncs, overload, lost databases",
    needs: &[Need::Cargo, Need::Step("postgres")],
    limit: minutes(25),
    run: |context| run(context, None, false),
};

/// The integration tests clone fewer refs.
const LARGE_CLONE: Step = Step {
    name: "large-clone",
    about: "a mirror clone of a repository with a million refs, in bounded memory",
    needs: &[Need::Cargo],
    limit: minutes(60),
    run: large_clone,
};
const LARGE_CLONE_REFS: &str = "1000000";

/// The steps of `cargo xtask faults`.
pub fn cases() -> Vec<Step> {
    vec![
        POSTGRES,
        case!("checker", "tests::", "the checker itself: it detects lost, invented, partial and duplicate records"),
        case!("F1", "::f1_", "kill -9 of the server and of its git children"),
        case!("F2", "::f2_", "power cuts, by shutting down ext4 and xfs; needs root"),
        case!("F3", "::f3_", "the time until a killed server is ready again"),
        case!("F4", "::f4_", "SIGTERM under load"),
        case!("F5", "::f5_", "twice the load that the server can handle"),
        case!("F6", "::f6_", "a full disk; needs root"),
        case!("F7", "::f7_", "a read-only disk; needs root"),
        case!("F8", "::f8_", "a failed sync at each call; needs strace"),
        case!("F9", "::f9_", "clock jumps; needs libfaketime"),
        case!("F10", "::f10_", "PostgreSQL restarts, is killed, loses its connections, hangs, fails over to a standby"),
        case!("F11", "::f11_", "a thousand slow clients"),
        case!("F12", "::f12_", "limits at -1, 0 and +1"),
        case!("F16", "::f16_", "kill -9 of a server with a webhook"),
        fuzz::FAULT,
        case!("backup", "backup::", "backup and restore under load"),
        LARGE_CLONE,
    ]
}

fn large_clone(context: &Context) -> Outcome {
    let mut tests = cargo_test(&["--test", "it", "--", "--nocapture", "mirror_clone_has_every_ref"]);
    if context.faults.long {
        tests.env("PLINTH_TEST_REFS", LARGE_CLONE_REFS);
    }
    let outcome = context.run_tests(without_postgres(&mut tests));
    print_figures(&std::fs::read(&context.log).unwrap_or_default());
    outcome
}

/// Runs the tests whose names contain the filter; without one, all.
fn run(context: &Context, filter: Option<&str>, is_long: bool) -> Outcome {
    install_tools(context);
    let mut tests = cargo_test(&["--test", "faults", "--", "--include-ignored", "--test-threads=1", "--nocapture"]);
    tests.args(filter);
    let mut command = in_own_mounts(&tests);
    command.env("PLINTH_FAULTS", if is_long { "long" } else { "short" });
    if let Some(seed) = context.faults.seed {
        command.env("PLINTH_FAULTS_SEED", seed.to_string());
    }
    let cluster = context.postgres.get().expect("the step `postgres` has passed");
    let outcome = context.run_tests(command.envs(cluster.environment()));
    let output = std::fs::read(&context.log).unwrap_or_default();
    print_figures(&output);
    without_skipped(outcome, &reported(&String::from_utf8_lossy(&output), SKIPPED))
}

fn print_figures(output: &[u8]) {
    for line in reported(&String::from_utf8_lossy(output), FIGURE) {
        println!("         {line}");
    }
}

/// Installs tools that some cases need. Without them, these cases are skipped and report it.
fn install_tools(context: &Context) {
    let _ = durability::prepare(context);
    for (program, argument, package) in [("xfs_io", "-V", "xfsprogs"), ("faketime", "--version", "faketime")] {
        if first_line(Command::new(program).arg(argument)).is_none() {
            let _ = apt::install(&[package], |command| context.succeed(command));
        }
    }
}

/// In a mount namespace of its own, file systems that a case mounts disappear with its processes, even if these are killed.
fn in_own_mounts(command: &Command) -> Command {
    let wrapper = ["--mount", "--propagation", "private"];
    let mut wrapped = Command::new("unshare");
    if first_line(Command::new("unshare").args(wrapper).arg("true")).is_some() {
        wrapped.args(wrapper).arg(command.get_program());
    } else {
        wrapped = Command::new(command.get_program());
    }
    wrapped.args(command.get_args());
    if let Some(directory) = command.get_current_dir() {
        wrapped.current_dir(directory);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    wrapped
}

/// The texts after a prefix. The first line of a test begins with the test's name, the others with the prefix.
fn reported<'a>(output: &'a str, prefix: &str) -> Vec<&'a str> {
    let begins = |line: &str| line.starts_with(prefix) || line.starts_with("test ");
    output
        .lines()
        .filter(|line| begins(line))
        .filter_map(|line| line.split_once(prefix))
        .map(|(_, text)| text.trim())
        .collect()
}

/// Counts tests that could not run as skipped instead of passed.
fn without_skipped(outcome: Outcome, skipped: &[&str]) -> Outcome {
    let count = skipped.len() as u64;
    match outcome {
        Outcome::Passed { tally, .. } if count >= tally.passed => Outcome::skipped(skipped.join("; ")),
        Outcome::Passed { tally, .. } if count > 0 => {
            let tally = Tally { passed: tally.passed - count, skipped: tally.skipped + count, ..tally };
            Outcome::Passed { tally, detail: format!("{tally}: {}", skipped.join("; ")) }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_finds_figures_and_reasons() {
        let output = "test a::f1_x ... figure:  F1: 8 kills\nfigure:  F1: more\nok\n         no figure: here\nskipped: F2: no root\n";
        assert_eq!(reported(output, FIGURE), ["F1: 8 kills", "F1: more"]);
        assert_eq!(reported(output, SKIPPED), ["F2: no root"]);
    }

    #[test]
    fn skipped_tests_do_not_count_as_passed() {
        let passed =
            |count| Outcome::Passed { tally: Tally { passed: count, failed: 0, skipped: 0 }, detail: String::new() };
        assert!(matches!(without_skipped(passed(1), &["no root"]), Outcome::Skipped { .. }));
        assert_eq!(without_skipped(passed(3), &["no root"]).tally(), Tally { passed: 2, failed: 0, skipped: 1 });
        assert_eq!(without_skipped(passed(3), &[]).tally(), Tally { passed: 3, failed: 0, skipped: 0 });
    }
}
