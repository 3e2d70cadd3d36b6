//! Creating a repository and its first commit in one transaction.

use std::sync::{Arc, OnceLock};

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, ObjectKind, RefName, RepoId};
use plinth_git::{Date, Identity};
use plinth_store::Transaction;

use super::initial_commit::InitialCommit;
use crate::access::{Role, Target, WriteAccess};
use crate::accounts::{self, commit_identity};
use crate::ref_updates::{Mover, move_refs};
use crate::refs::{self, Change};
use crate::repos::store::{self, NewRepo, RepoWithRole};
use crate::repos::{NewRepository, rules};
use crate::{Core, objects, repos};

const DEFAULT_BRANCH: &str = "main";

/// Creates a repository for `owner`, which is the target of the access.
pub async fn create<T: Target>(
    core: &Core,
    access: &WriteAccess<T>,
    owner: AccountId,
    mut new: NewRepository,
) -> Result<RepoWithRole> {
    new.name = rules::check_new(&new)?.as_str().to_owned();
    rules::check_scope(new.private, access.caller())?;
    let now = core.clock.now();
    let author = find_author(core, access.author()?, now).await?;
    let initial = InitialCommit::for_repository(&new, &author)?;
    let creation = Arc::new(Creation { owner, new, initial, now });
    match try_create(core, access, creation.clone()).await? {
        Ok(created) => Ok(created),
        Err(leftover) => {
            core.objects.remove_repository(leftover).await?;
            let created = try_create(core, access, creation).await?;
            created.map_err(|_| Error::Unavailable("a directory with the id of the new repository is in use".into()))
        }
    }
}

/// Everything that the transaction needs.
struct Creation {
    owner: AccountId,
    new: NewRepository,
    initial: Option<InitialCommit>,
    now: Timestamp,
}

/// Creates the repository, unless there is a directory with its id: then it returns the id and stores nothing.
///
/// A process that was killed may have left such a directory, whose objects do not belong to the repository. It must be
/// gone before anyone can use the new repository, so the transaction looks for it.
async fn try_create<T: Target>(
    core: &Core,
    access: &WriteAccess<T>,
    creation: Arc<Creation>,
) -> Result<Result<RepoWithRole, RepoId>> {
    let leftover = Arc::new(OnceLock::new());
    let context = (creation, core.repositories.clone(), leftover.clone());
    let created = access
        .write_current(context, |tx, current, (creation, repositories, leftover)| {
            Box::pin(async move {
                let Creation { owner, new, initial, now } = &**creation;
                // The scopes may have changed since the request began.
                rules::check_scope(new.private, &current.caller)?;
                let user = current.caller.user_id();
                let actor = current.caller.actor();
                let id = insert(tx, *owner, (user, actor), new, *now).await?;
                if repositories.has_directory(id)? {
                    let _ = leftover.set(id);
                    return Err(Error::Unavailable("a directory has the id of the new repository".into()));
                }
                if let Some(initial) = initial {
                    write_initial_commit(tx, id, initial, Mover::new(actor, *now)).await?;
                }
                let found = store::find_by_id(tx, id, user).await?;
                found.ok_or_else(|| Error::internal("a repository was just stored"))
            })
        })
        .await;
    match (created, leftover.get()) {
        (Err(_), Some(id)) => Ok(Err(*id)),
        (created, _) => created.map(Ok),
    }
}

async fn find_author(core: &Core, account: AccountId, now: Timestamp) -> Result<Identity> {
    let account = accounts::store::find(&mut core.read().await?, account).await?.ok_or(Error::NotFound)?;
    let (name, email) = commit_identity(&account.login, account.name.as_deref(), account.email.as_deref());
    Ok(Identity { name, email, date: Date::utc(now.0) })
}

/// Inserts the repository. A user who creates one for an organization becomes its admin.
async fn insert(
    tx: &mut Transaction,
    owner: AccountId,
    (user, actor): (Option<AccountId>, Option<AccountId>),
    new: &NewRepository,
    now: Timestamp,
) -> Result<RepoId> {
    let row = NewRepo {
        owner,
        name: &new.name,
        description: new.description.as_deref(),
        private: new.private,
        default_branch: DEFAULT_BRANCH,
    };
    let id = repos::operations::insert(tx, &row, actor, now).await?;
    if let Some(homepage) = &new.homepage {
        store::update_homepage(tx, id, homepage).await?;
    }
    if let Some(user) = user.filter(|user| *user != owner) {
        store::upsert_collaborator(tx, id, user, Role::Admin).await?;
    }
    Ok(id)
}

async fn write_initial_commit(tx: &mut Transaction, repo: RepoId, initial: &InitialCommit, mover: Mover) -> Result<()> {
    objects::store::insert_all(tx, repo, &initial.objects, mover.now).await?;
    let name = RefName::parse(&format!("refs/heads/{DEFAULT_BRANCH}"))
        .map_err(|_| Error::internal("the default branch has a bad name"))?;
    let target = refs::Target { sha: initial.commit_id, kind: ObjectKind::Commit };
    // A new repository has no pull requests to refresh.
    let moved = move_refs(tx, repo, &[Change { name, old: None, new: Some(target) }], mover).await?;
    match moved.outcomes.as_slice() {
        [Ok(())] => Ok(()),
        _ => Err(Error::internal("the first branch of a repository exists already")),
    }
}
