//! Power cuts, simulated from the system calls that `strace` records.

use std::process::Command;

use crate::apt;
use crate::outcome::Outcome;
use crate::process::first_line;
use crate::step::{Context, Need, Step, cargo_test, minutes, without_postgres};

pub const SQLITE: Step = Step {
    name: "durability",
    about: "acknowledged writes and imports survive power cuts, if strace can be used",
    needs: &[Need::Cargo],
    limit: minutes(8),
    run: |context| match prepare(context) {
        Ok(()) => context.run_tests(without_postgres(&mut ignored_tests("durability"))),
        Err(reason) => Outcome::skipped(reason),
    },
};

pub const POSTGRES: Step = Step {
    name: "durability-postgres",
    about: "packs on disk, with refs in PostgreSQL, survive power cuts",
    needs: &[Need::Cargo, Need::Step("postgres")],
    limit: minutes(8),
    run: |context| match prepare(context) {
        Ok(()) => {
            let cluster = context.postgres.get().expect("the step `postgres` has passed");
            let mut command = ignored_tests("durability::acknowledged_writes");
            context.run_tests(command.envs(cluster.environment()))
        }
        Err(reason) => Outcome::skipped(reason),
    },
};

fn ignored_tests(filter: &str) -> Command {
    cargo_test(&["--test", "it", filter, "--", "--ignored"])
}

/// Checks that strace works: a sandbox may have the program but forbid its use.
pub fn prepare(context: &Context) -> Result<(), String> {
    if first_line(Command::new("strace").arg("--version")).is_none() {
        let installed = apt::install(&["strace"], |command| context.succeed(command));
        installed.map_err(|reason| format!("strace is not installed ({reason})"))?;
    }
    let traced = first_line(Command::new("strace").args(["-D", "-f", "-o", "/dev/null", "true"]));
    traced.map(|_| ()).ok_or_else(|| "strace may not trace other programs here".into())
}
