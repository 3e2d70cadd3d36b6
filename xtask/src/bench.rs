//! The benchmarks: a full run for people, a small one as a smoke test of what measures.

use std::process::{Command, ExitCode};

use crate::steps::{Need, Step, exits_with_success, minutes};
use crate::workspace::{cargo, command, plinth, plinth_bench, target};

/// Its figures mean nothing: the programs are not optimized and the machine is busy. It fails where a row gives no
/// figure, or where an answer is not the expected one.
pub const STEP: Step = Step {
    name: "bench",
    about: "every row of the benchmarks gives a figure, at small sizes",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| {
        let mut command = command(&plinth_bench().display().to_string());
        command.arg("--quick").arg("--plinth").arg(plinth()).arg("--directory").arg(target().join("bench/smoke"));
        exits_with_success(context, &mut command)
    },
};

/// Builds the optimized programs and measures.
pub fn run(words: &[String]) -> Result<ExitCode, String> {
    succeed(&mut build(&["--profile", "dist"]))?;
    let program = target().join("dist/plinth-bench");
    let mut command = command(&program.display().to_string());
    command.arg("--directory").arg(target().join("bench")).args(words);
    let status = command.status().map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Both programs at once, so that what they share is built once and with the same features.
pub fn build(words: &[&str]) -> Command {
    let mut command = cargo(&["build", "--package", "plinth", "--package", "plinth-bench"]);
    command.args(["--bin", "plinth", "--bin", "plinth-bench"]).args(words);
    command
}

fn succeed(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} failed ({status})")),
        Err(error) => Err(format!("cannot start {command:?}: {error}")),
    }
}
