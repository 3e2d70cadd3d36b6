//! Releases as a state file describes them: created, or changed until they are so.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_store::Transaction;

use super::assets::{self, NewAsset};
use super::model::Release;
use super::operations::{described, save, updated};
use super::rules::{self, Texts};
use super::{NewRelease, ReleaseUpdate, store};
use crate::refs;
use crate::repos::Repo;

/// What was necessary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    Created,
    Changed,
    Unchanged,
}

/// Creates the release of a tag, or changes it. The tag of one that is no draft must exist, and a published release does
/// not become a draft again.
pub async fn put(
    tx: &mut Transaction,
    repo: &Repo,
    new: NewRelease,
    by: (AccountId, Timestamp),
) -> Result<(Release, Written)> {
    let before = store::find_described(tx, repo.id, &new.tag_name).await?;
    let after = match &before {
        None => described(repo, new, by.1),
        Some(before) => updated(before, &to_update(new), by.1),
    };
    if let Some(before) = before.as_ref().filter(|before| is_same(before, &after)) {
        return Ok((before.clone(), Written::Unchanged));
    }
    let Release { tag_name, target, name, body, .. } = &after;
    let tag = rules::check(&Texts { tag_name, target, name: name.as_deref(), body: body.as_deref() })?;
    if !after.draft && refs::store::find(tx, repo.id, &tag).await?.is_none() {
        return Err(rules::missing_tag(tag_name));
    }
    let written = if before.is_some() { Written::Changed } else { Written::Created };
    Ok((save(tx, (before.as_ref(), &after), by).await?, written))
}

fn to_update(new: NewRelease) -> ReleaseUpdate {
    ReleaseUpdate {
        target: new.target,
        name: Some(new.name),
        body: Some(new.body),
        draft: (!new.draft).then_some(false),
        prerelease: Some(new.prerelease),
        ..ReleaseUpdate::default()
    }
}

fn is_same(before: &Release, after: &Release) -> bool {
    let content = |release: &Release| {
        let Release { target, name, body, draft, prerelease, .. } = release.clone();
        (target, name, body, draft, prerelease)
    };
    content(before) == content(after)
}

/// Stores a whole file of a release, unless the release has it already. Another file with its name is replaced.
pub async fn put_asset(
    tx: &mut Transaction,
    release: &Release,
    (new, content): (NewAsset, &[u8]),
    by: (AccountId, Timestamp),
) -> Result<Written> {
    let new = assets::normalized(new)?;
    let digest = assets::digest(content);
    let mut written = Written::Created;
    if let Some(before) = assets::store::find_by_name(tx, release.id, &new.name).await? {
        let is_same = before.label == new.label && before.content_type == new.content_type;
        if is_same && before.digest.as_ref() == Some(&digest) {
            return Ok(Written::Unchanged);
        }
        assets::store::remove(tx, before.id).await?;
        written = Written::Changed;
    }
    assets::insert(tx, release, (&new, content, &digest), by).await?;
    Ok(written)
}
