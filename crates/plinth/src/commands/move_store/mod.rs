//! `plinth move`: copies a store from a data directory to PostgreSQL and an object storage, or back.
//!
//! The source is not changed, and nobody may use it meanwhile, except for `--prepare`.

mod incoming;
mod outgoing;
mod preparation;
mod verification;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use incoming::Incoming;
use outgoing::Outgoing;
use preparation::Preparation;

use crate::config::Options;
use plinth_base::error::{Error, Result};

/// Copy a store between a data directory and the database of --database with the storage of --objects, while no server uses it
#[derive(Debug, Args)]
pub struct Move {
    /// The data directory to copy from: with a SQLite database, or the packs of the PostgreSQL database
    #[arg(long, value_name = "DIRECTORY", required_unless_present = "to", conflicts_with = "to")]
    from: Option<PathBuf>,
    /// The data directory to copy to, with a SQLite database; it must not exist
    #[arg(long, value_name = "DIRECTORY")]
    to: Option<PathBuf>,
    /// Copy only packs, while a server still uses them; then stop the server and run the same command without --prepare, which
    /// copies the rest
    #[arg(long, conflicts_with = "to")]
    prepare: bool,
    /// Report progress in lines on standard error, even if it is not a terminal
    #[arg(long)]
    progress: bool,
}

impl Move {
    pub async fn run(self, options: Options, out: &mut (dyn Write + Send)) -> Result<()> {
        options.check_values()?;
        let progress = self.progress;
        let (Some(url), Some(storage)) = (options.database.clone(), options.object_storage()?) else {
            return Err(Error::BadRequest("say which database and storage with --database and --objects".into()));
        };
        match (self.from, self.to) {
            (Some(from), _) if self.prepare => Preparation { from, progress }.run(storage, out).await,
            (Some(from), _) => Outgoing { from, progress }.run(options, (url, storage), out).await,
            (None, Some(to)) => Incoming { to, progress }.run(options, (url, storage), out).await,
            (None, None) => Err(Error::BadRequest("say which data directory with --from or --to".into())),
        }
    }
}
