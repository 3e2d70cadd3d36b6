//! Seeds on disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result};

use crate::harness::Context;
use crate::system::output_of;

/// Written last: a seed without this file is incomplete.
const COMPLETE: &str = "complete";

/// Raise it when the code that creates seeds changes.
const VERSION: u32 = 5;

/// Returns the directory of a seed; `create` fills it unless it exists.
pub fn get_or_create(context: &Context, name: &str, create: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let directory = context.directory.join("seeds").join(format!("{name}-{VERSION}-{}", schema_size()));
    if directory.join(COMPLETE).exists() {
        return Ok(directory);
    }
    println!("  creating the seed {name}");
    let begun = Instant::now();
    if directory.exists() {
        fs::remove_dir_all(&directory).with_context(|| directory.display().to_string())?;
    }
    fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
    context.machine.unpin_this_thread();
    create(&directory)?;
    fs::write(directory.join(COMPLETE), "").with_context(|| directory.display().to_string())?;
    println!("  created in {:.1} s", begun.elapsed().as_secs_f64());
    Ok(directory)
}

/// Copies the data directory of a seed, for a row that changes it.
pub fn copy_data(seed: &Path, to: &Path) -> Result<PathBuf> {
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    output_of(Command::new("cp").arg("-r").arg(seed.join("data")).arg(to))?;
    Ok(to.join("data"))
}

/// Changes with the schema, so that no seed is older than its tables.
fn schema_size() -> u64 {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/plinth-store/migrations/sqlite");
    let Ok(entries) = directory.read_dir() else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}
