//! Where things are, and how cargo is called.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

/// Cargo's folder for what it builds, in which our own files may lie too.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The program that the step `binary` builds.
pub fn plinth() -> PathBuf {
    target().join("debug/plinth")
}

/// Where suites and stories write down what they were answered.
pub fn answers() -> PathBuf {
    target().join("answers")
}

/// The program that measures it, built by the same step.
pub fn plinth_bench() -> PathBuf {
    target().join("debug/plinth-bench")
}

/// A command in the workspace's folder.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    // What `cargo run` says about xtask itself would make build scripts of the inner cargo run again.
    for (name, _) in std::env::vars_os() {
        if is_about_xtask(&name.to_string_lossy()) {
            command.env_remove(name);
        }
    }
    command
}

/// The cargo that started us, with these words.
pub fn cargo(words: &[&str]) -> Command {
    let mut command = command(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(words);
    command
}

fn is_about_xtask(name: &str) -> bool {
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "CARGO_PRIMARY_PACKAGE"
}
