//! The workshop: what a developer and CI run, in one program without dependencies.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program speaks on its terminal")]

mod apt;
mod arguments;
mod bench;
mod browser;
mod clients;
mod durability;
mod faults;
mod npm;
mod outcome;
mod postgres;
mod process;
mod python;
mod reaper;
mod runner;
mod steps;
mod tally;
mod workspace;

use std::process::ExitCode;

use arguments::Command;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments::parse(&words) {
        Ok(Command::Help) => {
            print!("{}", arguments::HELP);
            Ok(ExitCode::SUCCESS)
        }
        Ok(Command::Check(options)) => runner::run(steps::quick(), &options),
        Ok(Command::Test(options)) => runner::run(steps::whole(), &options),
        Ok(Command::Faults(options)) => runner::run(faults::cases(), &options),
        Ok(Command::Bench(words)) => bench::run(&words),
        Ok(Command::Postgres(from)) => postgres::serve(from),
        Ok(Command::Reaper) => reaper::work(),
        Err(text) => Err(text),
    };
    done.unwrap_or_else(|text| {
        eprintln!("xtask: {text}");
        ExitCode::FAILURE
    })
}
