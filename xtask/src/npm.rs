//! Programs of this repository that need packages from npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::first_line;
use crate::step::Context;
use crate::workspace;

/// Copies a directory of the repository into the target directory and installs the packages of its lock file there, so
/// that the work tree stays clean. `others` are files outside of it that its programs read; relative paths stay the same.
pub fn install(context: &Context, directory: &str, others: &[&str]) -> Result<PathBuf, String> {
    install_by(context, "ci", directory, others)
}

/// The same for a lock file without the packages of other platforms, of which the registry may not have all: `npm ci`
/// rejects it.
pub fn install_for_this_platform(context: &Context, directory: &str) -> Result<PathBuf, String> {
    install_by(context, "install", directory, &[])
}

fn install_by(context: &Context, npm_command: &str, directory: &str, others: &[&str]) -> Result<PathBuf, String> {
    first_line(Command::new("npm").arg("--version")).ok_or("npm is not installed")?;
    let source = workspace::root().join(directory);
    let copies = workspace::target().join("npm");
    let copy = copies.join(directory);
    let is_installed = same(&source.join("package-lock.json"), &copy.join("installed.json"));
    copy_files(&source, &copy)?;
    for file in others {
        copy_file(&workspace::root().join(file), &copies.join(file))?;
    }
    if !is_installed {
        let mut command = Command::new("npm");
        command.args([npm_command, "--no-save", "--no-audit", "--no-fund"]).current_dir(&copy);
        context.succeed(&mut command).map_err(|reason| format!("npm could not install the packages ({reason})"))?;
        // Written last: without it, the packages may be incomplete.
        copy_file(&source.join("package-lock.json"), &copy.join("installed.json"))?;
    }
    Ok(copy)
}

/// Copies the files of a directory, without those below it.
pub fn copy_files(from: &Path, to: &Path) -> Result<(), String> {
    files(from)?.iter().try_for_each(|name| copy_file(&from.join(name), &to.join(name)))
}

fn files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = directory.read_dir().map_err(|error| format!("{}: {error}", directory.display()))?;
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    Ok(entries.flatten().filter(is_file).map(|entry| entry.file_name().into()).collect())
}

fn copy_file(from: &Path, to: &Path) -> Result<(), String> {
    let directory = to.parent().expect("a file has a parent");
    let done = fs::create_dir_all(directory).and_then(|()| fs::copy(from, to));
    done.map(drop).map_err(|error| format!("{}: {error}", to.display()))
}

fn same(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}
