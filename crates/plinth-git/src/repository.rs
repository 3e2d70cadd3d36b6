//! One repository on disk: a bare directory with packs, our own configuration, and no refs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::budget::Budget;
use super::cache::ObjectCache;
use super::commit_graph::GraphCache;
use super::durable;
use super::object::ObjectSource;
use super::object_store::ObjectStore;
use super::reader::{Reader, WouldBlock};
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;

/// Git takes a directory for a repository only with a HEAD in it. The branch it names is never on disk, as none is.
const HEAD: &str = "ref: refs/heads/none\n";
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n\
                      [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";

/// Objects and commits that a fast_path may touch: together they take microseconds.
const GLANCE_STEPS: u32 = 256;

/// An open repository. Cheap to share; all reading threads use the same open packs.
pub struct Repository {
    pub(super) id: RepoId,
    pub(super) directory: PathBuf,
    pub(super) store: ObjectStore,
    pub(super) cache: Arc<ObjectCache>,
    pub(super) graph: GraphCache,
    removals: AtomicU64,
}

impl Repository {
    pub(super) fn open(id: RepoId, directory: PathBuf, cache: Arc<ObjectCache>) -> Result<Self> {
        if !directory.join("HEAD").is_file() {
            return Err(Error::NotFound);
        }
        create_parts(&directory)?;
        let store = ObjectStore::open(directory.join("objects"))?;
        Ok(Self { id, directory, store, cache, graph: GraphCache::default(), removals: AtomicU64::new(0) })
    }

    /// The number that the directory is named after.
    pub fn id(&self) -> RepoId {
        self.id
    }

    /// A view of the packs and, behind them, of objects that live elsewhere. Without a budget, for commands of the
    /// operator; what requests cause is read by [`Repository::reader_within`].
    pub fn reader<'a>(&'a self, beside: &'a dyn ObjectSource) -> Reader<'a> {
        Reader::new(self, beside, Budget::unlimited())
    }

    /// A view whose reads are charged to a budget.
    pub fn reader_within<'a>(&'a self, beside: &'a dyn ObjectSource, budget: &'a Budget) -> Reader<'a> {
        Reader::new(self, beside, budget)
    }

    /// Runs `work` over what is in memory, where it never blocks; nothing if that takes more than a fast_path.
    pub fn fast_path<T>(&self, work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Option<Result<T>> {
        let steps = AtomicU32::new(GLANCE_STEPS);
        match work(&Reader::at_a_glance(self, &steps)) {
            Err(Error::Internal(cause)) if cause.is::<WouldBlock>() => None,
            outcome => Some(outcome),
        }
    }

    /// How often objects were removed so far; who keeps one compares it with the number before it was read.
    pub(super) fn removals(&self) -> u64 {
        self.removals.load(Ordering::SeqCst)
    }

    /// Lets go of all that is in memory: some of it was just removed.
    pub(super) fn forget_objects(&self) -> Result<()> {
        self.removals.fetch_add(1, Ordering::SeqCst);
        self.store.reopen()?;
        self.cache.forget(self.id);
        Ok(())
    }

    pub(super) fn objects_directory(&self) -> PathBuf {
        self.directory.join("objects")
    }

    pub(super) fn pack_directory(&self) -> PathBuf {
        self.directory.join("objects/pack")
    }

    /// Where everything lives that is not accepted yet; nothing in it outlives the process.
    pub(super) fn quarantine_directory(&self) -> PathBuf {
        self.directory.join("quarantine")
    }
}

/// Without these, which may all be empty, neither git nor we can use the directory.
const PARTS: [&str; 4] = ["objects/pack", "objects/info", "refs/heads", "quarantine"];

/// Makes the least that git needs, durably. HEAD comes last: it is what makes the directory a repository.
pub(super) fn create(directory: &Path) -> io::Result<()> {
    create_parts(directory)?;
    durable::write_file(&directory.join("config"), CONFIG.as_bytes())?;
    durable::write_file(&directory.join("HEAD"), HEAD.as_bytes())?;
    durable::sync_directory(directory)
}

/// A copy or an unpacked archive may lack what is empty.
fn create_parts(directory: &Path) -> io::Result<()> {
    PARTS.iter().try_for_each(|part| durable::create_directories(&directory.join(part)))
}

/// What git, or we, could not do without.
pub(super) fn missing_parts(directory: &Path) -> Vec<PathBuf> {
    let directories = PARTS.iter().map(|part| directory.join(part)).filter(|path| !path.is_dir());
    let files = ["HEAD", "config"].into_iter().map(|file| directory.join(file)).filter(|path| !path.is_file());
    directories.chain(files).collect()
}

/// The least that git takes for a repository whose objects lie elsewhere, for as long as one process runs.
pub(super) fn write_skeleton(directory: &Path) -> io::Result<()> {
    fs::create_dir(directory.join("refs"))?;
    fs::write(directory.join("config"), CONFIG)?;
    fs::write(directory.join("HEAD"), HEAD)
}

/// Removes what a killed process left behind. Only for the start, when nothing else uses the directory.
pub(super) fn sweep(directory: &Path) -> io::Result<()> {
    durable::remove_directory(&directory.join("quarantine"))?;
    if directory.join("HEAD").exists() {
        fs::create_dir(directory.join("quarantine"))?;
    }
    temporary_files(directory)?.iter().try_for_each(|file| durable::remove_file(file))
}

/// Files that a process was writing when it was killed, unless it still is.
pub(super) fn temporary_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for part in ["", "objects", "objects/pack", "objects/info", "objects/info/commit-graphs"] {
        let entries = match fs::read_dir(directory.join(part)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            result => result?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if entry.file_type()?.is_file() && (name.starts_with("tmp_") || name.ends_with(".lock")) {
                found.push(entry.path());
            }
        }
    }
    Ok(found)
}
