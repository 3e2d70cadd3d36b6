//! The manifest of a backup: every file with its size and hash.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::{EarlierFile, FileEntry, create_file, hash_file};
use crate::progress::Progress;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_store::Dump;

const FILE: &str = "manifest.json";
const FORMAT: u32 = 1;

/// The contents of a backup, written last.
#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    /// The version of the program that made the backup.
    plinth: String,
    created_at: String,
    pub database: Dump,
    /// Repositories that have packs.
    pub repositories: Vec<i64>,
    pub files: BTreeMap<PathBuf, FileEntry>,
}

impl Manifest {
    pub fn new(database: Dump, repositories: Vec<RepoId>, files: BTreeMap<PathBuf, FileEntry>, now: Timestamp) -> Self {
        let repositories = repositories.into_iter().map(|repo| repo.0).collect();
        let (plinth, created_at) = (env!("CARGO_PKG_VERSION").to_owned(), now.to_string());
        Self { format: FORMAT, plinth, created_at, database, repositories, files }
    }

    pub fn read(directory: &Path) -> Result<Self> {
        let path = directory.join(FILE);
        let invalid = |error: &dyn fmt::Display| {
            Error::BadRequest(format!("there is no backup in {}: {FILE}: {error}", directory.display()))
        };
        let text = std::fs::read(&path).map_err(|error| invalid(&error))?;
        let manifest: Self = serde_json::from_slice(&text).map_err(|error| invalid(&error))?;
        if manifest.format != FORMAT {
            return Err(invalid(&format_args!("format {} needs another version of plinth", manifest.format)));
        }
        let is_inside = |path: &PathBuf| path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !manifest.files.keys().all(is_inside) {
            return Err(invalid(&"it names files outside of the backup"));
        }
        Ok(manifest)
    }

    pub fn write(&self, directory: &Path) -> Result<()> {
        let text = serde_json::to_vec_pretty(self).map_err(|error| Error::Internal(error.into()))?;
        let path = directory.join(FILE);
        let mut file = create_file(&path)?;
        file.write_all(&text)?;
        Ok(file.sync_all()?)
    }

    pub fn find(&self, path: &Path) -> Option<EarlierFile<'_>> {
        let (path, entry) = self.files.get_key_value(path)?;
        Some(EarlierFile { path, entry })
    }

    pub fn total_size(&self) -> u64 {
        self.files.values().map(|file| file.size).sum()
    }

    pub fn pack_size(&self) -> u64 {
        let is_pack = |path: &Path| path.extension().is_some_and(|extension| extension == "pack");
        self.files.iter().filter(|(path, _)| is_pack(path)).map(|(_, file)| file.size).sum()
    }
}

impl fmt::Display for Manifest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, bytes) = (self.files.len(), self.total_size());
        write!(
            out,
            "{} store, {} repositories, {files} files, {bytes} bytes",
            self.database.engine,
            self.repositories.len()
        )
    }
}

/// Reads every file of a backup and returns a message for each that does not match the manifest.
pub fn check_files(directory: &Path, manifest: &Manifest, progress: &mut Progress) -> Result<Vec<String>> {
    let mut damaged = Vec::new();
    progress.expect(manifest.total_size());
    for (path, entry) in &manifest.files {
        let full = directory.join(path);
        match hash_file(&full, progress) {
            Ok(found) if found == *entry => {}
            Ok(_) => damaged.push(format!("{} is not whole", full.display())),
            Err(error) => damaged.push(format!("{} is not whole: {error}", full.display())),
        }
    }
    Ok(damaged)
}
