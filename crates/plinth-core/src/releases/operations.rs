//! Creating, changing and deleting releases, each in one transaction.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, ReleaseId, RepoId};
use plinth_git::RefName;
use plinth_store::{Connection, Transaction};

use super::model::Release;
use super::rules::Texts;
use super::tag::{self, NewTag};
use super::{MakeLatest, NewRelease, NotesRequest, ReleaseUpdate, assets, events, notes, rules, store};
use crate::Core;
use crate::access::{Current, WriteAccess};
use crate::pulls::{self, PendingRefresh};
use crate::ref_updates::Mover;
use crate::repos::{Repo, RepoTarget};

type Access = WriteAccess<RepoTarget>;

/// Creates a release. One that is no draft gets its tag.
pub async fn create(core: &Core, access: &Access, new: NewRelease) -> Result<Release> {
    let new = with_notes(core, access, new).await?;
    store_with_tag(core, access, described(&access.repo, new, core.clock.now()), None).await
}

/// A release that is not stored yet.
pub(super) fn described(repo: &Repo, new: NewRelease, now: Timestamp) -> Release {
    Release {
        id: ReleaseId(0),
        repo_id: repo.id,
        target: new.target.unwrap_or_else(|| repo.default_branch.clone()),
        tag_name: new.tag_name,
        name: new.name,
        body: new.body,
        draft: new.draft,
        prerelease: new.prerelease,
        created_at: now,
        published_at: (!new.draft).then_some(now),
        updated_at: now,
        marked_latest_at: (new.make_latest != MakeLatest::False).then_some(now),
        author: None,
    }
}

/// The generated notes come after the text of the caller.
async fn with_notes(core: &Core, access: &Access, new: NewRelease) -> Result<NewRelease> {
    let Some(page) = new.notes_page.clone() else { return Ok(new) };
    let request = NotesRequest { tag_name: new.tag_name.clone(), target: None, previous_tag: None, page };
    let generated = notes::generate(core, &access.repo, &request).await?;
    let body = match new.body.filter(|body| !body.is_empty()) {
        Some(body) => format!("{body}\n\n{}", generated.body),
        None => generated.body,
    };
    let name = new.name.filter(|name| !name.is_empty()).unwrap_or(generated.name);
    Ok(NewRelease { name: Some(name), body: Some(body), ..new })
}

/// Changes a release. One that is published gets its tag.
pub async fn update(core: &Core, access: &Access, id: ReleaseId, update: ReleaseUpdate) -> Result<Release> {
    let before = get(&mut core.read().await?, access.repo.id, id).await?;
    let after = updated(&before, &update, core.clock.now());
    store_with_tag(core, access, after, Some(update)).await
}

pub(super) fn updated(before: &Release, update: &ReleaseUpdate, now: Timestamp) -> Release {
    let draft = update.draft.unwrap_or(before.draft);
    let is_published_now = before.draft && !draft;
    let marked_latest_at = match update.make_latest {
        Some(MakeLatest::True) => Some(now),
        Some(MakeLatest::False) => None,
        // A draft that is published becomes the latest release, unless its creator said otherwise.
        Some(MakeLatest::Legacy) | None if is_published_now => before.marked_latest_at.map(|_| now),
        Some(MakeLatest::Legacy) | None => before.marked_latest_at,
    };
    Release {
        tag_name: update.tag_name.as_ref().unwrap_or(&before.tag_name).clone(),
        target: update.target.as_ref().unwrap_or(&before.target).clone(),
        name: update.name.as_ref().unwrap_or(&before.name).clone(),
        body: update.body.as_ref().unwrap_or(&before.body).clone(),
        draft,
        prerelease: update.prerelease.unwrap_or(before.prerelease),
        published_at: if draft { None } else { before.published_at.or(Some(now)) },
        updated_at: now,
        marked_latest_at,
        ..before.clone()
    }
}

/// Everything that the transaction needs.
struct Write {
    /// What was validated: a new release, or one as it will be.
    release: Release,
    /// `None` for a new release.
    update: Option<ReleaseUpdate>,
    name: RefName,
    tag: Option<NewTag>,
    by: (AccountId, Timestamp),
}

async fn store_with_tag(
    core: &Core,
    access: &Access,
    release: Release,
    update: Option<ReleaseUpdate>,
) -> Result<Release> {
    let Release { tag_name, target, name, body, draft, .. } = &release;
    let name = rules::check(&Texts { tag_name, target, name: name.as_deref(), body: body.as_deref() })?;
    let _removal_lock = core.objects.prevent_removal(access.repo.id).await?;
    let tag = if *draft { None } else { tag::prepare(core, access, &name, target).await? };
    let write = Write { release, update, name, tag, by: (access.author()?, core.clock.now()) };
    let (release, refresh) =
        access.write_if_current(write, |tx, changed, write| Box::pin(write.run(tx, changed.as_ref()))).await?;
    pulls::refresh_later(core, access.repo.id, refresh);
    Ok(release)
}

impl Write {
    async fn run(
        &self,
        tx: &mut Transaction,
        changed: Option<&Current<RepoTarget>>,
    ) -> Result<(Release, PendingRefresh)> {
        let repo = self.release.repo_id;
        let before = match self.update {
            Some(_) => Some(get(tx, repo, self.release.id).await?),
            None => None,
        };
        let after = self.apply(before.as_ref())?;
        let mut refresh = PendingRefresh::default();
        if !after.draft {
            let mover = Mover::new(Some(self.by.0), self.by.1);
            refresh = tag::create(tx, repo, (&self.name, self.tag.as_ref()), changed, mover).await?;
        }
        Ok((save(tx, (before.as_ref(), &after), self.by).await?, refresh))
    }

    /// The release to store. The update is applied to what is stored now, so that no other update is lost.
    fn apply(&self, before: Option<&Release>) -> Result<Release> {
        let (Some(before), Some(update)) = (before, &self.update) else { return Ok(self.release.clone()) };
        let after = updated(before, update, self.by.1);
        let tag = |release: &Release| (release.tag_name.clone(), release.target.clone(), release.draft);
        if tag(&after) != tag(&self.release) {
            return Err(Error::Conflict("The release was changed meanwhile.".into()));
        }
        Ok(after)
    }
}

/// Stores a release, whose tag exists unless it is a draft.
pub(super) async fn save(
    tx: &mut Transaction,
    (before, after): (Option<&Release>, &Release),
    by: (AccountId, Timestamp),
) -> Result<Release> {
    let repo = after.repo_id;
    if !after.draft {
        let other = store::find_by_tag(tx, repo, &after.tag_name).await?;
        if other.is_some_and(|other| other.id != after.id) {
            return Err(rules::tag_exists());
        }
    }
    let id = match before {
        Some(_) => {
            store::update(tx, after).await?;
            after.id
        }
        None => store::insert(tx, after, by.0).await?,
    };
    let release = get(tx, repo, id).await?;
    match before {
        Some(before) => events::record_changed(tx, (before, &release), by).await?,
        None => events::record_created(tx, &release, by).await?,
    }
    Ok(release)
}

/// Deletes a release. Its tag stays, and its files are removed in the background.
pub async fn delete(core: &Core, access: &Access, id: ReleaseId) -> Result<()> {
    let context = (access.repo.id, id, (access.author()?, core.clock.now()));
    access
        .write(context, |tx, (repo, id, by)| {
            Box::pin(async move {
                let release = get(tx, *repo, *id).await?;
                events::record_deleted(tx, &release, *by).await?;
                assets::store::remove_all(tx, *id).await?;
                Ok(store::delete(tx, *id).await?)
            })
        })
        .await
}

async fn get(db: &mut Connection, repo: RepoId, id: ReleaseId) -> Result<Release> {
    store::find(db, repo, id).await?.ok_or(Error::NotFound)
}
