//! The command line.

use std::time::Duration;

use crate::postgres::Source;

/// What `cargo xtask help` prints.
pub const HELP: &str = "\
cargo xtask COMMAND

  check      the quick round: format, clippy, docs, architecture
  test       everything; ends with a summary and a line `N passed, N failed`
  faults     the fault suite: kills, power cuts, full disks and the like, each with a control (docs/reliability.md)
  bench      measure the service against the limit; `cargo xtask bench --help` names the flags
  postgres   start a private PostgreSQL, print its URL, stop it on Ctrl-C
  help       this text

Flags of check, test and faults:
  --list             name the steps and stop
  --only NAME        run this step and what it needs (may be repeated)
  --skip NAME        leave this step out (may be repeated)
  --minutes N        limit of the whole run, 60 unless given; 600 for the long form of faults

Flags of faults:
  --short            the form that `cargo xtask test` runs, in minutes instead of hours
  --seed NUMBER      repeat the choices of an earlier run, which has printed its seed

Flag of test, faults and postgres:
  --postgres-from SOURCE    `found`, `apt` or `npm`: use only this one; without it, the first that works
";

/// Far above what a run takes on two idle cores, below what CI allows: a hang should end here, with its name, and not there.
const RUN_LIMIT: Duration = Duration::from_secs(60 * 60);
/// Some hours are what the long form of the fault suite takes.
const LONG_FAULTS_LIMIT: Duration = Duration::from_secs(10 * 60 * 60);

#[derive(Debug, PartialEq)]
pub enum Command {
    Help,
    Check(Options),
    Test(Options),
    Faults(Options),
    /// With the words that go to the program that measures.
    Bench(Vec<String>),
    Postgres(Option<Source>),
    /// Not for people: see `reaper.rs`.
    Reaper,
}

/// Which steps to run, and how.
#[derive(Debug, PartialEq)]
pub struct Options {
    pub list: bool,
    pub only: Vec<String>,
    pub skip: Vec<String>,
    pub limit: Duration,
    pub postgres_from: Option<Source>,
    pub faults: Faults,
}

/// How the fault suite runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Faults {
    pub long: bool,
    pub seed: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            list: false,
            only: Vec::new(),
            skip: Vec::new(),
            limit: RUN_LIMIT,
            postgres_from: None,
            faults: Faults { long: false, seed: None },
        }
    }
}

/// Reads the words after `cargo xtask`.
pub fn parse(words: &[String]) -> Result<Command, String> {
    let Some((name, flags)) = words.split_first() else { return Ok(Command::Help) };
    match name.as_str() {
        "help" | "--help" | "-h" => Ok(Command::Help),
        "check" => Ok(Command::Check(options(flags)?)),
        "test" => Ok(Command::Test(options(flags)?)),
        "faults" => Ok(Command::Faults(faults(flags)?)),
        "bench" => Ok(Command::Bench(flags.to_vec())),
        "postgres" => match options(flags)? {
            Options { postgres_from, .. } if flags.len() <= 2 => Ok(Command::Postgres(postgres_from)),
            _ => Err("postgres takes only --postgres-from".into()),
        },
        "reaper" => Ok(Command::Reaper),
        other => Err(format!("there is no command `{other}`; see `cargo xtask help`")),
    }
}

fn options(flags: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut words = flags.iter();
    while let Some(flag) = words.next() {
        let mut value = || words.next().cloned().ok_or(format!("{flag} needs a value"));
        match flag.as_str() {
            "--list" => options.list = true,
            "--only" => options.only.push(value()?),
            "--skip" => options.skip.push(value()?),
            "--minutes" => options.limit = minutes(&value()?)?,
            "--postgres-from" => options.postgres_from = Some(value()?.parse()?),
            other => return Err(format!("there is no flag `{other}`; see `cargo xtask help`")),
        }
    }
    Ok(options)
}

/// The long form, unless `--short` is said.
fn faults(flags: &[String]) -> Result<Options, String> {
    let (mut own, mut rest) = (Faults { long: true, seed: None }, Vec::new());
    let mut words = flags.iter();
    while let Some(flag) = words.next() {
        match flag.as_str() {
            "--short" => own.long = false,
            "--seed" => {
                let value = words.next().ok_or("--seed needs a value")?;
                own.seed = Some(value.parse().map_err(|_| format!("`{value}` is not a number"))?);
            }
            _ => rest.push(flag.clone()),
        }
    }
    let mut options = options(&rest)?;
    options.faults = own;
    if own.long && !rest.iter().any(|flag| flag == "--minutes") {
        options.limit = LONG_FAULTS_LIMIT;
    }
    Ok(options)
}

fn minutes(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(count @ 1..=1440) => Ok(Duration::from_secs(count * 60)),
        _ => Err(format!("`{text}` is not a number of minutes from 1 to 1440")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command, String> {
        parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn nothing_asks_for_help() {
        assert_eq!(read(""), Ok(Command::Help));
    }

    #[test]
    fn flags_add_up() {
        let expected = Options {
            only: vec!["unit".into(), "docs".into()],
            skip: vec!["deny".into()],
            limit: Duration::from_secs(180),
            postgres_from: Some(Source::Npm),
            ..Options::default()
        };
        let line = "test --only unit --skip deny --only docs --minutes 3 --postgres-from npm";
        assert_eq!(read(line), Ok(Command::Test(expected)));
    }

    #[test]
    fn faults_are_long_unless_short_is_said() {
        let long =
            Options { limit: LONG_FAULTS_LIMIT, faults: Faults { long: true, seed: None }, ..Options::default() };
        assert_eq!(read("faults"), Ok(Command::Faults(long)));
        let short =
            Options { only: vec!["F6".into()], faults: Faults { long: false, seed: Some(7) }, ..Options::default() };
        assert_eq!(read("faults --short --only F6 --seed 7"), Ok(Command::Faults(short)));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, part) in [
            ("tset", "`tset`"),
            ("test --onyl unit", "`--onyl`"),
            ("test --only", "--only needs a value"),
            ("faults --seed six", "`six`"),
            ("test --short", "`--short`"),
            ("test --minutes 0", "minutes from 1"),
            ("postgres --postgres-from brew", "`brew`"),
            ("postgres --only unit --list", "only --postgres-from"),
        ] {
            let text = read(line).expect_err(line);
            assert!(text.contains(part), "{line}: {text}");
        }
    }
}
