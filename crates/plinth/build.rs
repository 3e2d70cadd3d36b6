//! Tells the program which commit it was built from.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PLINTH_COMMIT");
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=PLINTH_VERSION={} ({commit})", env!("CARGO_PKG_VERSION"));
    } else {
        println!("cargo::rustc-env=PLINTH_VERSION={}", env!("CARGO_PKG_VERSION"));
    }
}

/// The commit in `PLINTH_COMMIT`, for builds without a repository, or the one that is checked out. A build without
/// optimization has none: each commit would compile the crate again.
fn commit() -> Option<String> {
    if let Ok(commit) = std::env::var("PLINTH_COMMIT") {
        return Some(commit);
    }
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        return None;
    }
    let directory = git(&["rev-parse", "--absolute-git-dir"])?;
    println!("cargo::rerun-if-changed={directory}/logs/HEAD");
    let is_changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|changes| !changes.is_empty());
    Some(git(&["rev-parse", "--short=12", "HEAD"])? + if is_changed { ", changed" } else { "" })
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
