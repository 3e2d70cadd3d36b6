//! Data directories of instances, whose repositories are used again by later instances where they can be.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use tempfile::TempDir;

/// Directories that wait for another instance; more are removed.
const UNUSED_MAX: usize = 4;

/// Directories of instances that have ended.
///
/// Creating and removing the files of repositories takes a large part of a reset, and most tests do not change them: refs
/// and new objects are in the database. Databases are never used again, because a connection may still be open.
#[derive(Default)]
pub struct UnusedDirectories(Mutex<Vec<TempDir>>);

impl UnusedDirectories {
    /// Moves the directory `name` to `target` if there is one with exactly the content of that in `template`.
    pub fn move_directory(&self, name: &str, template: &Path, target: &Path) {
        let Some(unused) = self.0.lock().pop() else { return };
        let found = unused.path().join(name);
        // One that cannot be read or moved is copied from the template.
        if is_same_directory(&template.join(name), &found).unwrap_or(false) {
            fs::rename(found, target.join(name)).ok();
        }
    }
}

/// The directory of an instance. It is dropped when nothing uses the repositories any more.
pub struct InstanceDirectory {
    directory: Option<TempDir>,
    unused: Arc<UnusedDirectories>,
}

impl InstanceDirectory {
    pub fn new(directory: TempDir, unused: Arc<UnusedDirectories>) -> Self {
        Self { directory: Some(directory), unused }
    }
}

impl Drop for InstanceDirectory {
    fn drop(&mut self) {
        let mut unused = self.unused.0.lock();
        if unused.len() < UNUSED_MAX {
            unused.extend(self.directory.take());
        }
    }
}

/// Whether two directories have the same entries: the same directories, and files that are linked or have the same content.
fn is_same_directory(template: &Path, other: &Path) -> io::Result<bool> {
    let mut count = 0;
    for entry in fs::read_dir(template)? {
        count += 1;
        let entry = entry?;
        let (expected, found) = (entry.path(), other.join(entry.file_name()));
        let (expected_type, found_type) = (fs::symlink_metadata(&expected)?, fs::symlink_metadata(&found)?);
        let is_same = match (expected_type.is_dir(), found_type.is_dir()) {
            (true, true) => is_same_directory(&expected, &found)?,
            (false, false) => is_same_file((&expected, &expected_type), (&found, &found_type))?,
            _ => false,
        };
        if !is_same {
            return Ok(false);
        }
    }
    Ok(fs::read_dir(other)?.count() == count)
}

fn is_same_file(
    (one, one_type): (&Path, &fs::Metadata),
    (other, other_type): (&Path, &fs::Metadata),
) -> io::Result<bool> {
    if one_type.ino() == other_type.ino() && one_type.dev() == other_type.dev() {
        return Ok(true);
    }
    Ok(one_type.is_file()
        && other_type.is_file()
        && one_type.len() == other_type.len()
        && fs::read(one)? == fs::read(other)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The repositories of a template, and the directory of an instance with the same ones.
    fn template_and_copy() -> (TempDir, TempDir) {
        let (template, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for directory in [&template, &copy] {
            fs::create_dir_all(directory.path().join("repositories/01/1.git/pack")).unwrap();
            fs::write(directory.path().join("repositories/01/1.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        }
        let pack = "repositories/01/1.git/pack/pack-1.pack";
        fs::write(template.path().join(pack), "PACK").unwrap();
        fs::hard_link(template.path().join(pack), copy.path().join(pack)).unwrap();
        (template, copy)
    }

    fn is_moved(change: impl FnOnce(&Path)) -> bool {
        let (template, copy) = template_and_copy();
        change(&copy.path().join("repositories/01/1.git"));
        let unused = Arc::<UnusedDirectories>::default();
        drop(InstanceDirectory::new(copy, unused.clone()));
        let target = tempfile::tempdir().unwrap();
        unused.move_directory("repositories", template.path(), target.path());
        assert!(unused.0.lock().is_empty());
        target.path().join("repositories/01/1.git/pack/pack-1.pack").exists()
    }

    #[test]
    fn repositories_are_used_again_only_if_they_are_those_of_the_template() {
        assert!(is_moved(|_| {}));
        assert!(!is_moved(|repo| fs::write(repo.join("pack/pack-2.pack"), "PACK").unwrap()));
        assert!(!is_moved(|repo| fs::create_dir(repo.join("quarantine")).unwrap()));
        assert!(!is_moved(|repo| fs::remove_file(repo.join("HEAD")).unwrap()));
        assert!(!is_moved(|repo| fs::write(repo.join("HEAD"), "ref: refs/heads/next\n").unwrap()));
        assert!(!is_moved(|repo| {
            fs::remove_file(repo.join("HEAD")).unwrap();
            std::os::unix::fs::symlink("pack", repo.join("HEAD")).unwrap();
        }));
    }
}
