//! Events of releases.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::assets;
use super::model::{Asset, Release};
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};

/// The data of the event `release`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReleaseData {
    pub release: Release,
    pub assets: Vec<Asset>,
    /// The release before an edit.
    #[serde(default)]
    pub before: Option<Release>,
}

pub async fn record_created(tx: &mut Transaction, new: &Release, by: (AccountId, Timestamp)) -> Result<()> {
    record(tx, &["created"], (new, None), by).await?;
    if new.draft { Ok(()) } else { record(tx, published(new), (new, None), by).await }
}

/// Records what a change means. Nothing is recorded for a change of nothing.
pub async fn record_changed(
    tx: &mut Transaction,
    (before, after): (&Release, &Release),
    by: (AccountId, Timestamp),
) -> Result<()> {
    match (before.draft, after.draft) {
        (true, false) => return record(tx, published(after), (after, None), by).await,
        (false, true) => return record(tx, &["unpublished"], (after, None), by).await,
        (true, true) | (false, false) => {}
    }
    let texts = |release: &Release| (release.tag_name.clone(), release.name.clone(), release.body.clone());
    let (was, is) = (before.prerelease, after.prerelease);
    if texts(before) != texts(after) || was != is || before.marked_latest_at != after.marked_latest_at {
        record(tx, &["edited"], (after, Some(before)), by).await?;
    }
    if !after.draft && was && !is {
        record(tx, &["released"], (after, None), by).await?;
    }
    Ok(())
}

pub async fn record_deleted(tx: &mut Transaction, release: &Release, by: (AccountId, Timestamp)) -> Result<()> {
    record(tx, &["deleted"], (release, None), by).await
}

fn published(release: &Release) -> &'static [&'static str] {
    if release.prerelease { &["published", "prereleased"] } else { &["published", "released"] }
}

async fn record(
    tx: &mut Transaction,
    actions: &[&'static str],
    (release, before): (&Release, Option<&Release>),
    (actor, now): (AccountId, Timestamp),
) -> Result<()> {
    if !events::is_wanted(tx).await? {
        return Ok(());
    }
    let assets = assets::store::list_of(tx, std::iter::once(release.id)).await?;
    let data = ReleaseData { release: release.clone(), assets, before: before.cloned() };
    for action in actions {
        events::record(tx, now, || NewEvent {
            name: EventName::Release,
            action: Some(action),
            about: About::Repo(release.repo_id),
            actor: Some(actor),
            subject: Some(release.id.0),
            data: events::to_data(&data),
        })
        .await?;
    }
    Ok(())
}
