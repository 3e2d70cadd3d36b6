//! Changing one file. The commit is built before the transaction; the transaction moves the branch if it is still at the
//! commit that the change was validated against. Otherwise the caller gets a conflict, as on GitHub: nothing is retried,
//! since the caller has seen another state.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, RefName, RepoId, Sha};
use plinth_git::{self as git, Commit, EntryMode, Identity, MemoryObjects, RawObject, Reader, TreeChange, TreeEdit};
use plinth_store::Transaction;

use super::{FileChange, FileCommit, rules};
use crate::access::{Current, WriteAccess, check_workflows};
use crate::git_objects::{self, caller_identity, check_submodules};
use crate::pulls::{self, PendingRefresh};
use crate::ref_updates::{Mover, RefMoves, move_refs};
use crate::refs::{self, Change, Target};
use crate::repos::{self, RepoTarget};
use crate::{Core, objects};

/// A commit that changed a file.
#[derive(Debug)]
pub struct Changed {
    /// The name of the branch.
    pub branch: String,
    pub sha: Sha,
    pub commit: Commit,
    /// `None` after a deletion.
    pub file: Option<WrittenFile>,
    /// Whether the path is new.
    pub created: bool,
}

#[derive(Debug, Clone)]
pub struct WrittenFile {
    pub mode: EntryMode,
    pub sha: Sha,
    pub size: u64,
}

/// Makes a commit that creates, changes or deletes one file.
pub async fn change(core: &Core, access: &WriteAccess<RepoTarget>, commit: FileCommit) -> Result<Changed> {
    let repo = &access.repo;
    rules::check_path(&commit.path)?;
    let workflows = rules::is_workflow(&commit.path);
    if workflows {
        check_workflows(access.caller(), &access.grant)?;
    }
    let branch = commit.branch.clone().unwrap_or_else(|| repo.default_branch.clone());
    let (name, old) = find_tip(core, repo.id, &branch).await?;
    let caller = caller_identity(core, access).await?;
    let _removal_lock = core.objects.prevent_removal(repo.id).await?;
    let built = core.objects.read(repo.id, move |reader| build(reader, old, commit, &caller)).await?;
    if built.has_submodules_file {
        check_submodules(core, repo.id, &built.objects).await?;
    }
    let objects = core.objects.store_large(repo.id, built.objects).await?;
    let mover = Mover::new(access.caller().actor(), core.clock.now());
    let write = Write { repo: repo.id, name, old, new: built.sha, objects, workflows, mover };
    let refresh = access
        .write_if_current(write, |tx, changed, write| {
            Box::pin(async move {
                if let Some(Current { caller, grant, .. }) = changed
                    && write.workflows
                {
                    check_workflows(caller, grant)?;
                }
                write.run(tx).await
            })
        })
        .await?;
    pulls::refresh_later(core, repo.id, refresh);
    Ok(Changed { branch, sha: built.sha, commit: built.commit, file: built.file, created: built.created })
}

/// The ref of the branch and its commit. Only a repository without branches gets a new one.
async fn find_tip(core: &Core, repo: RepoId, branch: &str) -> Result<(RefName, Option<Sha>)> {
    let missing = || Error::MissingNamed(format!("Branch {branch} not found"));
    let name = RefName::parse(&format!("refs/heads/{branch}")).map_err(|_| missing())?;
    let mut db = core.read().await?;
    if let Some(found) = refs::store::find(&mut db, repo, &name).await? {
        return Ok((name, Some(found.target)));
    }
    if refs::store::has_branches(&mut db, repo).await? || refs::rules::is_ambiguous(&name) {
        return Err(missing());
    }
    Ok((name, None))
}

/// A commit that is not stored yet.
struct Built {
    sha: Sha,
    commit: Commit,
    objects: Vec<Arc<RawObject>>,
    has_submodules_file: bool,
    file: Option<WrittenFile>,
    created: bool,
}

fn build(reader: &Reader<'_>, tip: Option<Sha>, commit: FileCommit, caller: &Identity) -> Result<Built> {
    let root = match tip {
        Some(tip) => Some(reader.find_tree_id(&tip)?.ok_or_else(|| reader.missing(&tip))?),
        None => None,
    };
    let before = rules::check_before(reader, root, &commit)?;
    let committer = git_objects::rules::identity("committer", commit.committer, caller)?;
    let author = git_objects::rules::identity("author", commit.author, &committer)?;
    let mut edit = root.map_or_else(TreeEdit::from_empty, TreeEdit::from_base);
    let file = match commit.change {
        FileChange::Delete => {
            edit.change(&commit.path, TreeChange::Delete)?;
            None
        }
        FileChange::Write(content) => {
            let content = rules::decode(&content)?;
            let mode = before.unwrap_or(EntryMode::File);
            let file = WrittenFile { mode, sha: RawObject::blob(content.clone())?.sha(), size: content.len() as u64 };
            edit.change(&commit.path, TreeChange::Write { mode, content })?;
            Some(file)
        }
    };
    let has_submodules_file = edit.has_submodules_file();
    let mut objects = MemoryObjects::default();
    let new = git::NewCommit {
        tree_id: edit.build(reader, &mut objects, reader.budget())?,
        parent_ids: tip.into_iter().collect(),
        author,
        committer,
        message: commit.message,
        signature: None,
    };
    let sha = objects.insert(new.to_object()?);
    let commit = Commit {
        tree_id: new.tree_id,
        parent_ids: new.parent_ids,
        author: new.author,
        committer: new.committer,
        message: new.message,
        signature: None,
    };
    Ok(Built { sha, commit, objects: objects.into_sorted(), has_submodules_file, file, created: before.is_none() })
}

/// Everything that the transaction needs.
struct Write {
    repo: RepoId,
    name: RefName,
    old: Option<Sha>,
    new: Sha,
    objects: Vec<Arc<RawObject>>,
    workflows: bool,
    mover: Mover,
}

impl Write {
    async fn run(&self, tx: &mut Transaction) -> Result<PendingRefresh> {
        let found = refs::store::find(tx, self.repo, &self.name).await?.map(|found| found.target);
        let is_first = self.old.is_none();
        if found != self.old || is_first && refs::store::has_branches(tx, self.repo).await? {
            return Err(self.conflict(found));
        }
        objects::store::insert_all(tx, self.repo, &self.objects, self.mover.now).await?;
        let target = Target { sha: self.new, kind: ObjectKind::Commit };
        let change = Change { name: self.name.clone(), old: self.old, new: Some(target) };
        let RefMoves { outcomes, mut refresh } = move_refs(tx, self.repo, &[change], self.mover).await?;
        if !matches!(outcomes.as_slice(), [Ok(())]) {
            return Err(Error::internal("a branch moved inside its own transaction"));
        }
        if is_first && self.adopt_default_branch(tx).await? {
            refresh.default_branch = Some((None, self.new));
        }
        Ok(refresh)
    }

    /// The first branch of a repository becomes its default branch, as after a push.
    async fn adopt_default_branch(&self, tx: &mut Transaction) -> Result<bool> {
        let found = repos::store::find_by_id(tx, self.repo, None).await?.ok_or(Error::NotFound)?;
        let branch = self.short_name();
        if found.repo.default_branch == branch {
            return Ok(false);
        }
        repos::operations::update_default_branch(tx, self.repo, branch, self.mover.actor, self.mover.now).await?;
        Ok(true)
    }

    fn short_name(&self) -> &str {
        self.name.as_str().strip_prefix("refs/heads/").unwrap_or_default()
    }

    fn conflict(&self, found: Option<Sha>) -> Error {
        let text = |sha: Option<Sha>| sha.map_or_else(|| "nothing".to_owned(), |sha| sha.to_string());
        Error::Conflict(format!("{} is at {} but expected {}", self.short_name(), text(found), text(self.old)))
    }
}
