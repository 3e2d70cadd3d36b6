//! The `plinth` program.

use std::process::ExitCode;

use clap::Parser;
use plinth::cli::{self, Cli};
use plinth::permissions;

/// Every request allocates and frees several blocks of some kilobytes. The system's allocator joins and splits them
/// each time; mimalloc caches them per thread.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    permissions::restrict_new_files();
    match cli::run(Cli::parse(), &mut std::io::stdout()).await {
        Ok(code) => code,
        Err(error) => {
            // If standard error is closed, nobody reads the message, and the exit code is all that can be reported.
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("plinth: {error}\n"));
            ExitCode::FAILURE
        }
    }
}
