//! SQL for loose objects: objects that were created through the API and are not in a pack yet.

use std::sync::Arc;

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, RepoId, Sha};
use plinth_git::{ObjectKind, RawObject};
use plinth_store::{Connection, DbError, Transaction, from_row, params};

#[derive(Debug, Clone)]
pub struct StoredObject {
    pub kind: ObjectKind,
    pub data: Vec<u8>,
}

from_row!(StoredObject { kind, data });

impl StoredObject {
    pub fn into_object(self) -> Result<RawObject> {
        RawObject::new(self.kind, self.data)
    }
}

/// The size of an object, so that a flush can choose a batch before it reads the objects.
#[derive(Debug, Clone, Copy)]
pub struct StoredSize {
    pub sha: Sha,
    pub size: i64,
}

from_row!(StoredSize { sha, size });

pub async fn find(db: &mut Connection, repo: RepoId, sha: Sha) -> Result<Option<StoredObject>, DbError> {
    let sql = "select kind, data from git_object where repo_id = $1 and sha = $2";
    db.optional(sql, params![repo, sha]).await
}

/// At most two ids from `first` to `last`.
pub async fn list_between(
    db: &mut Connection,
    repo: RepoId,
    (first, last): (Sha, Sha),
) -> Result<Vec<(Sha,)>, DbError> {
    let sql = "select sha from git_object where repo_id = $1 and sha >= $2 and sha <= $3 order by sha limit 2";
    db.all(sql, params![repo, first, last]).await
}

/// Ids and sizes of the objects after `after`, in order, at most `limit`.
pub async fn list_sizes(
    db: &mut Connection,
    repo: RepoId,
    after: Option<Sha>,
    limit: i64,
) -> Result<Vec<StoredSize>, DbError> {
    let after = after.map_or(Vec::new(), |sha| sha.as_bytes().to_vec());
    let sql = "select sha, cast(length(data) as bigint) from git_object where repo_id = $1 and sha > $2 \
               order by sha limit $3";
    db.all(sql, params![repo, after, limit]).await
}

/// A repository and its ref generation.
#[derive(Debug, Clone, Copy)]
pub struct RepoRefs {
    pub repo: RepoId,
    pub ref_generation: i64,
}

from_row!(RepoRefs { repo, ref_generation });

/// Repositories after `after`, in order.
pub async fn list_repos(db: &mut Connection, after: RepoId, limit: i64) -> Result<Vec<RepoRefs>, DbError> {
    let sql = "select id, ref_generation from repo where id > $1 and not deleted order by id limit $2";
    db.all(sql, params![after, limit]).await
}

/// The number of loose objects, and the creation time of the oldest.
pub async fn count_waiting(db: &mut Connection, repo: RepoId) -> Result<(i64, Option<Timestamp>), DbError> {
    let sql = "select count(*), min(created_at) from git_object where repo_id = $1";
    db.one(sql, params![repo]).await
}

/// Inserts objects; existing ones stay as they are.
pub async fn insert_all(tx: &mut Transaction, repo: RepoId, objects: &[Arc<RawObject>], now: Timestamp) -> Result<()> {
    if !exists(tx, repo).await? {
        return Err(Error::NotFound);
    }
    for object in objects {
        insert(tx, repo, object, now).await?;
    }
    Ok(())
}

async fn insert(db: &mut Transaction, repo: RepoId, object: &RawObject, now: Timestamp) -> Result<(), DbError> {
    let sql = "insert into git_object (repo_id, sha, kind, data, created_at) values ($1, $2, $3, $4, $5) \
               on conflict do nothing";
    db.content_only().execute(sql, params![repo, object.sha(), object.kind(), object.data(), now]).await?;
    Ok(())
}

pub async fn delete(db: &mut Transaction, repo: RepoId, sha: Sha) -> Result<(), DbError> {
    db.content_only().execute("delete from git_object where repo_id = $1 and sha = $2", params![repo, sha]).await?;
    Ok(())
}

/// Whether the repository exists.
pub async fn exists(db: &mut Connection, repo: RepoId) -> Result<bool, DbError> {
    let sql = "select id from repo where id = $1 and not deleted";
    Ok(db.optional::<(RepoId,)>(sql, params![repo]).await?.is_some())
}

/// The account that a repository belongs to.
pub async fn find_owner(db: &mut Connection, repo: RepoId) -> Result<Option<AccountId>, DbError> {
    let sql = "select owner_id from repo where id = $1 and not deleted";
    let found = db.optional::<(AccountId,)>(sql, params![repo]).await?;
    Ok(found.map(|(owner,)| owner))
}
