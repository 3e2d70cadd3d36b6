//! The command line.

use std::time::Duration;

use crate::fuzz;
use crate::postgres::Source;

/// The output of `cargo xtask help`.
pub const HELP: &str = "\
cargo xtask COMMAND

  check      quick checks: format, clippy, docs, architecture
  test       all checks; ends with a summary and a line `N passed, N failed`
  faults     the fault suite: kills, power cuts, full disks and the like (docs/reliability.md)
  fuzz       libFuzzer on every parser of bytes from outside (docs/reliability.md, F15)
  dist       the optimized program for distribution, as target/dist/plinth
  bench      benchmarks; `cargo xtask bench --help` lists the flags
  postgres   start a private PostgreSQL, print its URL, stop it on Ctrl-C
  help       print this text

Flags of check, test, faults and fuzz:
  --list             list the steps and exit
  --only NAME        run this step and the steps it needs (may be repeated)
  --skip NAME        skip this step (may be repeated)
  --minutes N        time limit of the whole run, 80 by default, 2880 for the long form of faults

Flags of faults:
  --short            minutes instead of hours

Flag of faults and fuzz:
  --seed NUMBER      repeat the choices of an earlier run, which has printed its seed

Flag of fuzz:
  --seconds N        time for each target, 60 by default

Flag of dist:
  --record           record a profile of the program's work first, for this compiler (CONTRIBUTING.md)

Flag of test, faults and postgres:
  --postgres-from SOURCE    `found`, `apt` or `npm`; by default the first that works
";

/// Far above what a run takes on two idle cores, and below the limit of CI: a hang should end here, with the name of its step.
const RUN_LIMIT: Duration = Duration::from_secs(80 * 60);
/// The long form of the fault suite takes hours, and more than a day with F15.
const LONG_FAULTS_LIMIT: Duration = Duration::from_secs(48 * 60 * 60);

#[derive(Debug, PartialEq)]
pub enum Command {
    Help,
    Check(Options),
    Test(Options),
    Faults(Options),
    Fuzz(Options),
    /// With its flags.
    Dist(Vec<String>),
    /// With the flags for the benchmark program.
    Bench(Vec<String>),
    Postgres(Option<Source>),
    /// Started by xtask itself: see `reaper.rs`.
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
    pub fuzz_seconds: u64,
}

/// How the fault suite runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Faults {
    pub long: bool,
    pub seed: Option<u64>,
}

impl Faults {
    const SHORT: Self = Self { long: false, seed: None };
}

impl Default for Options {
    fn default() -> Self {
        let (only, skip) = (Vec::new(), Vec::new());
        let (postgres_from, faults, fuzz_seconds) = (None, Faults::SHORT, fuzz::SHORT_SECONDS);
        Self { list: false, only, skip, limit: RUN_LIMIT, postgres_from, faults, fuzz_seconds }
    }
}

/// Parses the words after `cargo xtask`.
pub fn parse(words: &[String]) -> Result<Command, String> {
    let Some((name, flags)) = words.split_first() else { return Ok(Command::Help) };
    match name.as_str() {
        "help" | "--help" | "-h" => Ok(Command::Help),
        "check" => Ok(Command::Check(options(flags)?)),
        "test" => Ok(Command::Test(options(flags)?)),
        "faults" => Ok(Command::Faults(fault_options(flags)?)),
        "fuzz" => Ok(Command::Fuzz(fuzz_options(flags)?)),
        "dist" => Ok(Command::Dist(flags.to_vec())),
        "bench" => Ok(Command::Bench(flags.to_vec())),
        "postgres" => match options(flags)? {
            Options { postgres_from, .. } if flags.len() <= 2 => Ok(Command::Postgres(postgres_from)),
            _ => Err("postgres accepts only --postgres-from".into()),
        },
        "reaper" => Ok(Command::Reaper),
        other => Err(format!("unknown command `{other}`; see `cargo xtask help`")),
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
            other => return Err(format!("unknown flag `{other}`; see `cargo xtask help`")),
        }
    }
    Ok(options)
}

/// The long form, unless `--short` is given.
fn fault_options(flags: &[String]) -> Result<Options, String> {
    let (mut faults, mut others) = (Faults { long: true, seed: None }, Vec::new());
    let mut words = flags.iter();
    while let Some(flag) = words.next() {
        match flag.as_str() {
            "--short" => faults.long = false,
            "--seed" => faults.seed = Some(number(flag, words.next())?),
            _ => others.push(flag.clone()),
        }
    }
    let mut options = options(&others)?;
    options.faults = faults;
    if faults.long && !others.iter().any(|flag| flag == "--minutes") {
        options.limit = LONG_FAULTS_LIMIT;
    }
    Ok(options)
}

fn fuzz_options(flags: &[String]) -> Result<Options, String> {
    let (mut seed, mut seconds, mut others) = (None, fuzz::SHORT_SECONDS, Vec::new());
    let mut words = flags.iter();
    while let Some(flag) = words.next() {
        match flag.as_str() {
            "--seed" => seed = Some(number(flag, words.next())?),
            "--seconds" => seconds = number(flag, words.next())?.clamp(1, 24 * 60 * 60),
            _ => others.push(flag.clone()),
        }
    }
    let mut options = options(&others)?;
    options.faults.seed = seed;
    options.fuzz_seconds = seconds;
    if !others.iter().any(|flag| flag == "--minutes") {
        options.limit = fuzz::run_limit(seconds);
    }
    Ok(options)
}

fn number(flag: &str, value: Option<&String>) -> Result<u64, String> {
    let value = value.ok_or(format!("{flag} needs a value"))?;
    value.parse().map_err(|_| format!("`{value}` is not a number"))
}

fn minutes(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(count @ 1..=2880) => Ok(Duration::from_secs(count * 60)),
        _ => Err(format!("`{text}` is not a number of minutes from 1 to 2880")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Result<Command, String> {
        parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn no_command_prints_help() {
        assert_eq!(parse_line(""), Ok(Command::Help));
    }

    #[test]
    fn help_lists_every_flag_once() {
        for flag in
            ["--list", "--only", "--skip", "--minutes", "--short", "--seed", "--seconds", "--record", "--postgres-from"]
        {
            let listed = HELP.lines().filter(|line| line.trim_start().starts_with(flag)).count();
            assert_eq!(listed, 1, "{flag}");
        }
    }

    #[test]
    fn repeated_flags_add_up() {
        let expected = Options {
            only: vec!["unit".into(), "docs".into()],
            skip: vec!["deny".into()],
            limit: Duration::from_secs(180),
            postgres_from: Some(Source::Npm),
            ..Options::default()
        };
        let line = "test --only unit --skip deny --only docs --minutes 3 --postgres-from npm";
        assert_eq!(parse_line(line), Ok(Command::Test(expected)));
    }

    #[test]
    fn faults_are_long_by_default() {
        let faults = Faults { long: true, seed: None };
        let long = Options { limit: LONG_FAULTS_LIMIT, faults, ..Options::default() };
        assert_eq!(parse_line("faults"), Ok(Command::Faults(long)));
        let faults = Faults { long: false, seed: Some(7) };
        let short = Options { only: vec!["F6".into()], faults, ..Options::default() };
        assert_eq!(parse_line("faults --short --only F6 --seed 7"), Ok(Command::Faults(short)));
    }

    #[test]
    fn fuzz_has_time_for_each_target() {
        let Ok(Command::Fuzz(options)) = parse_line("fuzz --only diff --seconds 7 --seed 3") else { panic!() };
        assert_eq!((options.fuzz_seconds, options.faults.seed, options.limit), (7, Some(3), fuzz::run_limit(7)));
    }

    #[test]
    fn errors_name_the_wrong_argument() {
        for (line, part) in [
            ("tset", "`tset`"),
            ("test --onyl unit", "`--onyl`"),
            ("test --only", "--only needs a value"),
            ("faults --seed six", "`six`"),
            ("test --short", "`--short`"),
            ("fuzz --seconds x", "`x`"),
            ("test --minutes 0", "minutes from 1"),
            ("postgres --postgres-from brew", "`brew`"),
            ("postgres --only unit --list", "only --postgres-from"),
        ] {
            let text = parse_line(line).expect_err(line);
            assert!(text.contains(part), "{line}: {text}");
        }
    }
}
