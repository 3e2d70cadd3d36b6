//! Which files on this disk have been compared with their hashes. Each is read once, and again when it has changed.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use parking_lot::Mutex;

use plinth_store::{Fingerprint, fingerprint};

/// Files that are known; more are compared again.
const FILES_MAX: usize = 65_536;

#[derive(Default)]
pub struct Verified(Mutex<HashMap<PathBuf, Version>>);

/// Every write changes one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Version {
    bytes: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl Version {
    fn of(metadata: &Metadata) -> Self {
        Self { bytes: metadata.len(), modified: metadata.modified().ok(), inode: metadata.ino() }
    }
}

impl Verified {
    /// Notes that a file has just been compared.
    pub fn insert(&self, file: &Path) {
        let Ok(metadata) = fs::metadata(file) else { return };
        let mut files = self.0.lock();
        if files.len() >= FILES_MAX {
            files.clear();
        }
        files.insert(file.to_owned(), Version::of(&metadata));
    }

    /// Whether a file has this content. Reads it if it has changed since it was last compared.
    pub fn check(&self, file: &Path, expected: &Fingerprint) -> bool {
        let Ok(metadata) = fs::metadata(file) else { return false };
        if metadata.len() != expected.bytes {
            return false;
        }
        let is_known = self.0.lock().get(file) == Some(&Version::of(&metadata));
        if is_known {
            return true;
        }
        let is_same = fingerprint(file).is_ok_and(|found| found == *expected);
        if is_same {
            self.insert(file);
        }
        is_same
    }

    /// All files are compared again.
    pub fn clear(&self) {
        self.0.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_file_is_compared_again() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("file");
        fs::write(&file, "one").expect("it can be written");
        let expected = fingerprint(&file).expect("it can be read");
        let verified = Verified::default();
        assert!(verified.check(&file, &expected) && verified.check(&file, &expected));
        fs::write(&file, "two").expect("it can be written");
        fs::File::open(&file).and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH)).expect("it can be changed");
        assert!(!verified.check(&file, &expected));
        fs::write(&file, "longer").expect("it can be written");
        assert!(!verified.check(&file, &expected) && !verified.check(&directory.path().join("other"), &expected));
    }
}
