//! Uploading, changing and deleting files of releases.

use bytes::Bytes;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, AssetId, ReleaseId, RepoId};
use plinth_store::{Connection, Transaction};

use super::{CHUNK_BYTES, rules, store};
use crate::Core;
use crate::access::WriteAccess;
use crate::releases::model::{Asset, Release};
use crate::releases::store::find as find_release;
use crate::repos::RepoTarget;

type Access = WriteAccess<RepoTarget>;

/// What an upload says about a file.
#[derive(Debug, Clone)]
pub struct NewAsset {
    pub name: String,
    pub label: Option<String>,
    pub content_type: String,
}

/// The body of `PATCH …/releases/assets/{asset_id}`; what is absent stays.
#[derive(Debug, Clone, Default)]
pub struct AssetUpdate {
    pub name: Option<String>,
    pub label: Option<Option<String>>,
}

/// An upload that runs.
pub struct Upload {
    core: Core,
    access: Access,
    release: ReleaseId,
    asset: AssetId,
    name: String,
    chunks: i64,
    size: i64,
}

impl Upload {
    /// Begins an upload, if the release has no file with this name.
    pub async fn begin(core: &Core, access: &Access, release: ReleaseId, new: NewAsset) -> Result<Self> {
        let new = normalized(new)?;
        let name = new.name.clone();
        let context = (access.repo.id, release, new, (access.author()?, core.clock.now()));
        let begin =
            access.write(context, |tx, (repo, release, new, by)| Box::pin(begin_in(tx, (*repo, *release), new, *by)));
        let asset = begin.await?;
        Ok(Self { core: core.clone(), access: access.clone(), release, asset, name, chunks: 0, size: 0 })
    }

    /// Stores the next chunk.
    pub async fn add(&mut self, data: Bytes) -> Result<()> {
        self.size += i64::try_from(data.len()).map_err(|_| Error::internal("a chunk is too large"))?;
        let context = (self.asset, self.chunks, self.size, data, self.core.clock.now());
        let write = self.access.write(context, |tx, (asset, number, size, data, now)| {
            Box::pin(add_in(tx, *asset, (*number, *size), data, *now))
        });
        write.await?;
        self.chunks += 1;
        Ok(())
    }

    /// Makes the file visible.
    pub async fn finish(self, digest: String) -> Result<Asset> {
        let context = (self.access.repo.id, self.release, (self.asset, self.name), digest, self.core.clock.now());
        let write = self.access.write(context, |tx, (repo, release, (asset, name), digest, now)| {
            Box::pin(async move {
                check_free(tx, (*repo, *release), name).await?;
                if !store::finish(tx, *asset, digest, *now).await? {
                    return Err(was_ended());
                }
                find(tx, *repo, *asset).await
            })
        });
        write.await
    }

    /// Ends the upload without a file. If this fails, the upload is removed later.
    pub async fn cancel(self) -> Result<()> {
        let write =
            self.access.write(self.asset, |tx, asset| Box::pin(async move { Ok(store::remove(tx, *asset).await?) }));
        write.await
    }
}

/// A valid file with the name that it gets.
pub fn normalized(new: NewAsset) -> Result<NewAsset> {
    let new = NewAsset { name: rules::normalize(&new.name), ..new };
    rules::check(&new.name, new.label.as_deref(), &new.content_type)?;
    Ok(new)
}

/// Stores a whole file, visible at once.
pub async fn insert(
    tx: &mut Transaction,
    release: &Release,
    (new, content, digest): (&NewAsset, &[u8], &str),
    by: (AccountId, Timestamp),
) -> Result<()> {
    let asset = begin_in(tx, (release.repo_id, release.id), new, by).await?;
    let mut size = 0;
    for (number, data) in (0..).zip(content.chunks(CHUNK_BYTES)) {
        size += i64::try_from(data.len()).map_err(|_| Error::internal("a chunk is too large"))?;
        add_in(tx, asset, (number, size), data, by.1).await?;
    }
    if store::finish(tx, asset, digest, by.1).await? { Ok(()) } else { Err(was_ended()) }
}

/// Stores a chunk of an upload that runs; `size` is that of the file with the chunk.
async fn add_in(
    tx: &mut Transaction,
    asset: AssetId,
    (number, size): (i64, i64),
    data: &[u8],
    now: Timestamp,
) -> Result<()> {
    if !store::update_progress(tx, asset, size, now).await? {
        return Err(was_ended());
    }
    Ok(store::insert_chunk(tx, asset, number, data).await?)
}

async fn begin_in(
    tx: &mut Transaction,
    (repo, release): (RepoId, ReleaseId),
    new: &NewAsset,
    by: (AccountId, Timestamp),
) -> Result<AssetId> {
    check_free(tx, (repo, release), &new.name).await?;
    Ok(store::insert(tx, (repo, release), new, by).await?)
}

/// The release must exist, and another file with the name must not.
async fn check_free(db: &mut Connection, (repo, release): (RepoId, ReleaseId), name: &str) -> Result<()> {
    find_release(db, repo, release).await?.ok_or(Error::NotFound)?;
    if store::find_by_name(db, release, name).await?.is_some() {
        return Err(rules::name_exists());
    }
    if store::count(db, release).await? >= rules::ASSETS_MAX {
        return Err(rules::too_many());
    }
    Ok(())
}

fn was_ended() -> Error {
    Error::Conflict("The upload was ended.".into())
}

async fn find(db: &mut Connection, repo: RepoId, asset: AssetId) -> Result<Asset> {
    store::find(db, repo, asset).await?.ok_or(Error::NotFound)
}

/// Changes the name or the label of a file.
pub async fn update(core: &Core, access: &Access, asset: AssetId, update: AssetUpdate) -> Result<Asset> {
    let context = (access.repo.id, asset, update, core.clock.now());
    access.write(context, |tx, (repo, asset, update, now)| Box::pin(update_in(tx, (*repo, *asset), update, *now))).await
}

async fn update_in(
    tx: &mut Transaction,
    (repo, asset): (RepoId, AssetId),
    update: &AssetUpdate,
    now: Timestamp,
) -> Result<Asset> {
    let before = find(tx, repo, asset).await?;
    let name = update.name.as_deref().map_or_else(|| before.name.clone(), rules::normalize);
    let label = update.label.as_ref().unwrap_or(&before.label).as_deref();
    rules::check(&name, label, &before.content_type)?;
    if name != before.name && store::find_by_name(tx, before.release_id, &name).await?.is_some() {
        return Err(rules::name_exists());
    }
    store::update(tx, asset, (&name, label), now).await?;
    find(tx, repo, asset).await
}

/// Deletes a file. Its bytes are removed in the background.
pub async fn delete(access: &Access, asset: AssetId) -> Result<()> {
    access
        .write((access.repo.id, asset), |tx, (repo, asset)| {
            Box::pin(async move {
                find(tx, *repo, *asset).await?;
                Ok(store::remove(tx, *asset).await?)
            })
        })
        .await
}
