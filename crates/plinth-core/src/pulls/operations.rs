//! Creating and changing pull requests, each in one transaction.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Code, Error, Result};
use plinth_base::ids::{AccountId, ObjectKind, RefName, RepoId, Sha};
use plinth_store::{Connection, Transaction};

use super::diff_context::with_diff_context;
use super::model::{Pull, PullFacts, PullState, Size};
use super::store::{self, NewPull};
use super::{NewPullRequest, PendingRefresh, PullRequestChanges, events, refresh_later, rules, versions};
use crate::access::WriteAccess;
use crate::repos::{Repo, RepoTarget};
use crate::{Core, conversations, refs};

/// Opens a pull request.
pub async fn create(core: &Core, access: &WriteAccess<RepoTarget>, new: NewPullRequest) -> Result<(Pull, Size)> {
    rules::check_new(&new)?;
    let head_ref = rules::head_branch(&access.repo, &new.head).map(str::to_owned);
    let author = access.author()?;
    core.limiter.admit_content(author, access.operation(), &new.title, core.clock.now()).await?;
    let head_ref = check_commits(core, &access.repo, head_ref, &new.base).await?;
    let NewPullRequest { title, body, draft, base: base_ref, .. } = new;
    let body = rules::non_empty(body);
    let new = NewPull { repo: access.repo.id, title, body, draft, author, head_ref, base_ref };
    let context = (access.repo.clone(), new, core.clock.now());
    let pull = access.write(context, |tx, (repo, new, now)| Box::pin(insert(tx, repo, new, *now))).await?;
    // Before the refresh in the background, which would compete for the same workers.
    let size = size(core, &pull).await?;
    refresh_later(core, pull.repo_id, PendingRefresh { pulls: vec![pull.id], ..PendingRefresh::default() });
    Ok((pull, size))
}

/// The size of a pull request's last version, stored or computed.
pub async fn size(core: &Core, pull: &Pull) -> Result<Size> {
    let version = pull.version;
    match version.size {
        Some(size) => Ok(size),
        None => with_diff_context(core, pull.repo_id, move |diff| diff.size(&version)).await,
    }
}

/// Changes text, state and base of a pull request.
pub async fn update(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: &PullFacts,
    mut changes: PullRequestChanges,
) -> Result<Pull> {
    rules::check_editor(access.caller(), access.role, pull.author)?;
    rules::check_changes(&changes)?;
    changes.body = changes.body.map(rules::non_empty);
    if let Some(base) = &changes.base {
        find_tip(&mut core.read().await?, access.repo.id, base).await?.ok_or_else(|| rules::base_not_found(base))?;
        check_commits(core, &access.repo, Some(pull.head_ref.clone()), base).await?;
    }
    let context = (access.repo.clone(), pull.number, changes, (access.caller().actor(), core.clock.now()));
    let (pull, is_new) = access
        .write(context, |tx, (repo, number, changes, by)| Box::pin(change(tx, repo, *number, changes, *by)))
        .await?;
    if is_new {
        refresh_later(core, pull.repo_id, PendingRefresh { pulls: vec![pull.id], default_branch: None });
    }
    Ok(pull)
}

/// The head must be a branch with commits that the base does not have. Returns the name of the head.
async fn check_commits(core: &Core, repo: &Repo, head_ref: Option<String>, base_ref: &str) -> Result<String> {
    let mut db = core.read().await?;
    let base = find_tip(&mut db, repo.id, base_ref).await?;
    // Without a name, the head is in another repository; there is no branch with an empty name.
    let head_ref = head_ref.unwrap_or_default();
    let head = find_tip(&mut db, repo.id, &head_ref).await?;
    drop(db);
    let (base, head) = rules::check_branches(base, head)?;
    let found = with_diff_context(core, repo.id, move |diff| {
        let merge_base = diff.comparisons.merge_base(diff.repo, diff.reader, &base, &head)?;
        Ok((merge_base, diff.reader.is_ancestor(&head, &base)?))
    });
    match found.await? {
        (None, _) => Err(rules::no_history(base_ref, &head_ref)),
        (Some(_), true) => Err(rules::no_commits(base_ref, &head_ref)),
        (Some(_), false) => Ok(head_ref),
    }
}

/// Inserts a pull request between two branches.
pub async fn insert(tx: &mut Transaction, repo: &Repo, new: &NewPull, now: Timestamp) -> Result<Pull> {
    let (base, head) = (find_tip(tx, repo.id, &new.base_ref).await?, find_tip(tx, repo.id, &new.head_ref).await?);
    let (base, head) = rules::check_branches(base, head)?;
    if store::find_open(tx, repo.id, &new.head_ref, &new.base_ref).await?.is_some() {
        return Err(rules::already_open(repo, &new.head_ref));
    }
    let number = conversations::store::next_number(tx, repo.id).await?;
    conversations::store::insert(tx, repo.id, number, true).await?;
    let id = store::insert(tx, number, new, now).await?;
    store::insert_version(tx, id, 1, (base, head), (Some(new.author), now)).await?;
    versions::point_at_head(tx, repo.id, number, head).await?;
    refs::store::bump_generation(tx, repo.id, now).await?;
    let pull = get(tx, repo.id, number).await?;
    events::record_opened(tx, &pull, Some(new.author), now).await?;
    Ok(pull)
}

/// Changes the text, and closes the pull request if it is open, as a state file says. Returns whether anything changed.
pub async fn update_from_file(
    tx: &mut Transaction,
    pull: &Pull,
    (title, body): (&str, Option<&str>),
    closes: bool,
    now: Timestamp,
) -> Result<bool> {
    let is_same_text = (pull.title.as_str(), pull.body.as_deref()) == (title, body);
    if !is_same_text {
        store::update_text(tx, pull.id, title, body, now).await?;
    }
    // A pull request that was closed, for example by deleting its branch, is not reopened.
    let closes = closes && pull.state == PullState::Open;
    if closes {
        store::update_state(tx, pull.id, PullState::Closed, now).await?;
    }
    let is_changed = closes || !is_same_text;
    if is_changed && crate::events::is_wanted(tx).await? {
        let updated = get(tx, pull.repo_id, pull.number).await?;
        events::record_changes(tx, (pull, &updated), None, now).await?;
    }
    Ok(is_changed)
}

/// Changes text, state and base of a pull request, and returns whether it has a new version.
pub(crate) async fn change(
    tx: &mut Transaction,
    repo: &Repo,
    number: i64,
    changes: &PullRequestChanges,
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<(Pull, bool)> {
    let pull = get(tx, repo.id, number).await?;
    if changes.title.is_some() || changes.body.is_some() {
        let title = changes.title.as_deref().unwrap_or(&pull.title);
        let body = changes.body.as_ref().unwrap_or(&pull.body).as_deref();
        store::update_text(tx, pull.id, title, body, now).await?;
    }
    let base_ref = changes.base.as_deref().unwrap_or(&pull.base_ref);
    let state = changes.state.unwrap_or(pull.state);
    let reopens = state == PullState::Open && pull.state == PullState::Closed;
    let moves = base_ref != pull.base_ref || reopens;
    if moves && pull.merged.is_some() {
        return Err(rules::already_merged(if reopens { "state" } else { "base" }));
    }
    if moves {
        move_base(tx, repo, &pull, base_ref, (actor, now)).await?;
    }
    if state != pull.state {
        store::update_state(tx, pull.id, state, now).await?;
    }
    let updated = get(tx, repo.id, number).await?;
    events::record_changes(tx, (&pull, &updated), actor, now).await?;
    let is_new = updated.version.number != pull.version.number;
    Ok((updated, is_new))
}

/// Records the current tips of both branches as a new version.
async fn move_base(
    tx: &mut Transaction,
    repo: &Repo,
    pull: &Pull,
    base_ref: &str,
    by: (Option<AccountId>, Timestamp),
) -> Result<()> {
    let base = find_tip(tx, repo.id, base_ref).await?.ok_or_else(|| rules::base_not_found(base_ref))?;
    let head = match pull.state {
        PullState::Open => Some(pull.version.head_sha),
        PullState::Closed => find_tip(tx, repo.id, &pull.head_ref).await?,
    };
    let (base, head) = rules::check_branches(Some(base), head)?;
    if base_ref == pull.head_ref {
        return Err(Error::invalid(rules::RESOURCE, "base", Code::Invalid));
    }
    let other = store::find_open(tx, repo.id, &pull.head_ref, base_ref).await?;
    if other.is_some_and(|other| other != pull.number) {
        return Err(rules::already_open(repo, &pull.head_ref));
    }
    store::update_base_ref(tx, pull.id, base_ref).await?;
    if (base, head) != (pull.version.base_sha, pull.version.head_sha) {
        store::insert_version(tx, pull.id, pull.version.number + 1, (base, head), by).await?;
        versions::point_at_head(tx, repo.id, pull.number, head).await?;
        refs::store::bump_generation(tx, repo.id, by.1).await?;
    }
    Ok(())
}

async fn get(tx: &mut Transaction, repo: RepoId, number: i64) -> Result<Pull> {
    store::find(tx, repo, number).await?.ok_or(Error::NotFound)
}

/// The tip of a branch.
async fn find_tip(db: &mut Connection, repo: RepoId, branch: &str) -> Result<Option<Sha>> {
    let Ok(name) = RefName::parse(&format!("refs/heads/{branch}")) else { return Ok(None) };
    let found = refs::store::find(db, repo, &name).await?;
    Ok(found.filter(|found| found.kind == ObjectKind::Commit).map(|found| found.target))
}
