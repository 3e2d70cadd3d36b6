//! The transaction of a merge.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, ObjectKind, PullId, RefName, RepoId, Sha};
use plinth_git::{Date, Identity, RawObject, Reader, Reserved};
use plinth_store::Transaction;

use super::rules;
use crate::access::{Current, WriteAccess, check_workflows};
use crate::objects;
use crate::pulls::{self, PendingRefresh};
use crate::ref_updates::{Mover, RefMoves, move_refs};
use crate::refs::{self, Change, Target};
use crate::repos::RepoTarget;
use crate::{Core, accounts};

/// The result of a merge, computed from branches that may have moved since.
pub struct Computed {
    /// A branch.
    pub branch: RefName,
    pub old: Sha,
    pub new: Sha,
    pub objects: Vec<Arc<RawObject>>,
    /// The memory of the objects.
    pub reserved: Option<Reserved>,
    /// Whether the merge brings new workflow files, which requires a second right.
    pub workflows: bool,
    pub closes: Option<Closes>,
}

/// The pull request that is merged.
#[derive(Clone)]
pub struct Closes {
    pub pull: PullId,
    /// The head that was merged.
    pub head: Sha,
    /// The head that the caller has seen.
    pub expected_head: Option<String>,
}

/// Why a merge has to be computed again.
#[derive(Debug)]
pub struct Stale;

/// Stores the commits, moves the branch and closes the pull request, if the caller still has the right. The caller holds
/// the lock against the removal of objects.
pub async fn write(core: &Core, access: &WriteAccess<RepoTarget>, computed: Computed) -> Result<Result<(), Stale>> {
    let repo = access.repo.id;
    if computed.workflows {
        check_workflows(access.caller(), &access.grant)?;
    }
    check_with_git(core, repo, &computed.objects).await?;
    let objects = core.objects.store_large(repo, computed.objects).await?;
    // Reserved until the transaction is over.
    let _reserved = computed.reserved;
    let computed = Computed { objects, reserved: None, ..computed };
    let context = (repo, computed, Mover::new(access.caller().actor(), core.clock.now()));
    let written = access
        .write_if_current(context, |tx, changed, (repo, computed, mover)| {
            Box::pin(async move {
                if let Some(Current { caller, grant, .. }) = changed
                    && computed.workflows
                {
                    check_workflows(caller, grant)?;
                }
                apply(tx, *repo, computed, *mover).await
            })
        })
        .await?;
    Ok(match written {
        Some(refresh) => {
            pulls::refresh_later(core, repo, refresh);
            Ok(())
        }
        None => Err(Stale),
    })
}

/// Text that git has merged may be a `.gitmodules` that neither side had.
async fn check_with_git(core: &Core, repo: RepoId, objects: &[Arc<RawObject>]) -> Result<()> {
    if objects.iter().all(|object| object.kind() == ObjectKind::Commit) {
        return Ok(());
    }
    let (packs, checked) = (core.objects.clone(), objects.to_vec());
    core.objects.run(move || packs.repository(repo)?.check_objects(&checked, &[])).await
}

/// Returns `None` if a branch has moved.
async fn apply(
    tx: &mut Transaction,
    repo: RepoId,
    computed: &Computed,
    mover: Mover,
) -> Result<Option<PendingRefresh>> {
    let current = refs::store::find(tx, repo, &computed.branch).await?;
    if current.is_none_or(|current| current.target != computed.old) {
        return Ok(None);
    }
    if let Some(closes) = &computed.closes {
        let pull = pulls::store::find_by_id(tx, closes.pull).await?.ok_or(Error::NotFound)?;
        rules::check_mergeable(&pull, closes.expected_head.as_deref())?;
        if pull.version.head_sha != closes.head || branch(&pull.base_ref)? != computed.branch {
            return Ok(None);
        }
        // Before the branch moves: a pull request that is closed gets no new version.
        pulls::store::update_merged(tx, closes.pull, computed.new, mover.actor, mover.now).await?;
    }
    objects::store::insert_all(tx, repo, &computed.objects, mover.now).await?;
    let target = Target { sha: computed.new, kind: ObjectKind::Commit };
    let change = Change { name: computed.branch.clone(), old: Some(computed.old), new: Some(target) };
    let RefMoves { outcomes, refresh } = move_refs(tx, repo, &[change], mover).await?;
    if !matches!(outcomes.as_slice(), [Ok(())]) {
        return Err(Error::internal("a branch moved inside the transaction of a merge"));
    }
    if let Some(closes) = &computed.closes {
        pulls::events::record_closed(tx, closes.pull, mover.actor, mover.now).await?;
    }
    Ok(Some(refresh))
}

/// The ref of a branch.
pub fn branch(name: &str) -> Result<RefName> {
    RefName::parse(&format!("refs/heads/{name}")).map_err(|_| Error::NotFound)
}

/// The tip of the default branch, which workflow files are compared with.
pub async fn find_default_tip(core: &Core, access: &WriteAccess<RepoTarget>) -> Result<Option<Sha>> {
    let repo = &access.repo;
    Ok(refs::store::find_default_tip(&mut core.read().await?, repo.id, &repo.default_branch).await?)
}

/// Whether `theirs` has new workflow files that a merge would bring into `ours`.
pub fn brings_workflows(reader: &Reader<'_>, ours: &Sha, theirs: Sha, default_tip: Option<Sha>) -> Result<bool> {
    let merge_base = reader.merge_base(ours, &theirs)?;
    refs::rules::changes_workflows(reader, merge_base, theirs, default_tip)
}

/// The identity of an account, with the current time; `None` if the account does not exist.
pub async fn find_identity(core: &Core, account: AccountId) -> Result<Option<Identity>> {
    let account = accounts::store::find(&mut core.read().await?, account).await?;
    Ok(account.map(|account| {
        let (name, email) =
            accounts::commit_identity(&account.login, account.name.as_deref(), account.email.as_deref());
        Identity { name, email, date: Date::utc(core.clock.now().0) }
    }))
}

/// The identity of the caller.
pub async fn find_caller(core: &Core, access: &WriteAccess<RepoTarget>) -> Result<Identity> {
    find_identity(core, access.author()?).await?.ok_or(Error::NotFound)
}
