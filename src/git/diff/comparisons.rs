//! Comparisons that were made before.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::comparison::{Comparison, Target};
use super::source::Source;
use super::tree::{FileChange, entry_at};
use crate::error::Result;
use crate::git::reader::Reader;
use crate::ids::{RepoId, Sha};

/// Changed files that are remembered, over all comparisons.
const FILES_MAX: usize = 200_000;
/// Files of one pair that are looked up by themselves. Each lookup reads the folders on the way to it, so that comparing
/// all files once is cheaper than many of them.
const LOOKUPS_MAX: usize = 64;
/// Pairs whose lookups are counted.
const COUNTED_MAX: usize = 10_000;
/// Merge bases that are remembered.
const MERGE_BASES_MAX: usize = 100_000;

type Key = (RepoId, Sha, Sha);

/// What was found out about pairs of commits. Objects never change, so nothing here can become wrong.
#[derive(Debug)]
pub struct Comparisons {
    files: Generations<Arc<Comparison>>,
    lookups: Generations<Arc<AtomicUsize>>,
    merge_bases: Generations<Option<Sha>>,
}

impl Default for Comparisons {
    fn default() -> Self {
        Self {
            files: Generations::new(FILES_MAX),
            lookups: Generations::new(COUNTED_MAX),
            merge_bases: Generations::new(MERGE_BASES_MAX),
        }
    }
}

impl Comparisons {
    /// The files between two commits.
    pub fn get(&self, repo: RepoId, source: &dyn Source, base: &Sha, head: &Sha) -> Result<Arc<Comparison>> {
        let key = (repo, *base, *head);
        if let Some(known) = self.files.find(&key) {
            return Ok(known);
        }
        let made = Arc::new(Comparison::new(source, base, head)?);
        self.files.insert(key, made.clone(), made.changes().len() + 1);
        Ok(made)
    }

    /// All files of a pair, where they are known already or asked for so often that they should be.
    fn known(&self, key: Key, source: &dyn Source) -> Result<Option<Arc<Comparison>>> {
        if let Some(known) = self.files.find(&key) {
            return Ok(Some(known));
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
            return Ok(known);
        }
        let found = reader.merge_base(one, other)?;
        self.merge_bases.insert(key, found, 1);
        Ok(found)
    }
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
}

/// Values up to a weight. When the young ones are too many, they become the old ones, and what was old and not asked
/// for since is forgotten.
#[derive(Debug)]
struct Generations<V> {
    weight_max: usize,
    inner: Mutex<Inner<V>>,
}

#[derive(Debug)]
struct Inner<V> {
    young: HashMap<Key, (V, usize)>,
    old: HashMap<Key, (V, usize)>,
    young_weight: usize,
}

impl<V: Clone> Generations<V> {
    fn new(weight_max: usize) -> Self {
        let inner = Inner { young: HashMap::new(), old: HashMap::new(), young_weight: 0 };
        Self { weight_max: weight_max / 2, inner: Mutex::new(inner) }
    }

    fn find(&self, key: &Key) -> Option<V> {
        let (value, weight) = {
            let mut inner = self.inner.lock();
            if let Some((value, _)) = inner.young.get(key) {
                return Some(value.clone());
            }
            inner.old.remove(key)?
        };
        self.insert(*key, value.clone(), weight);
        Some(value)
    }

    fn insert(&self, key: Key, value: V, weight: usize) {
        let mut inner = self.inner.lock();
        if inner.young_weight + weight > self.weight_max {
            inner.old = std::mem::take(&mut inner.young);
            inner.young_weight = 0;
        }
        if inner.young.insert(key, (value, weight)).is_none() {
            inner.young_weight += weight;
        }
    }
}
