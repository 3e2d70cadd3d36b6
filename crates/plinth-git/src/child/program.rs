//! Finds the git program and checks that it is installed.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::fs::Access;

use plinth_base::error::{Error, Result};

/// The path of the git program in the directories of `search_path`.
///
/// With a name instead of a path, the standard library starts a program that has an environment of its own by `fork`,
/// which copies the page tables of the whole service, instead of by `posix_spawn`, which copies nothing.
pub fn find_program(search_path: &OsStr) -> PathBuf {
    let candidates = std::env::split_paths(search_path).map(|directory| directory.join("git"));
    let is_program = |path: &PathBuf| path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok();
    // The name alone fails to start, with an error that says so.
    candidates.filter(|path| path.is_absolute()).find(is_program).unwrap_or_else(|| "git".into())
}

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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::child::{GitCommand, Limits};

    #[test]
    fn program_is_started_by_its_path() {
        let command = GitCommand::new(Path::new("/nonexistent"), "hash-object", Limits::default()).command;
        assert!(Path::new(command.get_program()).is_absolute(), "{command:?}");
        let search_path = std::env::join_paths(["/nonexistent", "relative", "/"]).expect("valid paths");
        assert_eq!(find_program(&search_path), Path::new("git"), "it is in none of these");
    }
}
