//! Several servers over PostgreSQL and a real S3 server.

use std::path::PathBuf;
use std::process::Command;

use crate::outcome::Outcome;
use crate::process::first_line;
use crate::python;
use crate::step::{Context, Need, Step, cargo_test, minutes};
use crate::workspace::{cargo, target};

/// Where the tests look for the S3 server.
const RCLONE_VARIABLE: &str = "PLINTH_TEST_RCLONE";
const GARAGE_VARIABLE: &str = "PLINTH_TEST_GARAGE";
const GARAGE_VERSION: &str = "2.5.0";

pub const STEP: Step = Step {
    name: "nodes",
    about: "several servers over PostgreSQL and an S3 server, rclone, if it can be installed",
    needs: &[Need::Cargo, Need::Step("postgres")],
    limit: minutes(20),
    run: |context| match rclone(context) {
        Ok(variable) => run(context, "nodes::", variable),
        Err(reason) => Outcome::skipped(reason),
    },
};

/// Only if it is named: the first run builds Garage, which takes minutes.
pub const GARAGE: Step = Step {
    name: "nodes-garage",
    about: "several servers over PostgreSQL and a Garage cluster of three; only if it is named, since it builds Garage",
    needs: &[Need::Cargo, Need::Step("postgres")],
    limit: minutes(60),
    run: |context| match garage(context) {
        Ok(program) => run(context, "nodes::garage", (GARAGE_VARIABLE, program)),
        Err(reason) => Outcome::skipped(reason),
    },
};

fn run(context: &Context, filter: &str, (variable, program): (&str, PathBuf)) -> Outcome {
    let cluster = context.postgres.get().expect("the step `postgres` has passed");
    let mut command = cargo_test(&["--test", "it", filter]);
    command.envs(cluster.environment()).env(variable, program);
    context.run_tests(&mut command)
}

/// The variable that names the program, and its value; it is installed unless it is there.
pub fn rclone(context: &Context) -> Result<(&'static str, PathBuf), String> {
    let python = python::environment(context, "tests/it/nodes")?;
    Ok((RCLONE_VARIABLE, python.with_file_name("rclone")))
}

/// An installed program, or one that is built in the target directory.
fn garage(context: &Context) -> Result<PathBuf, String> {
    if first_line(Command::new("garage").arg("--version")).is_some() {
        return Ok("garage".into());
    }
    let root = target().join("garage");
    let program = root.join("bin/garage");
    if !program.is_file() {
        let mut install = cargo(&["install", "garage", "--version", GARAGE_VERSION, "--locked", "--debug"]);
        // Without what these tests do not use, such as Kubernetes and telemetry.
        install.args(["--no-default-features", "--features", "bundled-libs,sqlite", "--root"]).arg(&root);
        install.arg("--target-dir").arg(root.join("build"));
        context.succeed(&mut install).map_err(|reason| format!("cargo could not install garage ({reason})"))?;
    }
    Ok(program)
}
