//! Real clients against a real server, and what they were told against GitHub's own description.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::ask;
use crate::runner::Context;
use crate::steps::{Need, Outcome, Step, exits_with_success, minutes, runs_tests};
use crate::{apt, npm, python, workspace};

pub const OCTOKIT: Step = Step {
    name: "client-octokit",
    about: "octokit with its plugins and App calls every operation, where npm can fetch it",
    needs: &[Need::Step("binary")],
    limit: minutes(6),
    run: |context| run(context, octokit(context)),
};

pub const PYTHON: Step = Step {
    name: "client-python",
    about: "PyGithub and githubkit call every operation that they have, where PyPI can be reached",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| run(context, python(context)),
};

pub const GH: Step = Step {
    name: "client-gh",
    about: "gh calls every operation over TLS, where there is one or apt can install it",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| run(context, gh(context)),
};

pub const GIT: Step = Step {
    name: "client-git",
    about: "git clones and pushes, and the API sees it at once",
    needs: &[Need::Step("binary")],
    limit: minutes(5),
    run: |context| run(context, git()),
};

const COVERS: &str = "--covers";
const TLS: &str = "--tls";
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
            exits_with_success(context, &mut command)
        }
        Err(reason) => Outcome::skipped(reason),
    },
};

pub const OCTOCRAB: Step = Step {
    name: "client-octocrab",
    about: "octocrab calls every operation, as itself and as an app, where there is node to start the service",
    needs: &[Need::Cargo, Need::Step("binary")],
    limit: minutes(12),
    run: |context| {
        if ask(Command::new("node").arg("--version")).is_none() {
            return Outcome::skipped("there is no node, which starts the service");
        }
        let words = ["test", "--locked", "--package", "client-octocrab"];
        runs_tests(context, &mut suite("octocrab", &[COVERS], "cargo", words))
    },
};

pub const EXAMPLE_RUST: Step = Step {
    name: "example-rust",
    about: "the example for Rust passes its own tests",
    needs: &[Need::Cargo, Need::Step("binary")],
    limit: minutes(12),
    run: |context| {
        let mut command = workspace::cargo(&["test", "--locked", "--package", "plinth-example-rust", "--tests"]);
        runs_tests(context, command.env("PLINTH", workspace::plinth()))
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

fn octokit(context: &Context) -> Result<Vec<Command>, String> {
    let folder = npm::unpack(context, "tests/clients/octokit", &[])?;
    Ok(vec![
        suite("octokit", &[COVERS], "node", [folder.join("suite.mjs")]),
        suite("octokit-limits", SMALL_BUDGETS, "node", [folder.join("limits.mjs")]),
    ])
}

fn python(context: &Context) -> Result<Vec<Command>, String> {
    let folder = workspace::root().join("tests/clients/python");
    let program = python::environment(context, "tests/clients/python")?;
    let lacking = fs::read_to_string(folder.join("pygithub-lacks.txt")).map_err(|error| error.to_string())?;
    let lacks: Vec<String> = lacking.split_whitespace().map(|operation| format!("--lacks={operation}")).collect();
    let pygithub: Vec<&str> = lacks.iter().map(String::as_str).chain([COVERS]).collect();
    let with_flags = [("pygithub", &pygithub[..]), ("githubkit", &[COVERS]), ("limits", SMALL_BUDGETS)];
    let suites = with_flags.into_iter().map(|(stories, flags)| {
        let mut command = suite(&format!("python-{stories}"), flags, &program, [folder.join("main.py")]);
        command.arg(stories);
        command
    });
    Ok(suites.collect())
}

fn gh(context: &Context) -> Result<Vec<Command>, String> {
    let is_here = || ask(Command::new("gh").arg("--version")).is_some();
    if !is_here() {
        apt::install(context, &["gh"]).map_err(|reason| format!("there is no gh ({reason})"))?;
    }
    Ok(vec![suite("gh", &[COVERS, TLS], python3()?, [workspace::root().join("tests/clients/gh/main.py")])])
}

fn git() -> Result<Vec<Command>, String> {
    Ok(vec![suite("git", &[TLS], python3()?, [workspace::root().join("tests/clients/git/main.py")])])
}

/// What runs the stories of programs that are not libraries.
fn python3() -> Result<&'static str, String> {
    ask(Command::new("python3").args(["-c", "import unittest, sys; assert sys.version_info >= (3, 11)"]))
        .map(|_| "python3")
        .ok_or_else(|| "there is no python3 of at least 3.11".into())
}

/// The suites of a client in turn, up to the first that fails. The log has the tests of all, and so has the count.
fn run(context: &Context, suites: Result<Vec<Command>, String>) -> Outcome {
    let suites = match suites.and_then(|suites| node().map(|()| suites)) {
        Ok(suites) => suites,
        Err(reason) => return Outcome::skipped(reason),
    };
    let mut outcome = Outcome::failed("there is no suite");
    for mut suite in suites {
        outcome = runs_tests(context, &mut suite);
        if let Outcome::Failed { .. } = outcome {
            break;
        }
    }
    outcome
}

/// What the launcher is written for.
fn node() -> Result<(), String> {
    ask(Command::new("node").arg("--version")).map(drop).ok_or_else(|| "there is no node".into())
}

/// A suite with the launcher that all of them share: a fresh service, and a record of its answers.
fn suite<W: AsRef<OsStr>>(
    name: &str,
    flags: &[&str],
    program: impl AsRef<OsStr>,
    words: impl IntoIterator<Item = W>,
) -> Command {
    let mut launcher = workspace::command("node");
    launcher.arg("tests/clients/run.mjs").arg(name).args(flags).arg("--").arg(program).args(words);
    launcher.env("PLINTH", workspace::plinth()).env("PLINTH_ANSWERS", workspace::answers());
    launcher
}
