//! The commits and files of a pull request, computed from Git objects.

use std::sync::Arc;

use bytes::Bytes;

use super::model::{Size, Version};
use crate::Core;
use crate::objects::Large;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};
use plinth_git::Reader;
use plinth_git::diff::{Between, BinaryFiles, Comparison, Comparisons, FileChange, FileDiff};

/// The two commits of a comparison: the merge base, and the head or one of its commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Range {
    pub base: Sha,
    pub head: Sha,
}

/// Computes diffs in one repository and caches them.
#[derive(Clone, Copy)]
pub struct DiffContext<'a> {
    pub repo: RepoId,
    pub reader: &'a Reader<'a>,
    pub comparisons: &'a Comparisons,
}

impl<'a> DiffContext<'a> {
    /// The range of a version. Without a common history, the head is compared with itself.
    pub fn range(&self, version: &Version) -> Result<Range> {
        let base = match version.merge_base {
            Some(known) => known,
            None => self.merge_base(&version.base_sha, &version.head_sha)?,
        };
        Ok(Range { base, head: version.head_sha })
    }

    /// The merge base, or the commit itself if the histories have no common commit: the diff is empty then.
    pub fn merge_base(&self, base: &Sha, commit: &Sha) -> Result<Sha> {
        match self.comparisons.merge_base(self.repo, self.reader, base, commit) {
            Ok(found) => Ok(found.unwrap_or(*commit)),
            // A tip that was force-pushed away and collected: the rest of the pull request must stay readable.
            Err(Error::NotFound) => Ok(*commit),
            Err(error) => Err(error),
        }
    }

    /// Whether a commit belongs to the pull request: reachable from its head and not from its base.
    pub fn contains(&self, version: &Version, commit: &Sha) -> Result<bool> {
        if *commit == version.head_sha {
            return Ok(true);
        }
        // Callers can send any id, so first check that it is a commit of this repository.
        if self.reader.find_commit(commit)?.is_none() {
            return Ok(false);
        }
        Ok(self.reader.is_ancestor(commit, &version.head_sha)?
            && !self.reader.is_ancestor(commit, &version.base_sha)?)
    }

    /// The files of a range, each computed on demand.
    pub fn between(&self, range: &Range) -> Between<'a> {
        self.comparisons.between(self.repo, self.reader, range.base, range.head)
    }

    /// All files of a range.
    pub fn comparison(&self, range: &Range) -> Result<Arc<Comparison>> {
        self.comparisons.get(self.repo, self.reader, &range.base, &range.head)
    }

    /// The unified diff of a range.
    pub fn unified(&self, range: &Range, binary: BinaryFiles) -> Result<Bytes> {
        self.comparisons.unified(self.repo, self.reader, (&range.base, &range.head), binary)
    }

    /// The diff of a file as file lists show it.
    pub fn listed_diff(&self, change: &FileChange) -> Result<Arc<FileDiff>> {
        self.comparisons.listed_diff(self.repo, self.reader, change)
    }

    /// The full diff of a file.
    pub fn diff(&self, change: &FileChange) -> Result<Arc<FileDiff>> {
        self.comparisons.diff(self.repo, self.reader, change)
    }

    /// Commits, files and lines of a version, without what is over the object budget.
    pub fn size(&self, version: &Version) -> Result<Size> {
        let commits = within_budget(self.commit_count(version))?.unwrap_or_default();
        let mut size = Size { commits, ..Size::default() };
        let Some(range) = within_budget(self.range(version))? else { return Ok(size) };
        let Some(comparison) = within_budget(self.comparison(&range))? else { return Ok(size) };
        size.changed_files = i64::try_from(comparison.changes().len()).unwrap_or(i64::MAX);
        for change in comparison.changes() {
            let Some(diff) = within_budget(self.listed_diff(change))? else { continue };
            size.additions += i64::from(diff.additions());
            size.deletions += i64::from(diff.deletions());
        }
        Ok(size)
    }

    fn commit_count(&self, version: &Version) -> Result<i64> {
        let range = self.reader.commits_between(&version.base_sha, &version.head_sha, 0)?;
        Ok(i64::try_from(range.total).unwrap_or(i64::MAX))
    }
}

/// `None` if a computation is over its object budget, for callers that can do without the result.
pub fn within_budget<T>(outcome: Result<T>) -> Result<Option<T>> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(Error::OverBudget(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// As [`with_diff_context`], for a result that may be large.
pub async fn with_diff_context_large<T: Send + 'static>(
    core: &Core,
    repo: RepoId,
    work: impl FnOnce(DiffContext<'_>) -> Result<T> + Send + 'static,
) -> Result<Large<T>> {
    let comparisons = core.comparisons.clone();
    core.objects.read_large(repo, move |reader| work(DiffContext { repo, reader, comparisons: &comparisons })).await
}

/// Runs `work` with a diff context of a repository.
pub async fn with_diff_context<T: Send + 'static>(
    core: &Core,
    repo: RepoId,
    work: impl FnOnce(DiffContext<'_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    let comparisons = core.comparisons.clone();
    core.objects.read(repo, move |reader| work(DiffContext { repo, reader, comparisons: &comparisons })).await
}

/// As [`with_diff_context`], on the current thread if everything is in memory; otherwise `work` runs a second time.
pub async fn with_diff_context_fast<T: Send + 'static>(
    core: &Core,
    repo: RepoId,
    work: impl Fn(DiffContext<'_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    let comparisons = core.comparisons.clone();
    core.objects.read_fast(repo, move |reader| work(DiffContext { repo, reader, comparisons: &comparisons })).await
}
