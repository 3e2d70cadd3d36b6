//! The `plinth` program.

use std::process::ExitCode;

use clap::Parser;
use plinth::cli::{self, Cli};

/// A request takes and gives back several pieces of some kilobytes, which the system's allocator joins and splits each
/// time; this one keeps them ready.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[tokio::main]
async fn main() -> ExitCode {
    cli::restrict_new_files();
    match cli::run(Cli::parse(), &mut std::io::stdout()).await {
        Ok(code) => code,
        Err(error) => {
            // Standard error is for people; a closed one is nobody's loss.
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("plinth: {error}\n"));
            ExitCode::FAILURE
        }
    }
}
