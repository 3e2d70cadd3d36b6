//! Changing and deleting repositories and their collaborators. [`crate::repo_creation`] creates repositories through the API.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::Transaction;

use super::events::{self, MemberData};
use super::store::{self, NewRepo};
use super::{Repo, RepoEdit, RepoTarget, RepoWithRole, deletion, rules, statistics};
use crate::Core;
use crate::access::{Role, WriteAccess};
use crate::accounts::{self, AccountKind};
use crate::refs;

/// Deletes a repository. Everything that belongs to it is removed in the background.
pub async fn delete(core: &Core, access: &WriteAccess<RepoTarget>) -> Result<()> {
    let context = (access.repo.id, access.caller().actor(), core.clock.now());
    access.write(context, |tx, (id, actor, now)| Box::pin(remove(tx, *id, *actor, *now))).await?;
    deletion::remove_later(core);
    Ok(())
}

/// Changes a repository for a caller who administers it.
pub async fn edit(core: &Core, access: &WriteAccess<RepoTarget>, edit: RepoEdit) -> Result<RepoWithRole> {
    rules::check_edit(&edit, &access.repo)?;
    let context = (access.repo.id, edit, core.clock.now());
    let write = access.write_current(context, |tx, current, (id, edit, now)| {
        Box::pin(async move {
            let caller = &current.caller;
            let before = store::find_by_id(tx, *id, caller.user_id()).await?.ok_or(Error::NotFound)?.repo;
            let after = apply(tx, &before, edit).await?;
            // A token for public repositories cannot make one private that it would no longer see.
            rules::check_scope(after.private, caller)?;
            store::edit(tx, &after, *now).await?;
            record_changes(tx, &before, caller.actor(), *now).await?;
            store::find_by_id(tx, *id, caller.user_id()).await?.ok_or(Error::NotFound)
        })
    });
    let changed = write.await?;
    if changed.repo.default_branch != access.repo.default_branch {
        statistics::refresh_later(core, changed.repo.id);
    }
    Ok(changed)
}

async fn apply(tx: &mut Transaction, before: &Repo, edit: &RepoEdit) -> Result<Repo> {
    if let Some(branch) = edit.default_branch.as_ref().filter(|branch| **branch != before.default_branch) {
        let tip = refs::store::find_default_tip(tx, before.id, branch).await?;
        tip.ok_or_else(|| rules::missing_branch(branch))?;
    }
    let not_empty = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    Ok(Repo {
        description: edit.description.as_ref().map_or(before.description.clone(), not_empty),
        homepage: edit.homepage.as_ref().map_or(before.homepage.clone(), not_empty),
        private: edit.private.unwrap_or(before.private),
        default_branch: edit.default_branch.clone().unwrap_or(before.default_branch.clone()),
        archived: edit.archived.unwrap_or(before.archived),
        ..before.clone()
    })
}

/// Replaces the topics of a repository, and returns them.
pub async fn replace_topics(core: &Core, access: &WriteAccess<RepoTarget>, names: &[String]) -> Result<String> {
    let topics = rules::check_topics(names)?;
    let context = (access.repo.id, topics.clone(), (access.caller().actor(), core.clock.now()));
    let write = access.write(context, |tx, (id, topics, by)| {
        Box::pin(async move {
            let texts = RepoTexts { topics: Some(topics), ..RepoTexts::default() };
            set_texts(tx, *id, &texts, *by).await
        })
    });
    write.await?;
    Ok(topics)
}

/// Valid texts that a repository is to have; those that are absent stay as they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct RepoTexts<'a> {
    /// An empty one removes it.
    pub homepage: Option<&'a str>,
    /// Names with a space between them.
    pub topics: Option<&'a str>,
}

/// Changes texts of a repository, and returns whether that changes anything.
pub async fn set_texts(
    tx: &mut Transaction,
    id: RepoId,
    texts: &RepoTexts<'_>,
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<bool> {
    let before = store::find_by_id(tx, id, None).await?.ok_or(Error::NotFound)?.repo;
    let has_homepage = texts.homepage.is_none_or(|text| text == before.homepage.as_deref().unwrap_or_default());
    let has_topics = texts.topics.is_none_or(|text| text == before.topics);
    if has_homepage && has_topics {
        return Ok(false);
    }
    if let Some(text) = texts.homepage.filter(|_| !has_homepage) {
        let homepage = Some(text.to_owned()).filter(|text| !text.is_empty());
        store::edit(tx, &Repo { homepage, ..before.clone() }, now).await?;
    }
    if let Some(topics) = texts.topics.filter(|_| !has_topics) {
        store::update_topics(tx, id, topics, now).await?;
    }
    record_changes(tx, &before, actor, now).await?;
    Ok(true)
}

/// Inserts a repository.
pub async fn insert(
    tx: &mut Transaction,
    new: &NewRepo<'_>,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<RepoId> {
    let id = store::insert(tx, new, now).await?;
    events::record_created(tx, id, actor, now).await?;
    Ok(id)
}

/// Changes what a state file sets.
pub async fn update(
    tx: &mut Transaction,
    before: &Repo,
    new: &NewRepo<'_>,
    archived: bool,
    now: Timestamp,
) -> Result<()> {
    store::update(tx, before.id, new, now).await?;
    store::update_archived(tx, before.id, archived).await?;
    record_changes(tx, before, None, now).await
}

/// Changes the default branch.
pub async fn update_default_branch(
    tx: &mut Transaction,
    id: RepoId,
    branch: &str,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    let before = if crate::events::is_wanted(tx).await? { store::find_by_id(tx, id, None).await? } else { None };
    store::update_default_branch(tx, id, branch, now).await?;
    match before {
        Some(before) => record_changes(tx, &before.repo, actor, now).await,
        None => Ok(()),
    }
}

async fn record_changes(tx: &mut Transaction, before: &Repo, actor: Option<AccountId>, now: Timestamp) -> Result<()> {
    if crate::events::is_wanted(tx).await? {
        let after = store::find_by_id(tx, before.id, None).await?.ok_or(Error::NotFound)?;
        events::record_changes(tx, (before, &after.repo), actor, now).await?;
    }
    Ok(())
}

/// Deletes a repository for everybody: see [`deletion::mark`].
pub async fn remove(tx: &mut Transaction, repo: RepoId, actor: Option<AccountId>, now: Timestamp) -> Result<()> {
    events::record_deleted(tx, repo, actor, now).await?;
    deletion::mark(tx, repo).await
}

/// Gives the user with this login a role, for a caller who administers the repository.
pub async fn add_collaborator(core: &Core, access: &WriteAccess<RepoTarget>, login: String, role: Role) -> Result<()> {
    let context = (access.repo.id, login, role, (access.caller().actor(), core.clock.now()));
    let write = access.write(context, |tx, (repo, login, role, by)| {
        Box::pin(async move {
            let user = find_user(tx, login).await?.ok_or(Error::NotFound)?;
            set_collaborator(tx, *repo, user, *role, *by).await.map(drop)
        })
    });
    write.await
}

/// Removes a collaborator. Administrators remove everybody, and others themselves.
pub async fn remove_collaborator(core: &Core, access: &WriteAccess<RepoTarget>, login: String) -> Result<()> {
    let context = (access.repo.id, login, access.principal(), access.role, core.clock.now());
    let write = access.write(context, |tx, (repo, login, caller, role, now)| {
        Box::pin(async move {
            let user = find_user(tx, login).await?;
            rules::check_removal(caller, *role, user)?;
            unset_collaborator(tx, *repo, user.ok_or(Error::NotFound)?, (caller.actor(), *now)).await
        })
    });
    write.await
}

async fn find_user(tx: &mut Transaction, login: &str) -> Result<Option<AccountId>> {
    Ok(accounts::store::find_of_kind(tx, login, AccountKind::User).await?.map(|user| user.id))
}

/// Gives a user a role in a repository, and returns the role before. The owner has all rights already.
pub async fn set_collaborator(
    tx: &mut Transaction,
    repo: RepoId,
    user: AccountId,
    role: Role,
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<Option<Role>> {
    let owner = store::find_by_id(tx, repo, None).await?.ok_or(Error::NotFound)?.repo.owner_id;
    rules::check_collaborator(user, owner)?;
    let before = store::find_collaborator(tx, repo, user).await?;
    if before != Some(role) {
        store::upsert_collaborator(tx, repo, user, role).await?;
        events::record_member(tx, (repo, user), &MemberData { before, after: Some(role) }, actor, now).await?;
    }
    Ok(before)
}

/// Takes the role of a collaborator away. A user who is none stays none.
async fn unset_collaborator(
    tx: &mut Transaction,
    repo: RepoId,
    user: AccountId,
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<()> {
    let Some(role) = store::find_collaborator(tx, repo, user).await? else { return Ok(()) };
    store::delete_collaborator(tx, repo, user).await?;
    events::record_member(tx, (repo, user), &MemberData { before: Some(role), after: None }, actor, now).await
}
