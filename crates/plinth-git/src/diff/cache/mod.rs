//! The cache of comparisons.

mod computed;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use crate::diff::binary::BinaryFiles;
use crate::diff::change::{FileChange, Status};
use crate::diff::comparison::{Comparison, Target};
use crate::diff::entry::{Entry, FileMode};
use crate::diff::file::{CACHED_BYTES_MAX, FileDiff};
use crate::diff::source::Source;
use crate::diff::tree::entry_at;
use crate::diff::unified::unified;
use crate::reader::Reader;
use computed::{Computed, OVER_BUDGET_WEIGHT};
use plinth_base::cache::WeightedCache;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};

/// Bytes of all cached lists of changed files.
const FILES_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Files of one pair of commits that are looked up singly. Each lookup reads the trees on its path, so that many of
/// them cost more than one comparison of all files.
const LOOKUPS_MAX: usize = 64;
/// Pairs whose lookups are counted, and large diffs whose counts are cached.
const COUNTED_MAX: usize = 10_000;
/// Cached merge bases.
const MERGE_BASES_MAX: usize = 100_000;

/// Bytes of all cached file diffs.
const DIFF_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Bytes to cache which texts are over budget.
const OVER_BUDGET_BYTES_MAX: usize = 1024 * 1024;

/// A rough size of one list or diff.
const BYTES_TYPICAL: usize = 4 * 1024;

type Key = (RepoId, Sha, Sha);
/// Everything that determines the diff of a file.
type DiffKey = (RepoId, Option<(FileMode, Sha)>, Option<(FileMode, Sha)>, Status);

/// Results for pairs of commits and of files. Objects are immutable, so nothing here is ever invalidated.
#[derive(Debug)]
pub struct Comparisons {
    files: Computed<Key, Arc<Comparison>>,
    lookups: WeightedCache<Key, Arc<AtomicUsize>>,
    merge_bases: Computed<Key, Option<Sha>>,
    diffs: Computed<DiffKey, Arc<FileDiff>>,
    texts: Computed<(Key, BinaryFiles), Bytes>,
    large: WeightedCache<DiffKey, Arc<FileDiff>>,
}

impl Default for Comparisons {
    fn default() -> Self {
        Self {
            files: Computed::new(FILES_BYTES_MAX, BYTES_TYPICAL),
            lookups: WeightedCache::new(COUNTED_MAX, 1),
            merge_bases: Computed::new(MERGE_BASES_MAX, 1),
            diffs: Computed::new(DIFF_BYTES_MAX, BYTES_TYPICAL),
            texts: Computed::new(OVER_BUDGET_BYTES_MAX, OVER_BUDGET_WEIGHT),
            large: WeightedCache::new(COUNTED_MAX, 1),
        }
    }
}

impl Comparisons {
    /// Computes everything each time, to measure what the cache is worth.
    pub fn uncached() -> Self {
        Self {
            files: Computed::new(0, BYTES_TYPICAL),
            lookups: WeightedCache::new(0, 1),
            merge_bases: Computed::new(0, 1),
            diffs: Computed::new(0, BYTES_TYPICAL),
            texts: Computed::new(0, OVER_BUDGET_WEIGHT),
            large: WeightedCache::new(0, 1),
        }
    }

    /// The changed files between two commits.
    pub fn get(&self, repo: RepoId, source: &dyn Source, base: &Sha, head: &Sha) -> Result<Arc<Comparison>> {
        let key = (repo, *base, *head);
        if let Some(cached) = self.files.find(&key) {
            return cached;
        }
        source.check_may_block()?;
        let weigh = |comparison: &Arc<Comparison>| Some(comparison.byte_count() + size_of::<Key>());
        self.files.get(key, source.budget(), weigh, || Comparison::new(source, base, head).map(Arc::new))
    }

    /// All files of a pair, if they are cached or were looked up singly too often.
    fn get_if_worthwhile(&self, key: Key, source: &dyn Source) -> Result<Option<Arc<Comparison>>> {
        if let Some(cached) = self.files.find(&key) {
            return cached.map(Some);
        }
        let count = self.lookups.get(&key).unwrap_or_else(|| {
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

    /// The changed files between two commits, each looked up on demand.
    pub fn between<'a>(&'a self, repo: RepoId, source: &'a dyn Source, base: Sha, head: Sha) -> Between<'a> {
        Between { comparisons: self, repo, source, base, head }
    }

    /// As [`Reader::merge_base`], cached.
    pub fn merge_base(&self, repo: RepoId, reader: &Reader<'_>, one: &Sha, other: &Sha) -> Result<Option<Sha>> {
        let key = (repo, *one, *other);
        if let Some(cached) = self.merge_bases.find(&key) {
            return cached;
        }
        reader.check_may_block()?;
        self.merge_bases.get(key, reader.budget(), |_| Some(1), || reader.merge_base(one, other))
    }

    /// As [`unified`]. The text is not cached, only whether it is over budget.
    pub fn unified(
        &self,
        repo: RepoId,
        source: &dyn Source,
        (base, head): (&Sha, &Sha),
        binary: BinaryFiles,
    ) -> Result<Bytes> {
        let compute = || unified(source, base, head, binary).map(Bytes::from);
        self.texts.get(((repo, *base, *head), binary), source.budget(), |_| None, compute)
    }

    /// As [`FileDiff::of`], cached.
    pub fn diff(&self, repo: RepoId, source: &dyn Source, change: &FileChange) -> Result<Arc<FileDiff>> {
        let key = diff_key(repo, change);
        if let Some(cached) = self.diffs.find(&key) {
            return cached;
        }
        source.check_may_block()?;
        let weigh = |diff: &Arc<FileDiff>| {
            let weight = diff.byte_count() + size_of::<DiffKey>();
            (diff.byte_count() <= CACHED_BYTES_MAX).then_some(weight)
        };
        self.diffs.get(key, source.budget(), weigh, || FileDiff::of(source, change).map(Arc::new))
    }

    /// As [`Comparisons::diff`], for lists: a large diff is reduced to its counts, which are cached.
    pub fn listed_diff(&self, repo: RepoId, source: &dyn Source, change: &FileChange) -> Result<Arc<FileDiff>> {
        let key = diff_key(repo, change);
        if let Some(cached) = self.large.get(&key) {
            return Ok(cached);
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

/// Two commits of a repository. A file that both have is found without a comparison of all files.
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
        if let Some(all) = self.comparisons.get_if_worthwhile((self.repo, self.base, self.head), self.source)? {
            return among_all(&all);
        }
        let (old, new) = (entry_at(self.source, &self.base, path)?, entry_at(self.source, &self.head, path)?);
        match (&old, &new) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Ok((old != new).then_some(FileChange { old, new, score: 0 })),
            // Renamed, added or deleted: only the comparison of all files decides.
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
