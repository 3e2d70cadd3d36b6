//! Programs from PyPI, each in its own virtual environment in the target directory.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::outcome::Outcome;
use crate::process::first_line;
use crate::step::{Context, Need, Step, minutes};
use crate::workspace;

pub const OPENAPI: Step = Step {
    name: "openapi",
    about: "the served description is valid OpenAPI 3.1, if Python and its packages are available",
    needs: &[Need::Step("binary")],
    limit: minutes(5),
    run: |context| run(context, "tests/openapi", "validate.py"),
};

pub const SCHEMATHESIS: Step = Step {
    name: "schemathesis",
    about: "requests generated from the description, with each kind of token: no server error, no undescribed response",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| run(context, "tests/schemathesis", "conform.py"),
};

/// Runs a script with the packages of the `requirements.txt` in its directory.
fn run(context: &Context, directory: &str, script: &str) -> Outcome {
    match environment(context, directory) {
        Ok(python) => {
            let mut command = Command::new(python);
            command.arg(workspace::root().join(directory).join(script));
            command.current_dir(workspace::root()).env("PLINTH", workspace::plinth());
            context.run_command(&mut command)
        }
        Err(reason) => Outcome::skipped(reason),
    }
}

/// The interpreter of an environment with exactly the packages of a `requirements.txt`; recreated when they change.
pub fn environment(context: &Context, directory: &str) -> Result<PathBuf, String> {
    first_line(Command::new("python3").args(["-c", "import venv, ensurepip"]))
        .ok_or("python3 with venv and pip is not installed")?;
    let required = workspace::root().join(directory).join("requirements.txt");
    let required_text = fs::read(&required).map_err(|error| format!("{}: {error}", required.display()))?;
    let environment = workspace::target().join("python").join(directory);
    let python = environment.join("bin/python");
    // Written last: without it, the environment is incomplete.
    let installed = environment.join("requirements.txt");
    if fs::read(&installed).is_ok_and(|installed| installed == required_text) {
        return Ok(python);
    }
    context.succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment))?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&required);
    context.succeed(&mut install).map_err(|reason| format!("pip could not install the packages ({reason})"))?;
    fs::write(&installed, required_text).map_err(|error| format!("{}: {error}", installed.display()))?;
    Ok(python)
}
