//! The tasks that a developer and CI run, in one program without dependencies, so that it builds in seconds.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program prints to its terminal")]

mod apt;
mod arguments;
mod bench;
mod browser;
mod clients;
mod dist;
mod durability;
mod faults;
mod fuzz;
mod nodes;
mod npm;
mod outcome;
mod packages;
mod postgres;
mod process;
mod python;
mod reaper;
mod runner;
mod signal;
mod step;
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
        Ok(Command::Test(options)) => runner::run(steps::test(&options), &options),
        Ok(Command::Faults(options)) => runner::run(faults::cases(), &options),
        Ok(Command::Fuzz(options)) => runner::run(fuzz::steps(), &options),
        Ok(Command::Bench(flags)) => bench::run(&flags),
        Ok(Command::Dist(flags)) => dist::run(&flags),
        Ok(Command::Postgres(from)) => postgres::serve(from),
        Ok(Command::Reaper) => reaper::run(),
        Err(text) => Err(text),
    };
    done.unwrap_or_else(|text| {
        eprintln!("xtask: {text}");
        ExitCode::FAILURE
    })
}
