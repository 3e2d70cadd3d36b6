//! Files that survive a power cut: content first, then the name, then the directory that holds the name.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// What is stored is for the account of the service alone.
const DIRECTORY_MODE: u32 = 0o700;

/// Makes the names in a directory durable; git never does this by itself.
pub(super) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Makes the content of a file durable.
pub(super) fn sync_file(file: &Path) -> io::Result<()> {
    File::open(file)?.sync_all()
}

/// Writes a whole file under a name of its own and then gives it its real one. The caller syncs the directory.
pub(super) fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let directory = path.parent().expect("the path is inside a repository");
    let mut file = tempfile::Builder::new().prefix("tmp_").tempfile_in(directory)?;
    io::Write::write_all(&mut file, content)?;
    file.as_file().sync_all()?;
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
