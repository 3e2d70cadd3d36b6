//! The command line.

use std::path::PathBuf;

use crate::Result;
use crate::servers::Role;

/// What `cargo xtask bench --help` prints.
pub const HELP: &str = "\
cargo xtask bench [FLAGS]

  --quick            small sizes and short rounds: a smoke test of the harness, in less than two minutes
  --check            exit with a failure where a figure misses its target by more than its spread
  --publish          put the figures into docs/benchmarks.md
  --only NAME        measure this row only (may be repeated)
  --list             name the rows and stop
  --rounds N         rounds of each comparison
  --seconds S        length of one round for one server
  --plinth FILE      the program to measure
  --folder FOLDER    where seeds, data and the report go
  --help             this text
";

#[derive(Debug, PartialEq)]
pub enum Command {
    Help,
    List,
    Run(Options),
    /// Not for people: this program as one of the servers that the service is measured against.
    Serve(Role),
}

/// What to measure, and how.
#[derive(Debug, Default, PartialEq)]
pub struct Options {
    pub quick: bool,
    pub check: bool,
    pub publish: bool,
    pub only: Vec<String>,
    pub rounds: Option<usize>,
    pub seconds: Option<f64>,
    pub plinth: Option<PathBuf>,
    pub folder: Option<PathBuf>,
}

pub fn parse(words: &[String]) -> Result<Command> {
    if let Some(("serve", role)) = words.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return Role::parse(role).map(Command::Serve);
    }
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(flag) = words.next() {
        let mut value = || words.next().cloned().ok_or(format!("{flag} needs a value"));
        match flag.as_str() {
            "--help" | "-h" => return Ok(Command::Help),
            "--list" => return Ok(Command::List),
            "--quick" => options.quick = true,
            "--check" => options.check = true,
            "--publish" => options.publish = true,
            "--only" => options.only.push(value()?),
            "--rounds" => options.rounds = Some(number(&value()?)?),
            "--seconds" => options.seconds = Some(number(&value()?)?),
            "--plinth" => options.plinth = Some(value()?.into()),
            "--folder" => options.folder = Some(value()?.into()),
            other => return Err(format!("there is no flag `{other}`; see --help")),
        }
    }
    Ok(Command::Run(options))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T> {
    text.parse().map_err(|_| format!("`{text}` is not a number that fits here"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command> {
        parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn flags_add_up() {
        let expected = Options {
            quick: true,
            only: vec!["get-ref".into(), "start".into()],
            seconds: Some(0.5),
            ..Options::default()
        };
        assert_eq!(read("--only get-ref --quick --seconds 0.5 --only start"), Ok(Command::Run(expected)));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, part) in [
            ("--onyl x", "`--onyl`"),
            ("--only", "--only needs"),
            ("--rounds x", "`x`"),
            ("serve nothing", "`nothing`"),
        ] {
            let text = read(line).expect_err(line);
            assert!(text.contains(part), "{line}: {text}");
        }
    }
}
