//! SQL for packs in an object storage.

use plinth_base::clock::Timestamp;
use plinth_base::ids::RepoId;
use plinth_git::SharedPack;
use plinth_store::{Connection, DbError, FromRow, Row, Transaction, params};

/// A row of `pack`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackRow(pub SharedPack);

impl FromRow for PackRow {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self(SharedPack {
            name: row.get(0)?,
            key: row.get(1)?,
            pack_bytes: to_size(row.get(2)?)?,
            pack_sha256: to_hash(row.get(3)?)?,
            index_bytes: to_size(row.get(4)?)?,
            index_sha256: to_hash(row.get(5)?)?,
        }))
    }
}

fn to_size(size: i64) -> Result<u64, DbError> {
    u64::try_from(size).map_err(|_| DbError::Fault("the size of a pack is negative".into()))
}

fn to_hash(hash: Vec<u8>) -> Result<[u8; 32], DbError> {
    hash.try_into().map_err(|_| DbError::Fault("the hash of a pack has 32 bytes".into()))
}

fn to_column(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// All packs of a repository, the oldest first.
pub async fn list(db: &mut Connection, repo: RepoId) -> Result<Vec<PackRow>, DbError> {
    let sql = "select name, object_key, pack_bytes, pack_sha256, index_bytes, index_sha256 from pack \
               where repo_id = $1 order by created_at, name";
    db.all(sql, params![repo]).await
}

/// The keys of all packs of all repositories.
pub async fn list_keys(db: &mut Connection) -> Result<Vec<String>, DbError> {
    let found = db.all::<(String,)>("select object_key from pack", &[]).await?;
    Ok(found.into_iter().map(|(key,)| key).collect())
}

/// The name of a pack, and since when its objects are in one.
pub type DatedPack = (String, Timestamp);

/// The packs of a repository with their times, in the order of their names.
pub async fn list_dated(db: &mut Connection, repo: RepoId) -> Result<Vec<DatedPack>, DbError> {
    db.all("select name, created_at from pack where repo_id = $1 order by name", params![repo]).await
}

/// Objects that are packed again keep their time.
pub async fn set_time(tx: &mut Transaction, repo: RepoId, name: &str, time: Timestamp) -> Result<(), DbError> {
    let sql = "update pack set created_at = $3 where repo_id = $1 and name = $2";
    tx.content_only().execute(sql, params![repo, name, time]).await?;
    Ok(())
}

/// Adds a pack to a repository. One of the same name has the same objects, and stays; they are as young as the new ones.
pub async fn insert(tx: &mut Transaction, repo: RepoId, pack: &SharedPack, now: Timestamp) -> Result<(), DbError> {
    let sql = "insert into pack (repo_id, name, object_key, pack_bytes, pack_sha256, index_bytes, index_sha256, created_at) \
               values ($1, $2, $3, $4, $5, $6, $7, $8) \
               on conflict (repo_id, name) do update set created_at = excluded.created_at";
    let SharedPack { name, key, pack_bytes, pack_sha256, index_bytes, index_sha256 } = pack;
    let (pack_bytes, index_bytes) = (to_column(*pack_bytes), to_column(*index_bytes));
    let (pack_sha256, index_sha256) = (&pack_sha256[..], &index_sha256[..]);
    let values = params![repo, name, key, pack_bytes, pack_sha256, index_bytes, index_sha256, now];
    tx.content_only().execute(sql, values).await?;
    Ok(())
}

/// Whether a repository has a pack.
pub async fn exists(db: &mut Connection, repo: RepoId, name: &str) -> Result<bool, DbError> {
    let sql = "select repo_id from pack where repo_id = $1 and name = $2";
    Ok(db.optional::<(RepoId,)>(sql, params![repo, name]).await?.is_some())
}

/// Removes a pack from a repository. Its files stay in the object storage for a while.
pub async fn remove(tx: &mut Transaction, repo: RepoId, name: &str, now: Timestamp) -> Result<(), DbError> {
    let mark = "insert into removed_pack (object_key, removed_at) \
                select object_key, cast($3 as bigint) from pack where repo_id = $1 and name = $2";
    tx.content_only().execute(mark, params![repo, name, now]).await?;
    tx.content_only().execute("delete from pack where repo_id = $1 and name = $2", params![repo, name]).await?;
    Ok(())
}

/// Keys that were removed before a time, the oldest first.
pub async fn list_removed(db: &mut Connection, before: Timestamp, limit: i64) -> Result<Vec<String>, DbError> {
    let sql = "select object_key from removed_pack where removed_at < $1 order by removed_at limit $2";
    Ok(db.all::<(String,)>(sql, params![before, limit]).await?.into_iter().map(|(key,)| key).collect())
}

/// Forgets a removed key, once its files are deleted.
pub async fn delete_removed(tx: &mut Transaction, key: &str) -> Result<(), DbError> {
    tx.content_only().execute("delete from removed_pack where object_key = $1", params![key]).await?;
    Ok(())
}

/// Whether a key belongs to a pack, or to one that was removed.
pub async fn is_known(db: &mut Connection, key: &str) -> Result<bool, DbError> {
    let sql = "select object_key from pack where object_key = $1 union all \
               select object_key from removed_pack where object_key = $1";
    Ok(db.optional::<(String,)>(sql, params![key]).await?.is_some())
}
