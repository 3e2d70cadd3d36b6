//! Files that survive a power cut: content first, then the name, then the directory that holds the name.
//!
//! A sync that fails is final. The kernel may have dropped what it could not write and call the next sync a success, so
//! no file is synced a second time: whoever wants to go on writes a new one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A disk that does not take this much counts as full.
const PROBE_LENGTH: usize = 64 * 1024;

/// What is stored is for the account of the service alone.
const DIRECTORY_MODE: u32 = 0o700;

/// Makes the names in a directory durable; git never does this by itself.
pub(super) fn sync_directory(directory: &Path) -> io::Result<()> {
    sync(&File::open(directory)?, directory)
}

/// Makes the content of a file durable.
pub(super) fn sync_file(file: &Path) -> io::Result<()> {
    sync(&File::open(file)?, file)
}

fn sync(file: &File, path: &Path) -> io::Result<()> {
    file.sync_all().inspect_err(|error| {
        tracing::error!(path = %path.display(), %error, "a sync failed: nothing that needs this file is acknowledged");
    })
}

/// Moves files into a directory, in this order, all of them durably or none. One that is there already under the same name
/// is replaced and stays in any case: packs are named after what is in them.
pub(super) fn install(files: &[PathBuf], directory: &Path) -> io::Result<()> {
    for file in files {
        sync_file(file)?;
    }
    let target = File::open(directory)?;
    // Two pushes of the same pack come one after the other, so that nobody removes what another has acknowledged.
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
        // The last comes first, since readers look for it.
        for file in installed.iter().rev() {
            let _ = fs::remove_file(file);
        }
    })
}

/// Whether a directory takes a few bytes and syncs them. Nothing of it stays.
pub(super) fn check_disk(directory: &Path) -> io::Result<()> {
    let mut file = tempfile::tempfile_in(directory)?;
    // Not zeros, which some file systems do not store.
    file.write_all(&[0x5a; PROBE_LENGTH])?;
    file.sync_all()
}

/// Writes a whole file under a name of its own and then gives it its real one. The caller syncs the directory.
pub(super) fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
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
        // Another process may have been first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => {}
        made => made?,
    }
    sync_directory(parent)
}

/// Removes a directory with all that is in it; one that is not there is removed already.
pub(super) fn remove_directory(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Removes a file; one that is not there is removed already.
pub(super) fn remove_file(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
