//! The git program itself, which clone, push and maintenance start.

use std::process::Command;

use plinth_base::error::{Error, Result};

/// Whether git can be started; the message names where it was looked for.
pub fn check_program() -> Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let refused = |why: &dyn std::fmt::Display| {
        let path = path.to_string_lossy();
        Error::BadRequest(format!(
            "the program git, which clones and pushes need, cannot be started: {why} (PATH={path})"
        ))
    };
    let ended = Command::new("git").arg("--version").output().map_err(|error| refused(&error))?;
    if ended.status.success() { Ok(()) } else { Err(refused(&ended.status)) }
}
