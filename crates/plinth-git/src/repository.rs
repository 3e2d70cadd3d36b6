//! One repository on disk: a bare directory with packs and our own configuration, without refs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::commit_graph::GraphCache;
use crate::durable;
use crate::objects::RawObject;
use crate::packs::files_of;
use crate::packs::object_cache::ObjectCache;
use crate::packs::object_store::ObjectStore;
use crate::packs::write::write_pack;
use crate::shared_packs::{Completion, SharedPacks};
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;

/// Git recognizes a directory as a repository only by its HEAD. The branch it names never exists on disk.
const HEAD: &str = "ref: refs/heads/none\n";
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n\
                      [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";
/// Directories that git and we need, even if they are empty.
const PARTS: [&str; 4] = ["objects/pack", "objects/info", "refs/heads", "quarantine"];

/// An open repository. Cheap to share; all reading threads use the same open packs.
pub struct Repository {
    pub(crate) id: RepoId,
    pub(crate) directory: PathBuf,
    pub(crate) store: ObjectStore,
    pub(crate) cache: Arc<ObjectCache>,
    pub(crate) graph: GraphCache,
    /// If nodes share packs, this directory is a cache of them.
    completion: Option<Completion>,
    /// Exists as long as anyone uses the directory.
    pub(crate) _in_use: Arc<()>,
    removals: AtomicU64,
}

/// How a repository is opened.
pub(crate) struct Opening {
    pub cache: Arc<ObjectCache>,
    pub shared: Option<Arc<dyn SharedPacks>>,
    pub in_use: Arc<()>,
}

impl Opening {
    /// A repository of this node alone.
    pub(crate) fn alone(cache: Arc<ObjectCache>) -> Self {
        Self { cache, shared: None, in_use: Arc::default() }
    }
}

impl Repository {
    pub(crate) fn open(id: RepoId, directory: PathBuf, opening: Opening) -> Result<Self> {
        let Opening { cache, shared, in_use } = opening;
        if !directory.join("HEAD").is_file() {
            return Err(Error::NotFound);
        }
        create_parts(&directory)?;
        let completion = shared.map(|shared| Completion { repo: id, shared, restore });
        let store = ObjectStore::open(directory.join("objects"))?.with_completion(completion.clone());
        let (graph, removals) = (GraphCache::default(), AtomicU64::new(0));
        Ok(Self { id, directory, store, cache, graph, completion, _in_use: in_use, removals })
    }

    /// The number that the directory is named after.
    pub fn id(&self) -> RepoId {
        self.id
    }

    /// Stores the objects as one pack and returns its path. When this returns, they survive a power cut.
    pub fn store<T: AsRef<RawObject>>(&self, objects: &[T]) -> Result<Option<PathBuf>> {
        if objects.is_empty() {
            return Ok(None);
        }
        let directory = self.pack_directory();
        if self.completion.is_none() {
            let pack = write_pack(&directory, objects)?;
            durable::sync_directory(&directory)?;
            return Ok(Some(pack));
        }
        // No reader of this node may see a pack that the other nodes do not have.
        let written = tempfile::tempdir_in(self.quarantine_directory())?;
        let pack = write_pack(written.path(), objects)?;
        let index = pack.with_extension("idx");
        self.publish(&index)?;
        durable::install(&files_of(&index), &directory)?;
        Ok(pack.file_name().map(|name| directory.join(name)))
    }

    /// Fetches what other nodes have added, so that git finds every object in the packs of this directory. Does nothing if
    /// the packs are not shared.
    pub fn complete(&self) -> Result<()> {
        self.completion.as_ref().map_or(Ok(()), |completion| completion.run(&self.directory).map(drop))
    }

    /// If packs are shared, the directory may have been lost while it was open.
    pub(crate) fn restore_directory(&self) -> Result<()> {
        if self.completion.is_some() {
            restore(&self.directory)?;
        }
        Ok(())
    }

    /// Makes a new pack durable for all nodes, if they share packs.
    pub(crate) fn publish(&self, index: &Path) -> Result<()> {
        self.completion.as_ref().map_or(Ok(()), |completion| completion.shared.publish(self.id, index))
    }

    /// Bytes of all packs.
    pub fn pack_bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for file in fs::read_dir(self.pack_directory())? {
            let file = file?;
            if Path::new(&file.file_name()).extension().is_some_and(|extension| extension == "pack") {
                // A pack that was just replaced does not count.
                bytes += file.metadata().map_or(0, |metadata| metadata.len());
            }
        }
        Ok(bytes)
    }

    /// Whether there is a commit-graph, up to date or not.
    pub fn has_commit_graph(&self) -> bool {
        let info = self.objects_directory().join("info");
        info.join("commit-graph").exists() || info.join("commit-graphs").exists()
    }

    /// How often objects were removed so far. A reader that caches an object compares it with the number before its read.
    pub(crate) fn removals(&self) -> u64 {
        self.removals.load(Ordering::SeqCst)
    }

    /// Drops everything in memory after objects were removed from disk.
    pub(crate) fn invalidate_objects(&self) -> Result<()> {
        self.removals.fetch_add(1, Ordering::SeqCst);
        self.store.reopen()?;
        self.cache.remove_repository(self.id);
        Ok(())
    }

    pub(crate) fn objects_directory(&self) -> PathBuf {
        self.directory.join("objects")
    }

    pub(crate) fn pack_directory(&self) -> PathBuf {
        self.directory.join("objects/pack")
    }

    /// Where everything is that is not accepted yet; nothing in it outlives the process.
    pub(crate) fn quarantine_directory(&self) -> PathBuf {
        self.directory.join("quarantine")
    }
}

/// Creates the minimum that git needs, durably. HEAD comes last: it makes the directory a repository.
pub(crate) fn create(directory: &Path) -> io::Result<()> {
    create_parts(directory)?;
    durable::write_file(&directory.join("config"), CONFIG.as_bytes())?;
    durable::write_file(&directory.join("HEAD"), HEAD.as_bytes())?;
    durable::sync_directory(directory)
}

/// Creates what is missing.
fn restore(directory: &Path) -> io::Result<()> {
    if missing_parts(directory).is_empty() { Ok(()) } else { create(directory) }
}

/// A copied directory or an unpacked archive may lack empty directories.
fn create_parts(directory: &Path) -> io::Result<()> {
    PARTS.iter().try_for_each(|part| durable::create_directories(&directory.join(part)))
}

/// Missing files and directories without which git cannot serve the repository.
pub(crate) fn missing_parts(directory: &Path) -> Vec<PathBuf> {
    let directories = PARTS.iter().map(|part| directory.join(part)).filter(|path| !path.is_dir());
    let files = ["HEAD", "config"].into_iter().map(|file| directory.join(file)).filter(|path| !path.is_file());
    directories.chain(files).collect()
}

/// Writes the minimum of a repository whose objects are elsewhere. Not durable: it lives as long as one process.
pub(crate) fn write_skeleton(directory: &Path) -> io::Result<()> {
    fs::create_dir(directory.join("refs"))?;
    fs::write(directory.join("config"), CONFIG)?;
    fs::write(directory.join("HEAD"), HEAD)
}

/// Removes what a killed process left. Only at start-up, when nothing else uses the directory.
pub(crate) fn remove_leftovers(directory: &Path) -> io::Result<()> {
    durable::remove_directory(&directory.join("quarantine"))?;
    if directory.join("HEAD").exists() {
        fs::create_dir(directory.join("quarantine"))?;
    }
    temporary_files(directory)?.iter().try_for_each(|file| durable::remove_file(file))
}

/// Temporary and lock files, of a process that runs or that was killed.
pub(crate) fn temporary_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
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
