//! How far the service is from the limit: each row of the report is a ratio to a program that does only what must be
//! done, measured alternately in one run on one machine.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program speaks on its terminal")]

mod arguments;
mod bench;
mod figure;
mod http;
mod load;
mod machine;
mod process;
mod report;
mod rows;
mod seed;
mod servers;
mod service;
mod usage;

use std::process::ExitCode;

use arguments::Command;

/// What went wrong, for people.
pub type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments::parse(&words) {
        Ok(Command::Help) => {
            print!("{}", arguments::HELP);
            Ok(ExitCode::SUCCESS)
        }
        Ok(Command::List) => {
            rows::ALL.iter().for_each(|row| println!("{:<20} {}", row.name, row.about));
            Ok(ExitCode::SUCCESS)
        }
        Ok(Command::Run(options)) => bench::run(options),
        Ok(Command::Serve(role)) => servers::serve(role),
        Err(text) => Err(text),
    };
    done.unwrap_or_else(|text| {
        eprintln!("bench: {text}");
        ExitCode::FAILURE
    })
}
