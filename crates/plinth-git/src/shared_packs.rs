//! Packs that several nodes share. The directory of a repository is then a cache of them, which can be lost at any time.

use std::io;
use std::path::Path;
use std::sync::Arc;

use plinth_base::error::Result;
use plinth_base::ids::RepoId;

/// A pack as all nodes know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedPack {
    /// The name of its files, without extension.
    pub name: String,
    /// The key of its files in the object storage, without extension.
    pub key: String,
    pub pack_bytes: u64,
    pub pack_sha256: [u8; 32],
    pub index_bytes: u64,
    pub index_sha256: [u8; 32],
}

/// The packs of all repositories, for all nodes. Everything here blocks.
pub trait SharedPacks: Send + Sync {
    /// Makes a pack durable outside of this node. No repository has it yet.
    fn upload(&self, index: &Path) -> Result<SharedPack>;

    /// Uploads a pack, and adds it to a repository on all nodes. Called before any reader of this node sees it.
    fn publish(&self, repo: RepoId, index: &Path) -> Result<()>;

    /// Fetches all packs of a repository that a directory lacks, or of which it has a damaged copy. Returns whether there were any.
    fn complete(&self, repo: RepoId, pack_directory: &Path) -> Result<bool>;

    /// A file of the repository turned out to be damaged: the next [`SharedPacks::complete`] reads all of them.
    fn distrust(&self, repo: RepoId);
}

/// Completes the directory of one repository.
#[derive(Clone)]
pub(crate) struct Completion {
    pub repo: RepoId,
    pub shared: Arc<dyn SharedPacks>,
    /// Creates the directory again if it was lost.
    pub restore: fn(&Path) -> io::Result<()>,
}

impl Completion {
    /// Fetches what other nodes have added to a repository.
    pub(crate) fn run(&self, directory: &Path) -> Result<bool> {
        (self.restore)(directory)?;
        self.shared.complete(self.repo, &directory.join("objects/pack"))
    }

    pub(crate) fn distrust(&self) {
        self.shared.distrust(self.repo);
    }
}
