//! Power cuts, made from what `strace` sees the server do.

use std::process::Command;

use crate::apt;
use crate::process::ask;
use crate::runner::Context;
use crate::steps::{Need, Outcome, Step, cargo_test, minutes, runs_tests, without_postgres};

pub const SQLITE: Step = Step {
    name: "durability",
    about: "acknowledged writes and imports survive power cuts, where strace is to be had and allowed",
    needs: &[Need::Cargo],
    limit: minutes(8),
    run: |context| match prepare(context) {
        Ok(()) => runs_tests(context, without_postgres(&mut stories("durability"))),
        Err(reason) => Outcome::skipped(reason),
    },
};

pub const POSTGRES: Step = Step {
    name: "durability-postgres",
    about: "packs on disk beside names in PostgreSQL survive power cuts",
    needs: &[Need::Cargo, Need::Step("postgres")],
    limit: minutes(8),
    run: |context| match prepare(context) {
        Ok(()) => {
            let cluster = context.postgres.get().expect("the step `postgres` has passed");
            let mut command = stories("durability::what_is_acknowledged");
            runs_tests(context, command.envs(cluster.environment()))
        }
        Err(reason) => Outcome::skipped(reason),
    },
};

fn stories(filter: &str) -> Command {
    cargo_test(&["--test", "it", filter, "--", "--ignored"])
}

/// A tracer that works: a sandbox may have the program and forbid its use.
pub fn prepare(context: &Context) -> Result<(), String> {
    if ask(Command::new("strace").arg("--version")).is_none() {
        apt::install(context, &["strace"]).map_err(|reason| format!("there is no strace ({reason})"))?;
    }
    let tried = ask(Command::new("strace").args(["-D", "-f", "-o", "/dev/null", "true"]));
    tried.map(|_| ()).ok_or_else(|| "strace may not look at other programs here".into())
}
