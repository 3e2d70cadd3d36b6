//! Histories of a state file. Their objects are written before the transaction, their references inside it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::file::{Commit, Repo, StateFile, Tag};
use super::name::{Name, problem, split_full_name};
use super::report::{Effect, Report};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};
use plinth_core::accounts::{self, AccountKind};
use plinth_core::objects::shared;
use plinth_core::ref_updates::{Mover, RefMoves, move_refs};
use plinth_core::refs::{self, Change, Target};
use plinth_core::{pulls, repos};
use plinth_git::{
    History, HistoryCommit, HistoryTag, NoObjects, ObjectSource, PackLimits, RefName, Refs, Repositories, Repository,
    SharedPack, Staged,
};
use plinth_store::{Connection, Store, Transaction};

pub const DEFAULT_BRANCH: &str = "main";

/// The histories of the repositories of a file, in its order. Their objects are durable.
pub struct Histories {
    repositories: Arc<Repositories>,
    prepared: Vec<Option<Prepared>>,
    /// Repositories that got objects in a transaction that may still fail.
    adopted: Arc<Mutex<Vec<RepoId>>>,
}

/// Staged objects, and the references that the repository will have.
pub struct Prepared {
    staged: Staged,
    /// The packs, if several servers share them.
    uploaded: Vec<SharedPack>,
    refs: Vec<(RefName, Target)>,
    /// E-mail addresses of the authors of the default branch.
    authors: Vec<String>,
    pub default_branch: Option<String>,
}

impl Prepared {
    /// The staged objects.
    pub fn repository(&self) -> Arc<Repository> {
        Arc::clone(&self.staged)
    }

    /// The commit that a branch will point at.
    pub fn tip(&self, branch: &str) -> Option<Sha> {
        let name = format!("refs/heads/{branch}");
        self.refs.iter().find(|(found, _)| found.as_str() == name).map(|(_, target)| target.sha)
    }
}

/// The source of a history.
enum Source {
    Described(History),
    Imported(PathBuf),
}

impl Histories {
    /// Stages the objects of every repository that has no references yet.
    pub async fn prepare(
        store: &Store,
        repositories: &Arc<Repositories>,
        file: &StateFile,
        directory: &Path,
    ) -> Result<Self> {
        let mut prepared = Vec::with_capacity(file.repos.len());
        let mut db = store.read().await?;
        for repo in &file.repos {
            let source = match find_source(&mut db, file, repo, directory).await? {
                Some(source) if !has_refs(&mut db, repo).await? => source,
                _ => {
                    prepared.push(None);
                    continue;
                }
            };
            let (staging, branch) = (repositories.clone(), repo.default_branch.clone());
            let staged = tokio::task::spawn_blocking(move || source.stage(&staging, branch)).await;
            let staged = staged.map_err(|error| Error::internal(error.to_string()))?;
            prepared.push(Some(staged.map_err(|error| problem(&repo.name, "repos", error))?));
        }
        Ok(Self { repositories: repositories.clone(), prepared, adopted: Arc::default() })
    }

    pub fn of(&self, index: usize) -> Option<&Prepared> {
        self.prepared.get(index)?.as_ref()
    }

    /// Removes what was written to disk, for when the transaction fails.
    pub fn clean_up(&self) -> CleanUp {
        CleanUp { repositories: self.repositories.clone(), adopted: self.adopted.clone() }
    }

    /// Moves the objects into the repository and creates its references, in the transaction that creates the repository.
    pub async fn apply(
        &self,
        tx: &mut Transaction,
        (index, wanted): (usize, &Repo),
        (id, effect): (RepoId, Effect),
        now: Timestamp,
        report: &mut Report,
    ) -> Result<()> {
        if !wanted.has_history() {
            return Ok(());
        }
        let what = format_args!("history of {}", wanted.name.value).to_string();
        let Some(prepared) = self.of(index) else {
            report.note(what, Effect::Unchanged);
            return Ok(());
        };
        if !refs::store::list(tx, id, "", "", 1).await?.is_empty() {
            report.note(what, Effect::Unchanged);
            return Ok(());
        }
        if effect == Effect::Created {
            // The database may reuse the id of a failed transaction, whose objects must not appear here.
            self.adopted.lock().push(id);
            self.repositories.delete(id)?;
        }
        self.repositories.adopt(&prepared.staged, id)?;
        for pack in &prepared.uploaded {
            shared::store::insert(tx, id, pack, now).await?;
        }
        set_refs(tx, id, &prepared.refs, now).await?;
        for email in &prepared.authors {
            pulls::store::insert_contributor(tx, id, email).await?;
        }
        report.note(what, Effect::Created);
        Ok(())
    }
}

/// Removes what a failed transaction wrote to disk.
pub struct CleanUp {
    repositories: Arc<Repositories>,
    adopted: Arc<Mutex<Vec<RepoId>>>,
}

impl CleanUp {
    pub fn run(&self) {
        for id in self.adopted.lock().drain(..) {
            if let Err(error) = self.repositories.delete(id) {
                tracing::warn!(%error, %id, "could not remove the directory of a repository that was not created");
            }
        }
    }
}

/// Creates references in an empty repository.
pub async fn set_refs(tx: &mut Transaction, repo: RepoId, wanted: &[(RefName, Target)], now: Timestamp) -> Result<()> {
    let changes: Vec<Change> =
        wanted.iter().map(|(name, target)| Change { name: name.clone(), old: None, new: Some(*target) }).collect();
    let RefMoves { outcomes, .. } = move_refs(tx, repo, &changes, Mover::new(None, now)).await?;
    match changes.iter().zip(outcomes).find(|(_, outcome)| outcome.is_err()) {
        None => Ok(()),
        Some((change, _)) => Err(Error::Conflict(format!("{} conflicts with an existing reference", change.name))),
    }
}

/// Adds to each reference the kind of the object it points at.
pub fn targets(repository: &Repository, refs: &Refs) -> Result<Vec<(RefName, Target)>> {
    let reader = repository.reader(&NoObjects as &dyn ObjectSource);
    refs.iter()
        .map(|(name, sha)| {
            let kind = reader
                .kind_of(sha)?
                .ok_or_else(|| Error::internal("an object that was written just now does not exist"))?;
            Ok((name.clone(), Target { sha: *sha, kind }))
        })
        .collect()
}

/// Filters out the reserved references of other repositories, which are not imported.
pub fn importable(refs: Refs) -> Refs {
    refs.into_iter().filter(|(name, _)| !refs::rules::is_reserved(name)).collect()
}

impl Source {
    fn stage(self, repositories: &Repositories, wanted_branch: Option<String>) -> Result<Prepared> {
        let staged = repositories.stage()?;
        let (refs, default_branch) = match self {
            Source::Described(history) => (staged.create_history(&history)?, None),
            Source::Imported(path) => {
                let imported = staged.import(&path, PackLimits::default(), &mut |_| ())?;
                (importable(imported.refs), imported.default_branch)
            }
        };
        let refs = targets(&staged, &refs)?;
        let branch = |name: RefName| name.as_str().strip_prefix("refs/heads/").map(str::to_owned);
        let default_branch = default_branch.and_then(branch);
        let uploaded = repositories.upload(&staged)?;
        let mut prepared = Prepared { staged, uploaded, refs, authors: Vec::new(), default_branch };
        let shown = wanted_branch.as_deref().or(prepared.default_branch.as_deref()).unwrap_or(DEFAULT_BRANCH);
        if let Some(tip) = prepared.tip(shown) {
            prepared.authors = pulls::authors(&prepared.staged.reader(&NoObjects), None, tip)?;
        }
        Ok(prepared)
    }
}

async fn find_source(db: &mut Connection, file: &StateFile, repo: &Repo, directory: &Path) -> Result<Option<Source>> {
    let described = !repo.commits.is_empty() || !repo.tags.is_empty();
    match &repo.import {
        Some(_) if described => {
            Err(problem(&repo.name, "repos.import", "a repository has either commits and tags or an import"))
        }
        Some(path) => Ok(Some(Source::Imported(directory.join(&path.value)))),
        None if !described => Ok(None),
        None => {
            let mut history = History::default();
            for commit in &repo.commits {
                history.commits.push(with_author(db, file, commit).await?);
            }
            let tag = |tag: &Tag| HistoryTag {
                name: tag.name.clone(),
                target: tag.target.clone(),
                message: tag.message.clone(),
            };
            history.tags = repo.tags.iter().map(tag).collect();
            Ok(Some(Source::Described(history)))
        }
    }
}

async fn with_author(db: &mut Connection, file: &StateFile, commit: &Commit) -> Result<HistoryCommit> {
    let (author_name, author_email) = find_author(db, file, &commit.author).await?;
    let files = commit.files.iter().map(|(path, text)| (path.clone(), text.clone().map(String::into_bytes)));
    Ok(HistoryCommit {
        branch: commit.branch.clone(),
        from: commit.from.clone(),
        author_name,
        author_email,
        message: commit.message.clone(),
        files: files.collect(),
    })
}

/// A user of this file takes precedence over the one in the store, since the file is about to be applied.
async fn find_author(db: &mut Connection, file: &StateFile, login: &Name) -> Result<(String, String)> {
    let described = file.users.iter().find(|user| user.login.value.eq_ignore_ascii_case(&login.value));
    let (login, name, email) = match described {
        Some(user) => (user.login.value.clone(), user.name.clone(), user.email.clone()),
        None => {
            let found = accounts::store::find_of_kind(db, &login.value, AccountKind::User).await?;
            let missing = || problem(login, "repos.commits.author", format_args!("there is no user {:?}", login.value));
            let found = found.ok_or_else(missing)?;
            (found.login, found.name, found.email)
        }
    };
    Ok(accounts::commit_identity(&login, name.as_deref(), email.as_deref()))
}

async fn has_refs(db: &mut Connection, repo: &Repo) -> Result<bool> {
    let (owner, name) = split_full_name(&repo.name, "repos.name")?;
    let Some(found) = repos::store::find(db, owner, name, None).await? else { return Ok(false) };
    Ok(!refs::store::list(db, found.repo.id, "", "", 1).await?.is_empty())
}
