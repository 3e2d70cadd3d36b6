//! The benchmarks: a full run, and a small one as a smoke test.

use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::nodes;
use crate::postgres::{Cluster, Syncs};
use crate::reaper::Reaper;
use crate::step::{Need, Step, minutes};
use crate::workspace::{cargo, command, plinth, plinth_bench, target};

/// The URL of a maintenance database, in which the benchmarks create their own.
const POSTGRES: &str = "PLINTH_TEST_POSTGRES";
/// Includes the time of a download.
const POSTGRES_LIMIT: Duration = Duration::from_secs(600);
/// The optimized profile that is measured; see `Cargo.toml`.
const PROFILE: &str = "dist";

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
    let (profile, directory) = if prints_only { ("dev", "debug") } else { (PROFILE, PROFILE) };
    succeed(&mut build(&["--profile", profile]))?;
    let program = target().join(directory).join("plinth-bench");
    let mut command = command(&program.display().to_string());
    command.arg("--directory").arg(target().join("bench")).args(flags);
    // Stopped when it is dropped.
    let _cluster = if prints_only { None } else { start_postgres(&mut command) };
    let status = command.status().map_err(|error| format!("cannot start {}: {error}", program.display()))?;
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

fn succeed(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} failed ({status})")),
        Err(error) => Err(format!("cannot start {command:?}: {error}")),
    }
}
