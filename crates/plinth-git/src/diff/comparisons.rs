//! Comparisons that were made before.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use super::comparison::{Comparison, Target};
use super::computed::Computed;
use super::entry::{Entry, Mode};
use super::file::{CACHED_BYTES_MAX, FileDiff};
use super::generations::Generations;
use super::source::Source;
use super::tree::{FileChange, Status, entry_at};
use super::unified::unified;
use crate::reader::Reader;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};

/// Bytes of changed files that are cached, over all comparisons.
const FILES_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Files of one pair that are looked up by themselves. Each lookup reads the folders on the way to it, so that comparing
/// all files once is cheaper than many of them.
const LOOKUPS_MAX: usize = 64;
/// Pairs whose lookups are counted, and large differences whose counts are cached.
const COUNTED_MAX: usize = 10_000;
/// Merge bases that are remembered.
const MERGE_BASES_MAX: usize = 100_000;

/// Bytes of file differences that are cached.
const DIFF_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Bytes for the texts that are known to be too large.
const REFUSED_BYTES_MAX: usize = 1024 * 1024;

type Key = (RepoId, Sha, Sha);
/// All that the difference of a file follows from, in a repository that has its content.
type DiffKey = (RepoId, Option<(Mode, Sha)>, Option<(Mode, Sha)>, Status);

/// What was found out about pairs of commits and of files. Objects never change, so nothing here can become wrong.
#[derive(Debug)]
pub struct Comparisons {
    files: Computed<Key, Arc<Comparison>>,
    lookups: Generations<Key, Arc<AtomicUsize>>,
    merge_bases: Computed<Key, Option<Sha>>,
    diffs: Computed<DiffKey, Arc<FileDiff>>,
    texts: Computed<Key, Bytes>,
    large: Generations<DiffKey, Arc<FileDiff>>,
}

impl Default for Comparisons {
    fn default() -> Self {
        Self {
            files: Computed::new(FILES_BYTES_MAX),
            lookups: Generations::new(COUNTED_MAX),
            merge_bases: Computed::new(MERGE_BASES_MAX),
            diffs: Computed::new(DIFF_BYTES_MAX),
            texts: Computed::new(REFUSED_BYTES_MAX),
            large: Generations::new(COUNTED_MAX),
        }
    }
}

impl Comparisons {
    /// The files between two commits.
    pub fn get(&self, repo: RepoId, source: &dyn Source, base: &Sha, head: &Sha) -> Result<Arc<Comparison>> {
        let key = (repo, *base, *head);
        if let Some(known) = self.files.find(&key) {
            return known;
        }
        source.check_may_block()?;
        let weigh = |made: &Arc<Comparison>| Some(made.byte_count() + size_of::<Key>());
        self.files.get(key, source.budget(), weigh, || Comparison::new(source, base, head).map(Arc::new))
    }

    /// All files of a pair, where they are known already or asked for so often that they should be.
    fn known(&self, key: Key, source: &dyn Source) -> Result<Option<Arc<Comparison>>> {
        if let Some(known) = self.files.find(&key) {
            return known.map(Some);
        }
        let count = self.lookups.find(&key).unwrap_or_else(|| {
            let count = Arc::new(AtomicUsize::new(0));
            self.lookups.insert(key, count.clone(), 1);
            count
        });
        if count.fetch_add(1, Ordering::Relaxed) < LOOKUPS_MAX {
            return Ok(None);
        }
        let (repo, base, head) = key;
        self.get(repo, source, &base, &head).map(Some)
    }

    /// The files between two commits, each looked up when it is asked for.
    pub fn between<'a>(&'a self, repo: RepoId, source: &'a dyn Source, base: Sha, head: Sha) -> Between<'a> {
        Between { comparisons: self, repo, source, base, head }
    }

    /// As [`Reader::merge_base`], each pair once while it is remembered.
    pub fn merge_base(&self, repo: RepoId, reader: &Reader<'_>, one: &Sha, other: &Sha) -> Result<Option<Sha>> {
        let key = (repo, *one, *other);
        if let Some(known) = self.merge_bases.find(&key) {
            return known;
        }
        reader.check_may_block()?;
        self.merge_bases.get(key, reader.budget(), |_| Some(1), || reader.merge_base(one, other))
    }

    /// As [`unified`], which is not cached; only that it is over budget is.
    pub fn unified(&self, repo: RepoId, source: &dyn Source, base: &Sha, head: &Sha) -> Result<Bytes> {
        let compute = || unified(source, base, head).map(Bytes::from);
        self.texts.get((repo, *base, *head), source.budget(), |_| None, compute)
    }

    /// As [`FileDiff::of`], each pair of contents once while it is remembered.
    pub fn diff(&self, repo: RepoId, source: &dyn Source, change: &FileChange) -> Result<Arc<FileDiff>> {
        let key = diff_key(repo, change);
        if let Some(known) = self.diffs.find(&key) {
            return known;
        }
        source.check_may_block()?;
        let weigh = |made: &Arc<FileDiff>| {
            let weight = made.byte_count() + size_of::<DiffKey>();
            (made.byte_count() <= CACHED_BYTES_MAX).then_some(weight)
        };
        self.diffs.get(key, source.budget(), weigh, || FileDiff::of(source, change).map(Arc::new))
    }
}

impl Comparisons {
    /// As [`Comparisons::diff`], for lists: of a large difference there are only the counts, and these are cached.
    pub fn listed_diff(&self, repo: RepoId, source: &dyn Source, change: &FileChange) -> Result<Arc<FileDiff>> {
        let key = diff_key(repo, change);
        if let Some(known) = self.large.find(&key) {
            return Ok(known);
        }
        let diff = self.diff(repo, source, change)?;
        if diff.byte_count() <= CACHED_BYTES_MAX {
            return Ok(diff);
        }
        let counts = Arc::new(diff.counts_only());
        self.large.insert(key, counts.clone(), 1);
        Ok(counts)
    }
}

fn diff_key(repo: RepoId, change: &FileChange) -> DiffKey {
    let content = |entry: &Entry| (entry.mode, entry.id);
    (repo, change.old.as_ref().map(content), change.new.as_ref().map(content), change.status())
}

/// Two commits of a repository. A file that both have is found without comparing all others.
#[derive(Clone, Copy)]
pub struct Between<'a> {
    comparisons: &'a Comparisons,
    repo: RepoId,
    source: &'a dyn Source,
    base: Sha,
    head: Sha,
}

impl Between<'_> {
    fn find_where(
        &self,
        path: &[u8],
        among_all: impl Fn(&Comparison) -> Result<Option<FileChange>>,
    ) -> Result<Option<FileChange>> {
        if let Some(all) = self.comparisons.known((self.repo, self.base, self.head), self.source)? {
            return among_all(&all);
        }
        let (old, new) = (entry_at(self.source, &self.base, path)?, entry_at(self.source, &self.head, path)?);
        match (&old, &new) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Ok((old != new).then_some(FileChange { old, new, score: 0 })),
            // One of two names of a file that was moved, or really new or gone: only the others can tell.
            (Some(_), None) | (None, Some(_)) => {
                among_all(&*self.comparisons.get(self.repo, self.source, &self.base, &self.head)?)
            }
        }
    }
}

impl Target for Between<'_> {
    fn base(&self) -> Sha {
        self.base
    }

    fn head(&self) -> Sha {
        self.head
    }

    fn find(&self, path: &[u8]) -> Result<Option<FileChange>> {
        self.find_where(path, |all| all.find(path))
    }

    fn find_old(&self, path: &[u8]) -> Result<Option<FileChange>> {
        self.find_where(path, |all| all.find_old(path))
    }

    fn diff(&self, _: &dyn Source, change: &FileChange) -> Result<Arc<FileDiff>> {
        self.comparisons.diff(self.repo, self.source, change)
    }
}
