//! Checks that the git program is installed.

use std::process::{Command, Stdio};

use plinth_base::error::{Error, Result};

/// Checks that git can be started; the error names the search path.
pub fn check_program() -> Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let failed = |why: &dyn std::fmt::Display| {
        let path = path.to_string_lossy();
        Error::BadRequest(format!(
            "the program git, which clones and pushes need, cannot be started: {why} (PATH={path})"
        ))
    };
    let output = Command::new("git").arg("--version").output().map_err(|error| failed(&error))?;
    if output.status.success() { Ok(()) } else { Err(failed(&output.status)) }
}

/// The version of the git program, such as `git version 2.47.0`.
pub fn program_version() -> Result<String> {
    let output = Command::new("git").arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| Error::BadRequest(format!("the program git cannot be started: {error}")))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::BadRequest(format!("the program git does not run: {message}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
