//! The `plinth` program.

use std::process::ExitCode;

use clap::Parser;
use plinth::cli::{self, Cli};

#[tokio::main]
async fn main() -> ExitCode {
    match cli::run(Cli::parse(), &mut std::io::stdout()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error is for people; a closed one is nobody's loss.
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("plinth: {error}\n"));
            ExitCode::FAILURE
        }
    }
}
