//! Paths of the workspace, and commands that run in it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root directory of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace")
}

/// Cargo's target directory, which has files of xtask, too.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |directory| root().join(directory))
}

/// The service, built by the step `binary`.
pub fn plinth() -> PathBuf {
    target().join("debug/plinth")
}

/// Where tests and client suites record the responses that they get, for the step `conformance`.
pub fn recorded_responses() -> PathBuf {
    target().join("responses")
}

/// The variables with the directory for these recordings: of client suites, and of integration tests.
pub const CLIENT_RESPONSES_VARIABLE: &str = "PLINTH_RESPONSES";
pub const TEST_RESPONSES_VARIABLE: &str = "PLINTH_TEST_RESPONSES";

/// The benchmark program, built by the step `binary`.
pub fn plinth_bench() -> PathBuf {
    target().join("debug/plinth-bench")
}

/// A command that runs in the root directory.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    // These variables describe xtask itself; passed on, they would make the inner cargo rerun build scripts.
    for (name, _) in std::env::vars_os() {
        if describes_xtask(&name.to_string_lossy()) {
            command.env_remove(name);
        }
    }
    command
}

/// The cargo that started xtask.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = command(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(arguments);
    command
}

fn describes_xtask(name: &str) -> bool {
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "CARGO_PRIMARY_PACKAGE"
}
