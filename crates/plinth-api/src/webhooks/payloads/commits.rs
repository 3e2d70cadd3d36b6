//! The commits of a push, computed from its two ends within the object budget.

use std::collections::{BTreeSet, BinaryHeap, HashSet};

use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};
use plinth_core::objects::Large;
use plinth_core::pulls::diff_context::within_budget;
use plinth_git::diff::{EMPTY_TREE, changes_without_renames};
use plinth_git::{Commit, ObjectKind, Reader};

use crate::app::App;
use crate::git_objects::json::commit_bytes;

/// Commits in one payload, as on GitHub.
pub const COMMITS_MAX: usize = 2_048;
/// Files of one commit; more are not listed.
const FILES_MAX: usize = 3_000;
/// Bytes of the paths in one payload. When they are used up, the other commits list no files.
const PATH_BYTES_MAX: usize = 4 << 20;

/// The ends of a push.
#[derive(Debug, Clone, Copy)]
pub struct Ends {
    pub before: Option<Sha>,
    pub after: Option<Sha>,
    /// For a new ref: commits that this tip has are not new.
    pub known: Option<Sha>,
}

/// What a push brought.
#[derive(Default)]
pub struct Pushed {
    /// Oldest first.
    pub commits: Vec<PushedCommit>,
    /// The commit that the ref points at, directly or through a tag.
    pub head: Option<PushedCommit>,
    /// Whether commits were lost.
    pub forced: bool,
}

/// A commit with the files that differ from its first parent.
#[derive(Clone)]
pub struct PushedCommit {
    pub sha: Sha,
    pub commit: Commit,
    pub files: Files,
}

#[derive(Clone, Default)]
pub struct Files {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub modified: Vec<String>,
}

/// Computes what a push brought. What is over the object budget, or was collected meanwhile, is left out.
pub async fn find(app: &App, repo: RepoId, ends: Ends) -> Result<Large<Pushed>> {
    app.objects.read_large(repo, move |reader| find_pushed(reader, ends)).await
}

fn find_pushed(reader: &Reader<'_>, ends: Ends) -> Result<Pushed> {
    let Some(after) = ends.after else { return Ok(Pushed::default()) };
    let Some(head) = available(peel(reader, after))?.flatten() else { return Ok(Pushed::default()) };
    let before = match ends.before {
        Some(before) => available(peel(reader, before))?.flatten(),
        None => None,
    };
    let forced = match before {
        Some(before) => available(reader.is_ancestor(&before, &head))?.is_some_and(|is_ancestor| !is_ancestor),
        None => false,
    };
    let ids = match before.or(ends.known) {
        Some(base) => available(reader.commits_between(&base, &head, COMMITS_MAX))?.map(|range| range.commit_ids),
        None => available(newest_first(reader, head))?,
    };
    let mut describe = Describe { reader, path_bytes: 0, is_over: false };
    let mut commits = Vec::new();
    for sha in ids.unwrap_or_default() {
        commits.extend(describe.commit(sha)?);
    }
    let head = match commits.iter().find(|commit| commit.sha == head) {
        Some(found) => Some(found.clone()),
        None => describe.commit(head)?,
    };
    commits.reverse();
    Ok(Pushed { commits, head, forced })
}

/// `None` if it cannot be computed any more, or not within the budget.
fn available<T>(outcome: Result<T>) -> Result<Option<T>> {
    match within_budget(outcome) {
        Err(Error::NotFound) => Ok(None),
        outcome => outcome,
    }
}

fn peel(reader: &Reader<'_>, sha: Sha) -> Result<Option<Sha>> {
    let peeled = reader.peel(&sha)?;
    Ok(peeled.filter(|(_, kind)| *kind == ObjectKind::Commit).map(|(sha, _)| sha))
}

/// The newest commits of a history, by the dates of their committers.
fn newest_first(reader: &Reader<'_>, head: Sha) -> Result<Vec<Sha>> {
    let (mut waiting, mut seen, mut found) = (BinaryHeap::new(), HashSet::from([head]), Vec::new());
    let mut next = Some(head);
    while let Some(sha) = next {
        if found.len() == COMMITS_MAX {
            break;
        }
        found.push(sha);
        let commit = reader.find_commit(&sha)?.ok_or_else(|| reader.missing(&sha))?;
        for parent in commit.parent_ids.into_iter().filter(|parent| seen.insert(*parent)) {
            let commit = reader.find_commit(&parent)?.ok_or_else(|| reader.missing(&parent))?;
            waiting.push((commit.committer.date.seconds, parent));
        }
        next = waiting.pop().map(|(_, sha)| sha);
    }
    Ok(found)
}

/// Describes commits until a limit is reached.
struct Describe<'a> {
    reader: &'a Reader<'a>,
    path_bytes: usize,
    is_over: bool,
}

impl Describe<'_> {
    fn commit(&mut self, sha: Sha) -> Result<Option<PushedCommit>> {
        let Some(commit) = available(self.reader.find_commit(&sha))?.flatten() else { return Ok(None) };
        let Some(()) = available(self.reader.budget().retain(commit_bytes(&commit)))? else { return Ok(None) };
        let files = self.files(&commit, sha)?;
        Ok(Some(PushedCommit { sha, commit, files }))
    }

    fn files(&mut self, commit: &Commit, sha: Sha) -> Result<Files> {
        let mut files = Files::default();
        if self.is_over {
            return Ok(files);
        }
        let parent = commit.parent_ids.first().copied().unwrap_or(EMPTY_TREE);
        let Some(changes) = available(changes_without_renames(self.reader, &parent, &sha))? else {
            self.is_over = true;
            return Ok(files);
        };
        for change in changes.iter().take(FILES_MAX) {
            let path = String::from_utf8_lossy(change.path()).into_owned();
            self.path_bytes += path.len();
            let list = match (&change.old, &change.new) {
                (None, _) => &mut files.added,
                (Some(_), None) => &mut files.removed,
                (Some(_), Some(_)) => &mut files.modified,
            };
            list.push(path);
        }
        self.is_over = self.path_bytes > PATH_BYTES_MAX;
        Ok(files)
    }
}

/// The e-mail addresses of the authors and committers.
pub fn emails(pushed: &Pushed) -> BTreeSet<String> {
    let commits = pushed.commits.iter().chain(&pushed.head);
    let identities = commits.flat_map(|pushed| [&pushed.commit.author, &pushed.commit.committer]);
    let emails = identities.map(|identity| identity.email.to_ascii_lowercase());
    // PostgreSQL has no text with a NUL, so nobody has such an address.
    emails.filter(|email| !email.is_empty() && !email.contains('\0')).collect()
}
