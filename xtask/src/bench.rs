//! The benchmarks: a full run, and a small one as a smoke test.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::dist::{self, CARGO_PROFILE, succeed};
use crate::nodes;
use crate::postgres::{Cluster, Syncs};
use crate::reaper::Reaper;
use crate::step::{Need, Step, minutes};
use crate::workspace::{cargo, command, plinth, plinth_bench, target};

/// The URL of a maintenance database, in which the benchmarks create their own.
const POSTGRES: &str = "PLINTH_TEST_POSTGRES";
/// Includes the time of a download.
const POSTGRES_LIMIT: Duration = Duration::from_secs(600);

/// Its figures mean nothing: the programs are not optimized and the machine is busy. It fails if a row has no figure or a
/// response is not as expected.
pub const STEP: Step = Step {
    name: "bench",
    about: "every benchmark row has a figure, at small sizes",
    needs: &[Need::Step("binary"), Need::Step("postgres")],
    limit: minutes(12),
    run: |context| {
        let mut command = command(&plinth_bench().display().to_string());
        // Rows about several nodes are skipped without these.
        command.envs(context.postgres.get().map(Cluster::environment).unwrap_or_default());
        command.envs(nodes::rclone(context));
        command.arg("--quick").arg("--plinth").arg(plinth()).arg("--directory").arg(target().join("bench/smoke"));
        context.run_command(&mut command)
    },
};

/// Builds the optimized programs and measures.
pub fn run(flags: &[String]) -> Result<ExitCode, String> {
    // What only prints text need not be optimized, which takes minutes.
    let prints_only = flags.iter().any(|flag| matches!(flag.as_str(), "--help" | "-h" | "--list"));
    if prints_only {
        succeed(&mut build(&["--profile", "dev"]))?;
        return exit_code(command(&plinth_bench().display().to_string()).args(flags));
    }
    // Apart from each other: what both need is compiled with a recorded profile for the service only.
    dist::build()?;
    succeed(&mut dist::build_of("plinth-bench"))?;
    let mut command = optimized(&target().join("bench"));
    // Stopped when it is dropped.
    let _cluster = start_postgres(&mut command);
    exit_code(command.args(flags))
}

/// Lets benchmarks that are built already use a program that writes its counts of executed code to `counts`.
pub fn train(plinth: &Path, counts: &Path, directory: &Path, flags: &[&str]) -> Result<(), String> {
    let mut command = optimized(directory);
    command.arg("--plinth").arg(plinth);
    // All processes of one program add their counts to one file.
    command.env(dist::COUNTS_VARIABLE, counts.join("%m.profraw"));
    let _cluster = start_postgres(&mut command);
    succeed(command.args(flags))
}

/// The optimized benchmark program. By default it measures the service in its own directory.
fn optimized(directory: &Path) -> Command {
    let program: PathBuf = target().join(CARGO_PROFILE).join("plinth-bench");
    let mut command = command(&program.display().to_string());
    command.arg("--directory").arg(directory);
    command
}

fn exit_code(command: &mut Command) -> Result<ExitCode, String> {
    let status = command.status().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Starts a PostgreSQL for the rows that need one, unless one is given. Without one, these rows are skipped.
fn start_postgres(command: &mut Command) -> Option<Cluster> {
    if std::env::var_os(POSTGRES).is_some() {
        return None;
    }
    let started = Reaper::start().map(Arc::new).and_then(|reaper| {
        let log = target().join("xtask").join("postgres-bench.log");
        std::fs::create_dir_all(target().join("xtask")).map_err(|error| error.to_string())?;
        Cluster::start_with(Syncs::Commits, &reaper, None, &log, Instant::now() + POSTGRES_LIMIT)
    });
    match started {
        Ok(cluster) => {
            command.envs(cluster.environment());
            Some(cluster)
        }
        Err(error) => {
            println!("no PostgreSQL: {error}");
            None
        }
    }
}

/// Builds both programs at once, so that shared crates are built once and with the same features.
pub fn build(flags: &[&str]) -> Command {
    let mut command = cargo(&["build", "--package", "plinth", "--package", "plinth-bench"]);
    command.args(["--bin", "plinth", "--bin", "plinth-bench"]).args(flags);
    command
}
