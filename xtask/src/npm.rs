//! Programs of this repository that need packages from npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{ask, succeed};
use crate::runner::Context;
use crate::workspace;

/// Copies a folder of the clone below cargo's folder and fetches there what its lock file names, so that the clone stays
/// clean. `beside` are files outside of it that its programs read; places stay the same in relation to each other.
pub fn unpack(context: &Context, folder: &str, beside: &[&str]) -> Result<PathBuf, String> {
    ask(Command::new("npm").arg("--version")).ok_or("there is no npm")?;
    let source = workspace::root().join(folder);
    let copies = workspace::target().join("npm");
    let copy = copies.join(folder);
    let is_fresh = same(&source.join("package-lock.json"), &copy.join("fetched.json"));
    for name in files(&source)? {
        copy_file(&source.join(&name), &copy.join(&name))?;
    }
    for file in beside {
        copy_file(&workspace::root().join(file), &copies.join(file))?;
    }
    if !is_fresh {
        let mut command = Command::new("npm");
        command.args(["ci", "--no-audit", "--no-fund"]).current_dir(&copy);
        let done = succeed(&context.reaper, &mut command, &context.log, context.limit);
        done.map_err(|reason| format!("npm could not fetch the packages ({reason})"))?;
        // Written last: without it, the packages may be there in part.
        copy_file(&source.join("package-lock.json"), &copy.join("fetched.json"))?;
    }
    Ok(copy)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = folder.read_dir().map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    Ok(entries.flatten().filter(is_file).map(|entry| entry.file_name().into()).collect())
}

fn copy_file(from: &Path, to: &Path) -> Result<(), String> {
    let folder = to.parent().expect("files lie in folders");
    let done = fs::create_dir_all(folder).and_then(|()| fs::copy(from, to));
    done.map(drop).map_err(|error| format!("{}: {error}", to.display()))
}

fn same(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}
