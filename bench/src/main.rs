//! Benchmarks: each row of the report compares the service with a program that does only the necessary work, measured
//! alternately in one run on one machine.
//!
//! Layers, from the top; a module uses only those below it:
//!
//! - `cli`, `run`: the command line; run the selected rows, write the report, compare with the targets
//! - `report`: results as Markdown and SVG
//! - `rows`: what is measured
//! - `seed`: the data it is measured on
//! - `harness`: the context of a run, and starting the service
//! - `servers`: the reference servers that the service is compared with
//! - `load`: the load generator
//! - `http`, `system`, `results`: HTTP/1.1, processes and their resource usage, plain result data

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program prints to its terminal")]

mod cli;
mod harness;
mod http;
mod load;
mod report;
mod results;
mod rows;
mod run;
mod seed;
mod servers;
mod system;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Some(Command::Serve { role }) => servers::serve(role),
        None if cli.options.list => {
            rows::ALL.iter().for_each(|row| println!("{:<20} {}", row.name, row.about));
            Ok(ExitCode::SUCCESS)
        }
        None => run::run(&cli.options),
    };
    done.unwrap_or_else(|error| {
        eprintln!("bench: {error:#}");
        ExitCode::FAILURE
    })
}
