//! Files that survive a power cut: sync the content, then rename, then sync the directory.
//!
//! A failed sync is final. The kernel may have dropped the unwritten pages and report success for the next sync, so no
//! file is synced a second time: a retry writes a new file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A disk that cannot store this much counts as full.
const PROBE_LENGTH: usize = 64 * 1024;

/// Only the account of the service may read the data.
const DIRECTORY_MODE: u32 = 0o700;

/// Makes the names in a directory durable, which git itself does not do.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    sync(&File::open(directory)?, directory)
}

/// Makes the content of a file durable.
pub(crate) fn sync_file(file: &Path) -> io::Result<()> {
    sync(&File::open(file)?, file)
}

fn sync(file: &File, path: &Path) -> io::Result<()> {
    file.sync_all().inspect_err(|error| {
        tracing::error!(path = %path.display(), %error, "a sync failed: nothing that needs this file is acknowledged");
    })
}

/// Moves files into a directory, in this order, all of them durably or none. An existing file of the same name is
/// replaced, and is not removed on failure: packs are named after their content.
pub(crate) fn install(files: &[PathBuf], directory: &Path) -> io::Result<()> {
    for file in files {
        sync_file(file)?;
    }
    let target = File::open(directory)?;
    // Serializes two pushes of the same pack, so that neither removes what the other has acknowledged.
    target.lock()?;
    let mut installed = Vec::new();
    let moved = files.iter().try_for_each(|file| {
        let name = directory.join(file.file_name().ok_or(io::ErrorKind::InvalidInput)?);
        let is_new = !name.exists();
        fs::rename(file, &name)?;
        if is_new {
            installed.push(name);
        }
        Ok(())
    });
    moved.and_then(|()| sync(&target, directory)).inspect_err(|_| {
        // In reverse order: readers look for the last one.
        for file in installed.iter().rev() {
            let _ = fs::remove_file(file);
        }
    })
}

/// Checks that a few bytes can be written to a directory and synced. Leaves no file.
pub(crate) fn check_disk(directory: &Path) -> io::Result<()> {
    let mut file = tempfile::tempfile_in(directory)?;
    // Some file systems do not store zeros.
    file.write_all(&[0x5a; PROBE_LENGTH])?;
    file.sync_all()
}

/// Writes a temporary file and renames it. The caller syncs the directory.
pub(crate) fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let directory = path.parent().expect("the path is inside a repository");
    let mut file = tempfile::Builder::new().prefix("tmp_").tempfile_in(directory)?;
    file.write_all(content)?;
    sync(file.as_file(), path)?;
    file.persist(path)?;
    Ok(())
}

/// Creates a directory and its missing parents, each of them durable in its own parent.
pub fn create_directories(directory: &Path) -> io::Result<()> {
    let directory = std::path::absolute(directory)?;
    if directory.is_dir() {
        return Ok(());
    }
    let parent = directory.parent().expect("the root directory exists");
    create_directories(parent)?;
    match fs::DirBuilder::new().mode(DIRECTORY_MODE).create(&directory) {
        // Another process may have created it first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => {}
        created => created?,
    }
    sync_directory(parent)
}

/// Removes a directory and its content. Idempotent.
pub(crate) fn remove_directory(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Removes a file. Idempotent.
pub(crate) fn remove_file(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
