//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::servers::Role;

/// Compares the service with programs that do only the necessary work.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask bench", disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub options: Options,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Runs one of the reference servers. The benchmarks start these themselves.
    #[command(hide = true)]
    Serve {
        #[command(subcommand)]
        role: Role,
    },
}

/// What to measure, and how.
#[derive(Debug, Default, PartialEq, Args)]
pub struct Options {
    /// Use small sizes and short rounds: a smoke test of the benchmarks, in less than two minutes
    #[arg(long)]
    pub quick: bool,
    /// Exit with a failure if a figure misses its target by more than its spread
    #[arg(long)]
    pub check: bool,
    /// Write the figures into docs/benchmarks.md
    #[arg(long)]
    pub publish: bool,
    /// Measure only this row (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// List the rows and exit
    #[arg(long)]
    pub list: bool,
    /// Rounds of each comparison
    #[arg(long, value_name = "N")]
    pub rounds: Option<usize>,
    /// Length of one round for one server
    #[arg(long, value_name = "S")]
    pub seconds: Option<f64>,
    /// The program to measure
    #[arg(long, value_name = "FILE")]
    pub plinth: Option<PathBuf>,
    /// Where to put seeds, data and the report
    #[arg(long, value_name = "DIRECTORY")]
    pub directory: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(std::iter::once("bench").chain(line.split_whitespace()))
    }

    #[test]
    fn repeated_flags_add_up() {
        let expected = Options {
            quick: true,
            only: vec!["get-ref".into(), "start".into()],
            seconds: Some(0.5),
            ..Options::default()
        };
        let parsed = parse("--only get-ref --quick --seconds 0.5 --only start").expect("the flags exist");
        assert_eq!(parsed.options, expected);
    }

    #[test]
    fn errors_name_the_wrong_argument() {
        for (line, part) in
            [("--onyl x", "'--onyl'"), ("--only", "'--only"), ("--rounds x", "'x'"), ("serve nothing", "'nothing'")]
        {
            let text = parse(line).expect_err(line).to_string();
            assert!(text.contains(part), "{line}: {text}");
        }
    }

    #[test]
    fn a_role_survives_its_arguments() {
        use crate::servers::{Insert, Synchronous};
        for role in [
            Role::Bare { responses: "a.json".into() },
            Role::MinimalWriter {
                responses: "a.json".into(),
                database: "b.db".into(),
                synchronous: Synchronous::Normal,
                insert: Insert::Comment,
            },
            Role::HttpBackend { repositories: "c".into() },
            Role::PostgresReader { responses: "a.json".into(), url: "postgres://a/b".into() },
            Role::PostgresWriter {
                responses: "a.json".into(),
                url: "postgres://a/b".into(),
                insert: Insert::Ref,
                repositories: 100,
            },
        ] {
            let words = role.arguments();
            let cli = Cli::try_parse_from(std::iter::once("bench".to_owned()).chain(words)).expect("it can be parsed");
            assert!(matches!(cli.command, Some(Command::Serve { role: parsed }) if parsed == role));
        }
    }
}
