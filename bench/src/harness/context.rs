//! What every row works with.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::Disturbances;
use crate::system::Machine;

pub struct Context {
    pub machine: Machine,
    /// The program to measure.
    pub plinth: PathBuf,
    /// Where seeds, data, logs and the report are.
    pub directory: PathBuf,
    pub quick: bool,
    pub rounds: usize,
    /// Of one server in one round.
    pub duration: Duration,
    pub disturbances: Disturbances,
}

impl Context {
    /// The size for a smoke test, or the size that the row is about.
    pub fn size<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// The file for a server's standard error.
    pub fn log(&self, name: &str) -> Result<PathBuf> {
        let directory = self.directory.join("log");
        fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
        Ok(directory.join(format!("{name}.log")))
    }

    /// An empty directory for one row.
    pub fn scratch(&self, name: &str) -> Result<PathBuf> {
        let directory = self.directory.join("work").join(name);
        let create = || {
            if directory.exists() {
                fs::remove_dir_all(&directory)?;
            }
            fs::create_dir_all(&directory)
        };
        create().with_context(|| directory.display().to_string())?;
        Ok(directory)
    }
}
