//! Programs from PyPI, each in an environment of its own below cargo's folder.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::process::{ask, succeed};
use crate::runner::Context;
use crate::steps::{Need, Outcome, Step, exits_with_success, minutes};
use crate::workspace;

pub const OPENAPI: Step = Step {
    name: "openapi",
    about: "the served description is valid OpenAPI 3.1, where Python and its packages are to be had",
    needs: &[Need::Step("binary")],
    limit: minutes(5),
    run: |context| run(context, "tests/openapi", "validate.py"),
};

pub const SCHEMATHESIS: Step = Step {
    name: "schemathesis",
    about: "requests made from the description, with each kind of token: no fault, no answer outside of it",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| run(context, "tests/schemathesis", "conform.py"),
};

/// Runs a script of a folder with the packages that its `requirements.txt` names.
fn run(context: &Context, folder: &str, script: &str) -> Outcome {
    match environment(context, folder) {
        Ok(python) => {
            let mut command = Command::new(python);
            command.arg(workspace::root().join(folder).join(script));
            command.current_dir(workspace::root()).env("PLINTH", workspace::plinth());
            exits_with_success(context, &mut command)
        }
        Err(reason) => Outcome::skipped(reason),
    }
}

/// The interpreter of an environment that has exactly the packages of a folder's `requirements.txt`; made anew when they
/// change.
pub fn environment(context: &Context, folder: &str) -> Result<PathBuf, String> {
    ask(Command::new("python3").args(["-c", "import venv, ensurepip"]))
        .ok_or("there is no python3 with venv and pip")?;
    let wanted = workspace::root().join(folder).join("requirements.txt");
    let wanted_text = fs::read(&wanted).map_err(|error| format!("{}: {error}", wanted.display()))?;
    let folder = workspace::target().join("python").join(folder);
    let python = folder.join("bin/python");
    // Written last: an environment without it was not finished.
    let kept = folder.join("requirements.txt");
    if fs::read(&kept).is_ok_and(|kept| kept == wanted_text) {
        return Ok(python);
    }
    let succeed = |command: &mut Command| succeed(&context.reaper, command, &context.log, context.limit);
    succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&wanted);
    succeed(&mut install).map_err(|reason| format!("pip could not fetch the packages ({reason})"))?;
    fs::write(&kept, wanted_text).map_err(|error| format!("{}: {error}", kept.display()))?;
    Ok(python)
}
