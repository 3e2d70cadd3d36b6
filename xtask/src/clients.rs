//! Real clients against a real server, and what they were told against GitHub's own description.

use std::path::Path;
use std::process::Command;

use crate::npm;
use crate::runner::Context;
use crate::steps::{Need, Outcome, Step, exits_with_success, minutes, runs_tests};
use crate::workspace;

pub const OCTOKIT: Step = Step {
    name: "client-octokit",
    about: "octokit with its plugins and App calls every operation, where npm can fetch it",
    needs: &[Need::Step("binary")],
    limit: minutes(6),
    run: |context| match npm::unpack(context, "tests/clients/octokit", &[]) {
        Ok(folder) => {
            let whole = runs_tests(context, suite("octokit", &["--covers"], "node").arg(folder.join("suite.mjs")));
            if let Outcome::Failed { .. } = whole {
                return whole;
            }
            // The log has the tests of both, and so has the count.
            runs_tests(context, suite("octokit-limits", SMALL_BUDGETS, "node").arg(folder.join("limits.mjs")))
        }
        Err(reason) => Outcome::skipped(reason),
    },
};

/// Small enough to run out within a story, large enough for the others; by the hour, so that no window ends meanwhile.
const SMALL_BUDGETS: &[&str] =
    &["--serve=--limits=true", "--serve=--content-per-hour=2", "--serve=--requests-per-hour=30"];

pub const EXAMPLE_NODE: Step = Step {
    name: "example-node",
    about: "the example for Node passes its own tests",
    needs: &[Need::Step("binary")],
    limit: minutes(4),
    run: |context| match npm::unpack(context, "examples/node", &[]) {
        Ok(folder) => {
            let mut command = Command::new("npm");
            command.args(["test", "--silent"]).current_dir(folder).env("PLINTH", workspace::plinth());
            exits_with_success(context, &mut command)
        }
        Err(reason) => Outcome::skipped(reason),
    },
};

pub const CONFORMANCE: Step = Step {
    name: "conformance",
    about: "every answer that was recorded fits GitHub's own description of the operation",
    // The exceptions are those that these two need; other suites have their answers checked as well.
    needs: &[Need::Step("integration-sqlite"), Need::Step("client-octokit"), Need::Earlier],
    limit: minutes(6),
    run: |context| match npm::unpack(context, "tests/conformance", BESIDE_CONFORMANCE) {
        Ok(folder) => conform(context, &folder),
        Err(reason) => Outcome::skipped(reason),
    },
};

const BESIDE_CONFORMANCE: &[&str] = &["tests/clients/operations.mjs", "tests/clients/operations.json"];

fn conform(context: &Context, folder: &Path) -> Outcome {
    let mut command = workspace::command("node");
    command.arg(folder.join("check.mjs")).env("PLINTH_ANSWERS", workspace::answers());
    runs_tests(context, &mut command)
}

/// A suite with the launcher that all of them share: a fresh service, and a record of its answers.
fn suite(name: &str, flags: &[&str], program: &str) -> Command {
    let mut launcher = workspace::command("node");
    launcher.arg("tests/clients/run.mjs").arg(name).args(flags).args(["--", program]);
    launcher.env("PLINTH", workspace::plinth()).env("PLINTH_ANSWERS", workspace::answers());
    launcher
}
