//! Data to measure on, made once by the commands and the API of the service itself, and kept for the next run.

pub mod anchors;
pub mod histories;
mod history;
pub mod large;
pub mod refs;
pub mod sizes;
pub mod wide;
mod world;

use std::path::{Path, PathBuf};
use std::process::Command;

pub use history::History;
pub use world::{COMMENTS, MOVING, REFS, World, changed_line};

use crate::Result;
use crate::bench::Bench;
use crate::process::succeed;

/// Written last: a seed without it was not finished.
const MARK: &str = "finished";

/// Raised when seeds are made otherwise than before.
const VERSION: u32 = 3;

/// The folder of a seed, made by `make` where it is not there yet.
pub fn keep(bench: &Bench, name: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let folder = bench.folder.join("seeds").join(format!("{name}-{VERSION}-{}", schema()));
    if folder.join(MARK).exists() {
        return Ok(folder);
    }
    println!("  making the seed {name}");
    let begun = std::time::Instant::now();
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(io)?;
    }
    std::fs::create_dir_all(&folder).map_err(io)?;
    bench.machine.unpin_this_thread();
    make(&folder)?;
    std::fs::write(folder.join(MARK), "").map_err(io)?;
    println!("  made in {:.1} s", begun.elapsed().as_secs_f64());
    Ok(folder)
}

/// A data folder that may be changed, with the contents of a seed's.
pub fn copy(seed: &Path, to: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    succeed(Command::new("cp").arg("-r").arg(seed.join("data")).arg(to))?;
    Ok(to.join("data"))
}

/// Changes with the schema, so that no seed is older than the tables it is for.
fn schema() -> u64 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations/sqlite");
    let Ok(entries) = folder.read_dir() else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}
