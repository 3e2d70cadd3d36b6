//! SQL for files of releases.

use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, AssetId, ReleaseId, RepoId};
use plinth_store::{Connection, DbError, Transaction, Value, params};

use super::NewAsset;
use crate::paging::Page;
use crate::releases::model::Asset;

/// Releases per statement.
const RELEASES_PER_STATEMENT: usize = 16;

macro_rules! select_asset {
    ($rest:literal) => {
        concat!(
            "select s.id, s.release_id, s.name, s.label, s.content_type, s.size, s.digest, s.created_at, s.updated_at, \
             a.id, a.kind, a.login, a.site_admin \
             from release_asset s left join account a on a.id = s.uploader_id ",
            $rest
        )
    };
}

pub async fn find(db: &mut Connection, repo: RepoId, id: AssetId) -> Result<Option<Asset>, DbError> {
    let sql = select_asset!("where s.repo_id = $1 and s.id = $2 and s.state = 'uploaded'");
    db.optional(sql, params![repo, id]).await
}

pub async fn find_by_name(db: &mut Connection, release: ReleaseId, name: &str) -> Result<Option<Asset>, DbError> {
    let sql = select_asset!("where s.release_id = $1 and s.name = $2 and s.state = 'uploaded'");
    db.optional(sql, params![release, name]).await
}

/// A page of the files of a release.
pub async fn list(db: &mut Connection, release: ReleaseId, page: Page) -> Result<Vec<Asset>, DbError> {
    let sql = select_asset!("where s.release_id = $1 and s.state = 'uploaded' order by s.id limit $2 offset $3");
    db.all(sql, params![release, page.limit(), page.offset()]).await
}

pub async fn count(db: &mut Connection, release: ReleaseId) -> Result<i64, DbError> {
    let sql = "select count(*) from release_asset where release_id = $1 and state = 'uploaded'";
    Ok(db.one::<(i64,)>(sql, params![release]).await?.0)
}

/// All files of some releases, by their ids.
pub async fn list_of(db: &mut Connection, releases: impl Iterator<Item = ReleaseId>) -> Result<Vec<Asset>, DbError> {
    let sql = select_asset!(
        "where s.release_id in ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
         and s.state = 'uploaded' order by s.id"
    );
    let releases: Vec<ReleaseId> = releases.collect();
    let mut found = Vec::new();
    for some in releases.chunks(RELEASES_PER_STATEMENT) {
        let mut values = [Value::Null; RELEASES_PER_STATEMENT];
        for (value, ReleaseId(id)) in values.iter_mut().zip(some) {
            *value = Value::Integer(*id);
        }
        found.extend(db.all::<Asset>(sql, &values).await?);
    }
    Ok(found)
}

/// Begins an upload.
pub async fn insert(
    db: &mut Transaction,
    (repo, release): (RepoId, ReleaseId),
    new: &NewAsset,
    (uploader, now): (AccountId, Timestamp),
) -> Result<AssetId, DbError> {
    let sql = "insert into release_asset (repo_id, release_id, name, label, content_type, state, size, uploader_id, \
               created_at, updated_at) values ($1, $2, $3, $4, $5, 'uploading', 0, $6, $7, $7) returning id";
    let label = new.label.as_deref();
    let values = params![repo, release, new.name, label, new.content_type, uploader, now];
    let (id,) = db.content_only().insert::<(AssetId,)>(sql, values).await?;
    Ok(id)
}

pub async fn insert_chunk(db: &mut Transaction, asset: AssetId, number: i64, data: &[u8]) -> Result<(), DbError> {
    let sql = "insert into release_asset_chunk (asset_id, number, data) values ($1, $2, $3)";
    db.content_only().execute(sql, params![asset, number, data]).await?;
    Ok(())
}

/// Records the progress of an upload, and returns whether it still runs.
pub async fn update_progress(db: &mut Transaction, asset: AssetId, size: i64, now: Timestamp) -> Result<bool, DbError> {
    let sql = "update release_asset set size = $2, updated_at = $3 where id = $1 and state = 'uploading'";
    Ok(db.content_only().execute(sql, params![asset, size, now]).await? > 0)
}

/// Makes an upload visible, and returns whether it still ran.
pub async fn finish(db: &mut Transaction, asset: AssetId, digest: &str, now: Timestamp) -> Result<bool, DbError> {
    let sql = "update release_asset set state = 'uploaded', digest = $2, updated_at = $3 \
               where id = $1 and state = 'uploading'";
    Ok(db.content_only().execute(sql, params![asset, digest, now]).await? > 0)
}

/// Changes the texts of a file.
pub async fn update(
    db: &mut Transaction,
    asset: AssetId,
    (name, label): (&str, Option<&str>),
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update release_asset set name = $2, label = $3, updated_at = $4 where id = $1";
    db.content_only().execute(sql, params![asset, name, label, now]).await?;
    Ok(())
}

/// Hides a file, which is then removed in the background.
pub async fn remove(db: &mut Transaction, asset: AssetId) -> Result<(), DbError> {
    let sql = "update release_asset set state = 'removed', release_id = null where id = $1";
    db.content_only().execute(sql, params![asset]).await?;
    Ok(())
}

/// As [`remove`], for all files of a release.
pub async fn remove_all(db: &mut Transaction, release: ReleaseId) -> Result<(), DbError> {
    let sql = "update release_asset set state = 'removed', release_id = null where release_id = $1";
    db.content_only().execute(sql, params![release]).await?;
    Ok(())
}

/// One chunk of a file that is visible.
pub async fn find_chunk(db: &mut Connection, asset: AssetId, number: i64) -> Result<Option<Vec<u8>>, DbError> {
    let sql = "select c.data from release_asset_chunk c join release_asset s on s.id = c.asset_id \
               where c.asset_id = $1 and c.number = $2 and s.state = 'uploaded'";
    Ok(db.optional::<(Vec<u8>,)>(sql, params![asset, number]).await?.map(|(data,)| data))
}

/// Files to remove: deleted ones, and uploads without progress since `before`.
pub async fn list_leftovers(
    db: &mut Connection,
    before: Timestamp,
    limit: i64,
) -> Result<Vec<(AssetId, RepoId)>, DbError> {
    let sql = "select id, repo_id from release_asset where state <> 'uploaded' and (state = 'removed' or updated_at < $1) \
               order by updated_at limit $2";
    db.all(sql, params![before, limit]).await
}

/// Ends an upload without progress, so that it cannot be finished any more.
pub async fn end_upload(db: &mut Transaction, asset: AssetId, before: Timestamp) -> Result<(), DbError> {
    let sql = "update release_asset set state = 'removed', release_id = null \
               where id = $1 and state = 'uploading' and updated_at < $2";
    db.content_only().execute(sql, params![asset, before]).await?;
    Ok(())
}

/// Deletes chunks of a removed file, and returns how many.
pub async fn delete_chunks(db: &mut Transaction, asset: AssetId, limit: i64) -> Result<u64, DbError> {
    let sql = "delete from release_asset_chunk where asset_id = $1 and number in \
               (select c.number from release_asset_chunk c join release_asset s on s.id = c.asset_id \
                where c.asset_id = $1 and s.state = 'removed' order by c.number limit $2)";
    db.content_only().execute(sql, params![asset, limit]).await
}

/// Deletes the row of a removed file.
pub async fn delete(db: &mut Transaction, asset: AssetId) -> Result<(), DbError> {
    db.content_only().execute("delete from release_asset where id = $1 and state = 'removed'", params![asset]).await?;
    Ok(())
}
