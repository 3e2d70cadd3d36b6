//! Copies of all repositories, made while they are in use.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::Repositories;
use super::durable;
use crate::error::{Error, Result};

/// Packs come and go while they are copied; each round takes what the last one could not see.
const ROUNDS_MAX: usize = 10;

impl Repositories {
    /// Copies everything that names in the store may point at; the store itself must have been copied before.
    ///
    /// Packs never change once they are in place, so a file that was copied stays right. One that vanishes was
    /// replaced by another, which the next round finds.
    pub fn copy_to(&self, target: &Path) -> Result<()> {
        let mut copied = BTreeSet::new();
        for _ in 0..ROUNDS_MAX {
            let present = files_below(self.directory())?;
            let missing: Vec<&PathBuf> = present.difference(&copied).collect();
            if missing.is_empty() {
                return Ok(());
            }
            for file in &missing {
                copy_file(&self.directory().join(file), &target.join(file))?;
            }
            copied.extend(missing.into_iter().cloned().collect::<Vec<_>>());
        }
        Err(Error::Unavailable("the repositories change too fast to be copied".into()))
    }
}

/// Copies a folder of copies back; nobody uses either side.
pub fn copy_folder(source: &Path, target: &Path) -> Result<()> {
    for file in files_below(source)? {
        copy_file(&source.join(&file), &target.join(&file))?;
    }
    Ok(())
}

/// What is being received or built is nobody's yet and is left out.
fn files_below(root: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut folders = vec![root.to_owned()];
    let mut files = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error.into()),
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let unfinished = name.starts_with("tmp_") || name.contains("quarantine") || name.ends_with(".lock");
            match entry.file_type()? {
                _ if unfinished => {}
                kind if kind.is_dir() => folders.push(entry.path()),
                _ => {
                    let path = entry.path();
                    let below = path.strip_prefix(root).map_err(|_| Error::internal("an entry lies below its root"))?;
                    files.insert(below.to_owned());
                }
            }
        }
    }
    Ok(files)
}

fn copy_file(source: &Path, target: &Path) -> Result<()> {
    if let Some(folder) = target.parent() {
        durable::create_directories(folder)?;
    }
    match fs::copy(source, target) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    File::open(target)?.sync_all()?;
    if let Some(folder) = target.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
