//! Releases of a state file, with their files.

use super::accounts::find_user;
use super::file::Repo;
use super::name::problem;
use super::release::{Asset, Release};
use super::report::{Effect, Report};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, RepoId};
use plinth_core::releases::assets::NewAsset;
use plinth_core::releases::{self, MakeLatest, NewRelease, Written};
use plinth_core::repos;
use plinth_store::Transaction;

const MEDIA: &str = "application/octet-stream";

/// Creates releases and their files, and changes those that differ. The references of the repository exist already.
pub async fn apply(tx: &mut Transaction, wanted: &Repo, id: RepoId, now: Timestamp, report: &mut Report) -> Result<()> {
    if wanted.releases.is_empty() {
        return Ok(());
    }
    let repo = repos::store::find_by_id(tx, id, None).await?.ok_or(Error::NotFound)?.repo;
    for release in &wanted.releases {
        let by = (find_user(tx, &release.author, "repos.releases.author").await?.id, now);
        let put = releases::put(tx, &repo, new_release(release), by).await;
        let (stored, written) = put.map_err(|error| problem(&release.tag, "repos.releases", error))?;
        report.note(format_args!("release {} of {}", release.tag.value, wanted.name.value), effect(written));
        for asset in &release.assets {
            let written = apply_asset(tx, &stored, asset, by).await?;
            let what = format_args!("file {} of release {}", asset.name.value, release.tag.value);
            report.note(what, effect(written));
        }
    }
    Ok(())
}

fn new_release(release: &Release) -> NewRelease {
    NewRelease {
        tag_name: release.tag.value.clone(),
        target: release.target.clone(),
        name: release.name.clone(),
        body: release.body.clone(),
        draft: release.draft,
        prerelease: release.prerelease,
        make_latest: MakeLatest::True,
        notes_page: None,
    }
}

async fn apply_asset(
    tx: &mut Transaction,
    release: &releases::Release,
    asset: &Asset,
    by: (AccountId, Timestamp),
) -> Result<Written> {
    let content_type = asset.content_type.clone().unwrap_or_else(|| MEDIA.to_owned());
    let new = NewAsset { name: asset.name.value.clone(), label: asset.label.clone(), content_type };
    let written = releases::put_asset(tx, release, (new, asset.content.as_bytes()), by).await;
    written.map_err(|error| problem(&asset.name, "repos.releases.assets", error))
}

fn effect(written: Written) -> Effect {
    match written {
        Written::Created => Effect::Created,
        Written::Changed => Effect::Changed,
        Written::Unchanged => Effect::Unchanged,
    }
}
