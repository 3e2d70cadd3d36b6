//! SQL for releases.

use plinth_base::ids::{AccountId, ReleaseId, RepoId};
use plinth_store::{Connection, DbError, Transaction, params};

use super::model::Release;
use crate::paging::Page;

macro_rules! select_release {
    ($rest:literal) => {
        concat!(
            "select l.id, l.repo_id, l.tag_name, l.target, l.name, l.body, l.draft, l.prerelease, l.created_at, \
             l.published_at, l.updated_at, l.marked_latest_at, a.id, a.kind, a.login, a.site_admin \
             from release l left join account a on a.id = l.author_id ",
            $rest
        )
    };
}

pub async fn find(db: &mut Connection, repo: RepoId, id: ReleaseId) -> Result<Option<Release>, DbError> {
    db.optional(select_release!("where l.repo_id = $1 and l.id = $2"), params![repo, id]).await
}

/// The published release of a tag.
pub async fn find_by_tag(db: &mut Connection, repo: RepoId, tag: &str) -> Result<Option<Release>, DbError> {
    let sql = select_release!("where l.repo_id = $1 and l.tag_name = $2 and not l.draft");
    db.optional(sql, params![repo, tag]).await
}

/// The published release of a tag, or else the newest draft.
pub async fn find_described(db: &mut Connection, repo: RepoId, tag: &str) -> Result<Option<Release>, DbError> {
    let sql = select_release!("where l.repo_id = $1 and l.tag_name = $2 order by l.draft, l.id desc limit 1");
    db.optional(sql, params![repo, tag]).await
}

/// The full release that was marked last, or else the newest one.
pub async fn find_latest(db: &mut Connection, repo: RepoId) -> Result<Option<Release>, DbError> {
    let sql = select_release!(
        "where l.repo_id = $1 and not l.draft and not l.prerelease \
         order by coalesce(l.marked_latest_at, 0) desc, l.published_at desc, l.id desc limit 1"
    );
    db.optional(sql, params![repo]).await
}

/// Whether a list has drafts, which only those who may push see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drafts {
    Shown,
    Hidden,
}

/// The newest first.
pub async fn list(db: &mut Connection, repo: RepoId, drafts: Drafts, page: Page) -> Result<Vec<Release>, DbError> {
    let sql = select_release!(
        "where l.repo_id = $1 and (not l.draft or $2) order by l.created_at desc, l.id desc limit $3 offset $4"
    );
    db.all(sql, params![repo, drafts == Drafts::Shown, page.limit(), page.offset()]).await
}

pub async fn count(db: &mut Connection, repo: RepoId, drafts: Drafts) -> Result<i64, DbError> {
    let sql = "select count(*) from release where repo_id = $1 and (not draft or $2)";
    Ok(db.one::<(i64,)>(sql, params![repo, drafts == Drafts::Shown]).await?.0)
}

/// Inserts a release; the id of the argument is not used.
pub async fn insert(db: &mut Transaction, new: &Release, author: AccountId) -> Result<ReleaseId, DbError> {
    let sql = "insert into release (repo_id, tag_name, target, name, body, draft, prerelease, author_id, created_at, \
               published_at, updated_at, marked_latest_at) \
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id";
    let (name, body) = (new.name.as_deref(), new.body.as_deref());
    let values = params![
        new.repo_id,
        new.tag_name,
        new.target,
        name,
        body,
        new.draft,
        new.prerelease,
        author,
        new.created_at,
        new.published_at,
        new.updated_at,
        new.marked_latest_at
    ];
    let (id,) = db.content_only().insert::<(ReleaseId,)>(sql, values).await?;
    Ok(id)
}

/// Stores everything that can change.
pub async fn update(db: &mut Transaction, changed: &Release) -> Result<(), DbError> {
    let sql = "update release set tag_name = $2, target = $3, name = $4, body = $5, draft = $6, prerelease = $7, \
               published_at = $8, updated_at = $9, marked_latest_at = $10 where id = $1";
    let (name, body) = (changed.name.as_deref(), changed.body.as_deref());
    let values = params![
        changed.id,
        changed.tag_name,
        changed.target,
        name,
        body,
        changed.draft,
        changed.prerelease,
        changed.published_at,
        changed.updated_at,
        changed.marked_latest_at
    ];
    db.content_only().execute(sql, values).await?;
    Ok(())
}

pub async fn delete(db: &mut Transaction, id: ReleaseId) -> Result<(), DbError> {
    db.content_only().execute("delete from release where id = $1", params![id]).await?;
    Ok(())
}
