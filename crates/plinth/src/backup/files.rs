//! Copies files and computes their hashes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use aws_lc_rs::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};

use crate::progress::Progress;
use plinth_base::error::{Error, Result};
use plinth_git::TrailerCheck;

const CHUNK_SIZE: usize = 1024 * 1024;
/// Packs and indexes end with the SHA-1 of everything before it.
const CHECKSUM_LENGTH: i64 = 20;
const FILE_MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

/// Size and hash of one file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    pub size: u64,
    pub sha256: String,
}

/// A file of an earlier backup.
pub struct EarlierFile<'a> {
    pub path: &'a Path,
    pub entry: &'a FileEntry,
}

/// Copies files into a directory and records their entries.
pub struct Copier<'a> {
    target: &'a Path,
    progress: &'a mut Progress,
    files: BTreeMap<PathBuf, FileEntry>,
    damaged: Vec<PathBuf>,
}

impl<'a> Copier<'a> {
    pub fn new(target: &'a Path, progress: &'a mut Progress) -> Self {
        Self { target, progress, files: BTreeMap::new(), damaged: Vec::new() }
    }

    /// Records a file that exists in the directory.
    pub fn add_existing(&mut self, path: &Path) -> Result<()> {
        let full = self.target.join(path);
        set_mode(&full)?;
        self.files.insert(path.to_owned(), hash_file(&full, &mut Progress::silent())?);
        Ok(())
    }

    /// Copies a file of a pack. A file with a wrong checksum is copied too, and listed by `finish`.
    pub fn copy_pack(&mut self, source: &Path, path: &Path) -> Result<()> {
        let (entry, is_whole) = copy(source, &self.target.join(path), self.progress)?;
        if !is_whole {
            self.damaged.push(path.to_owned());
        }
        self.files.insert(path.to_owned(), entry);
        Ok(())
    }

    /// Copies a file of a backup, which must match its entry in the manifest.
    pub fn copy_verified(&mut self, directory: &Path, path: &Path, expected: &FileEntry) -> Result<()> {
        let source = directory.join(path);
        let not_whole =
            |why: &dyn std::fmt::Display| Error::BadRequest(format!("{} is not whole: {why}", source.display()));
        let (entry, _) = copy(&source, &self.target.join(path), self.progress).map_err(|error| not_whole(&error))?;
        if entry != *expected {
            return Err(not_whole(&format_args!("{} bytes with hash {}", entry.size, entry.sha256)));
        }
        self.files.insert(path.to_owned(), entry);
        Ok(())
    }

    /// Links the file of an earlier backup if it equals `source`, and returns whether it does. Only the checksums at the
    /// ends are compared, since the whole file was read when that backup was made.
    pub fn link(&mut self, directory: &Path, file: EarlierFile<'_>, source: &Path) -> Result<bool> {
        let (earlier, target) = (directory.join(file.path), self.target.join(file.path));
        let is_same = match checksum(&earlier) {
            Ok(checksum_then) => earlier.metadata()?.len() == file.entry.size && checksum_then == checksum(source)?,
            Err(_) => false,
        };
        if !is_same {
            return Ok(false);
        }
        create_parents(&target)?;
        if std::fs::hard_link(&earlier, &target).is_err() {
            // For example because it is on another file system.
            return Ok(false);
        }
        self.progress.add(file.entry.size);
        self.files.insert(file.path.to_owned(), file.entry.clone());
        Ok(true)
    }

    /// Returns all files, and those whose sources are damaged.
    pub fn finish(self) -> (BTreeMap<PathBuf, FileEntry>, Vec<PathBuf>) {
        (self.files, self.damaged)
    }
}

fn copy(source: &Path, target: &Path, progress: &mut Progress) -> Result<(FileEntry, bool)> {
    create_parents(target)?;
    let mut out = create_file(target)?;
    let mut trailer = TrailerCheck::default();
    let entry = read(source, |chunk| {
        trailer.update(chunk);
        out.write_all(chunk)?;
        progress.add(chunk.len() as u64);
        Ok(())
    })?;
    out.sync_all()?;
    Ok((entry, trailer.is_intact()?))
}

/// Computes the size and hash of a file.
pub fn hash_file(path: &Path, progress: &mut Progress) -> Result<FileEntry> {
    read(path, |chunk| {
        progress.add(chunk.len() as u64);
        Ok(())
    })
}

fn read(path: &Path, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> Result<FileEntry> {
    let with_path = |error: io::Error| Error::internal(format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(with_path)?;
    let mut hash = Context::new(&SHA256);
    let mut buffer = vec![0; CHUNK_SIZE];
    let mut size = 0;
    loop {
        let count = file.read(&mut buffer).map_err(with_path)?;
        if count == 0 {
            break;
        }
        hash.update(&buffer[..count]);
        each(&buffer[..count])?;
        size += count as u64;
    }
    let mut sha256 = String::with_capacity(64);
    for byte in hash.finish().as_ref() {
        // Writing to a `String` cannot fail.
        let _ = write!(sha256, "{byte:02x}");
    }
    Ok(FileEntry { size, sha256 })
}

fn checksum(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-CHECKSUM_LENGTH))?;
    let mut checksum = Vec::new();
    file.read_to_end(&mut checksum)?;
    Ok(checksum)
}

/// Creates a file that only its owner can read.
pub fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path)
}

/// Creates a directory that only its owner can read.
pub fn create_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(path)
}

fn create_parents(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), create_directory)
}

fn set_mode(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(FILE_MODE))
}
