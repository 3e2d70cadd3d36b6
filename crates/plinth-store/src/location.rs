//! Where the store is, and what it survives.

use std::path::PathBuf;

/// Where the data is.
#[derive(Debug, Clone)]
pub enum Location {
    Sqlite {
        file: PathBuf,
        durability: Durability,
    },
    Postgres {
        url: String,
        connections_max: usize,
        /// Which server was used last, so that a former primary is not. A file of the data directory.
        epoch_file: Option<PathBuf>,
    },
}

/// What an acknowledged write survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A power cut: the log is synced before the write is acknowledged.
    PowerCut,
    /// A crash of the process, not of the machine. Only for comparing with `PowerCut`.
    ProcessCrash,
    /// Nothing: for data that is deleted when the process ends.
    None,
}
