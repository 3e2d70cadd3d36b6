//! Real clients against a real server, and the responses that they got checked against GitHub's own description.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::outcome::Outcome;
use crate::process::first_line;
use crate::step::{Context, Need, Step, minutes};
use crate::{apt, npm, python, workspace};

pub const OCTOKIT: Step = Step {
    name: "client-octokit",
    about: "octokit with its plugins and App calls every operation, if npm can install it",
    needs: &[Need::Step("binary")],
    limit: minutes(6),
    run: |context| run(context, octokit(context)),
};

pub const PROBOT: Step = Step {
    name: "client-probot",
    about: "an unmodified Probot app reacts to webhooks, and the library behind it verifies them, if npm can install them",
    needs: &[Need::Step("binary")],
    limit: minutes(4),
    run: |context| run(context, probot(context)),
};

pub const TOOLS: Step = Step {
    name: "client-tools",
    about: "danger, semantic-release and octokit-plugin-create-pull-request do their work, if npm can install them",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| run(context, tools(context)),
};

pub const PYTHON: Step = Step {
    name: "client-python",
    about: "PyGithub and githubkit call every operation that they have, github3.py works, and gidgethub receives webhooks, if PyPI is reachable",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| run(context, python(context)),
};

pub const GH: Step = Step {
    name: "client-gh",
    about: "gh calls every operation over TLS, if it is installed or apt can install it",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| run(context, gh(context)),
};

pub const HUB: Step = Step {
    name: "client-hub",
    about: "hub works in a clone over TLS, if it is installed or apt can install it",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| run(context, hub(context)),
};

pub const GIT: Step = Step {
    name: "client-git",
    about: "git clones and pushes, and the API shows it at once",
    needs: &[Need::Step("binary")],
    limit: minutes(5),
    run: |context| run(context, git()),
};

const COVERS: &str = "--covers";
const TLS: &str = "--tls";
/// Small enough to be exceeded by a test, large enough for the others; per hour, so that no window ends meanwhile.
const LOW_RATE_LIMITS: &[&str] =
    &["--serve=--limits=true", "--serve=--content-per-hour=2", "--serve=--requests-per-hour=30"];

pub const EXAMPLE_NODE: Step = Step {
    name: "example-node",
    about: "the example for Node passes its own tests",
    needs: &[Need::Step("binary")],
    limit: minutes(4),
    run: |context| match npm::install(context, "examples/node", &[]) {
        Ok(directory) => {
            let mut command = Command::new("npm");
            command.args(["test", "--silent"]).current_dir(directory).env("PLINTH", workspace::plinth());
            context.run_command(&mut command)
        }
        Err(reason) => Outcome::skipped(reason),
    },
};

pub const EXAMPLE_PYTHON: Step = Step {
    name: "example-python",
    about: "the example for Python passes its own tests",
    needs: &[Need::Step("binary")],
    limit: minutes(4),
    run: |context| match python::environment(context, "examples/python") {
        Ok(python) => {
            let mut command = Command::new(python);
            command.args(["-B", "-m", "pytest", "-p", "no:cacheprovider"]);
            command.current_dir(workspace::root().join("examples/python")).env("PLINTH", workspace::plinth());
            context.run_command(&mut command)
        }
        Err(reason) => Outcome::skipped(reason),
    },
};

/// Always named together, so that they have the same features and octocrab is compiled once.
const USERS_OF_OCTOCRAB: [&str; 6] =
    ["--package", "client-octocrab", "--package", "plinth-example-rust", "--package", "plinth-test-tutorials"];

pub const OCTOCRAB: Step = Step {
    name: "client-octocrab",
    about: "octocrab calls every operation, as a user and as an app, if node is installed to start the service",
    needs: &[Need::Cargo, Need::Step("binary")],
    limit: minutes(12),
    run: |context| {
        if let Err(reason) = node() {
            return Outcome::skipped(reason);
        }
        let arguments = [&["test", "--locked"], &USERS_OF_OCTOCRAB[..], &["--test", "octocrab"]].concat();
        context.run_tests(&mut suite("octocrab", &[COVERS], "cargo", arguments))
    },
};

pub const EXAMPLE_RUST: Step = Step {
    name: "example-rust",
    about: "the example for Rust and the tutorials of its package pass their own tests",
    needs: &[Need::Cargo, Need::Step("binary")],
    limit: minutes(12),
    run: |context| {
        let mut command = workspace::cargo(&["test", "--locked"]);
        command.args(USERS_OF_OCTOCRAB).args(["--test", "bot", "--test", "greeter", "--test", "patience"]);
        command.args(["--test", "release", "--test", "renewal"]);
        context.run_tests(command.env("PLINTH", workspace::plinth()))
    },
};

pub const CONFORMANCE: Step = Step {
    name: "conformance",
    about: "every recorded response matches GitHub's own description of the operation",
    // The list of exceptions is complete for these two; responses of other suites are checked as well.
    needs: &[Need::Step("integration-sqlite"), Need::Step("client-octokit"), Need::Earlier],
    limit: minutes(6),
    run: |context| match npm::install(context, "tests/conformance", CONFORMANCE_FILES) {
        Ok(directory) => check_recorded(context, &directory.join("check.mjs")),
        Err(reason) => Outcome::skipped(reason),
    },
};

pub const PAYLOADS: Step = Step {
    name: "webhook-payloads",
    about: "every recorded payload of a webhook matches GitHub's own description of the event",
    needs: &[Need::Step("integration-sqlite")],
    limit: minutes(6),
    run: |context| match npm::install(context, "tests/conformance", CONFORMANCE_FILES) {
        Ok(directory) => check_recorded(context, &directory.join("payloads.mjs")),
        Err(reason) => Outcome::skipped(reason),
    },
};

const CONFORMANCE_FILES: &[&str] = &["tests/clients/operations.mjs", "tests/clients/operations.json"];

fn check_recorded(context: &Context, program: &Path) -> Outcome {
    let mut command = workspace::command("node");
    command.arg(program);
    command.env(workspace::CLIENT_RESPONSES_VARIABLE, workspace::recorded_responses());
    context.run_tests(&mut command)
}

fn octokit(context: &Context) -> Result<Vec<Command>, String> {
    let directory = npm::install(context, "tests/clients/octokit", &[])?;
    Ok(vec![
        suite("octokit", &[COVERS], "node", [directory.join("suite.mjs")]),
        suite("octokit-limits", LOW_RATE_LIMITS, "node", [directory.join("limits.mjs")]),
    ])
}

fn probot(context: &Context) -> Result<Vec<Command>, String> {
    let directory = npm::install(context, "tests/clients/probot", &["tests/clients/octokit/runner.mjs"])?;
    Ok(vec![suite("probot", &[], "node", [directory.join("suite.mjs")])])
}

fn tools(context: &Context) -> Result<Vec<Command>, String> {
    let directory = npm::install(context, "tests/clients/tools", &["tests/clients/octokit/runner.mjs"])?;
    let tools = ["danger", "create-pull-request", "semantic-release"];
    Ok(tools.map(|tool| suite(tool, &[], "node", [directory.join(format!("{tool}.mjs"))])).into())
}

fn python(context: &Context) -> Result<Vec<Command>, String> {
    let directory = workspace::root().join("tests/clients/python");
    let program = python::environment(context, "tests/clients/python")?;
    let lacking = fs::read_to_string(directory.join("pygithub-lacks.txt")).map_err(|error| error.to_string())?;
    let lacks: Vec<String> = lacking.split_whitespace().map(|operation| format!("--lacks={operation}")).collect();
    let pygithub: Vec<&str> = lacks.iter().map(String::as_str).chain([COVERS]).collect();
    let with_flags = [
        ("pygithub", &pygithub[..]),
        ("githubkit", &[COVERS]),
        ("limits", LOW_RATE_LIMITS),
        ("gidgethub", &[]),
        ("github3", &[]),
    ];
    let suites = with_flags.into_iter().map(|(tests, flags)| {
        let mut command = suite(&format!("python-{tests}"), flags, &program, [directory.join("main.py")]);
        command.arg(tests);
        command
    });
    Ok(suites.collect())
}

fn gh(context: &Context) -> Result<Vec<Command>, String> {
    packaged(context, "gh")?;
    Ok(vec![suite("gh", &[COVERS, TLS], python3()?, [workspace::root().join("tests/clients/gh/main.py")])])
}

fn hub(context: &Context) -> Result<Vec<Command>, String> {
    packaged(context, "hub")?;
    Ok(vec![suite("hub", &[TLS], python3()?, [workspace::root().join("tests/clients/hub/main.py")])])
}

/// Installs a program of the distribution whose package has the same name, unless it is installed.
fn packaged(context: &Context, program: &str) -> Result<(), String> {
    if first_line(Command::new(program).arg("--version")).is_some() {
        return Ok(());
    }
    let installed = apt::install(&[program], |command| context.succeed(command));
    installed.map_err(|reason| format!("{program} is not installed ({reason})"))
}

fn git() -> Result<Vec<Command>, String> {
    Ok(vec![suite("git", &[TLS], python3()?, [workspace::root().join("tests/clients/git/main.py")])])
}

/// The interpreter for tests of programs that are not libraries.
fn python3() -> Result<&'static str, String> {
    first_line(Command::new("python3").args(["-c", "import unittest, sys; assert sys.version_info >= (3, 11)"]))
        .map(|_| "python3")
        .ok_or_else(|| "python3 3.11 or newer is not installed".into())
}

/// Runs the suites of a client in turn, up to the first that fails. They share a log, so the count includes all.
fn run(context: &Context, suites: Result<Vec<Command>, String>) -> Outcome {
    let suites = match suites.and_then(|suites| node().map(|()| suites)) {
        Ok(suites) => suites,
        Err(reason) => return Outcome::skipped(reason),
    };
    let mut outcome = Outcome::failed("no suite");
    for mut suite in suites {
        outcome = context.run_tests(&mut suite);
        if let Outcome::Failed { .. } = outcome {
            break;
        }
    }
    outcome
}

/// Checks for node, which runs the launcher.
fn node() -> Result<(), String> {
    first_line(Command::new("node").arg("--version")).map(drop).ok_or_else(|| "node is not installed".into())
}

/// A suite in the launcher that all of them share, which starts a new service and records its responses.
fn suite<A: AsRef<OsStr>>(
    name: &str,
    flags: &[&str],
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = A>,
) -> Command {
    let mut launcher = workspace::command("node");
    launcher.arg("tests/clients/run.mjs").arg(name).args(flags).arg("--").arg(program).args(arguments);
    launcher.env("PLINTH", workspace::plinth());
    launcher.env(workspace::CLIENT_RESPONSES_VARIABLE, workspace::recorded_responses());
    launcher
}
