//! SQL for refs, ordered by the bytes of their names.

use super::dependencies::row_key;
use super::new_refs::{self, NewRefs};
use super::{Change, Ref, Target};
use crate::paging::Page;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{RepoId, Sha};
use plinth_git::RefName;
use plinth_store::{
    Connection, Counter, DbError, Increment, RowStatement, Sent, SentCount, Transaction, counter, lists, params,
};

static GENERATION: Counter = counter!("repo", "ref_generation", "pushed_at");

const FIND: &str = "select name, target, kind from git_ref where repo_id = $1 and name = $2";
const UPDATE: &str = "update git_ref set target = $4, kind = $5 where repo_id = $1 and name = $2 and target = $3";

/// For members of a batch. A serializable transaction would fail because of others if PostgreSQL read the whole table for a list of one.
const UPDATE_ROWS: &str = concat!(
    "update git_ref g set target = i.target, kind = i.kind from unnest(",
    lists!("$1": "bigint", "$2": "text", "$3": "bytea", "$4": "bytea", "$5": "text"),
    ") with ordinality as i (repo_id, name, old, target, kind, row_number) \
     where g.repo_id = i.repo_id and g.name = i.name and g.target = i.old returning i.row_number"
);

pub async fn find(db: &mut Connection, repo: RepoId, name: &RefName) -> Result<Option<Ref>, DbError> {
    db.optional(FIND, params![repo, name]).await
}

/// Sends the query for a ref.
pub async fn send_find(db: &mut Transaction, repo: RepoId, name: &RefName) -> Result<Sent<Vec<Ref>>, DbError> {
    db.send_without_deferred(FIND, params![repo, name]).await
}

/// Branches that point at this commit, in order, at most `limit`.
pub async fn list_branches_at(db: &mut Connection, repo: RepoId, sha: Sha, limit: i64) -> Result<Vec<Ref>, DbError> {
    let sql = "select name, target, kind from git_ref \
               where repo_id = $1 and name >= 'refs/heads/' and name < 'refs/heads0' and target = $2 order by name limit $3";
    db.all(sql, params![repo, sha, limit]).await
}

/// Whether the repository has any branch.
pub async fn has_branches(db: &mut Connection, repo: RepoId) -> Result<bool, DbError> {
    let sql = "select cast(1 as bigint) from git_ref \
               where repo_id = $1 and name >= 'refs/heads/' and name < 'refs/heads0' limit 1";
    Ok(db.optional::<(i64,)>(sql, params![repo]).await?.is_some())
}

/// Refs with this prefix after the name `after`, in order, at most `limit`.
pub async fn list(
    db: &mut Connection,
    repo: RepoId,
    prefix: &str,
    after: &str,
    limit: i64,
) -> Result<Vec<Ref>, DbError> {
    // One lower bound only: with two, SQLite scans from the beginning of the prefix for every batch.
    match end_of_prefix(prefix) {
        Some(end) if after < prefix => {
            let sql = "select name, target, kind from git_ref \
                       where repo_id = $1 and name >= $2 and name < $3 order by name limit $4";
            db.all(sql, params![repo, prefix, end, limit]).await
        }
        Some(end) => {
            let sql = "select name, target, kind from git_ref \
                       where repo_id = $1 and name > $2 and name < $3 order by name limit $4";
            db.all(sql, params![repo, after, end, limit]).await
        }
        None => {
            let sql = "select name, target, kind from git_ref \
                       where repo_id = $1 and name > $2 order by name limit $3";
            db.all(sql, params![repo, after, limit]).await
        }
    }
}

/// Whether one of the first `limit` refs points at an object.
pub async fn is_target(db: &mut Connection, repo: RepoId, sha: Sha, limit: i64) -> Result<bool, DbError> {
    let sql = "select cast(1 as bigint) from (select target from git_ref where repo_id = $1 order by name limit $3) t \
               where target = $2 limit 1";
    Ok(db.optional::<(i64,)>(sql, params![repo, sha, limit]).await?.is_some())
}

pub async fn count(db: &mut Connection, repo: RepoId) -> Result<i64, DbError> {
    Ok(db.one::<(i64,)>("select count(*) from git_ref where repo_id = $1", params![repo]).await?.0)
}

/// One page of all refs.
pub async fn list_page(db: &mut Connection, repo: RepoId, limit: i64, offset: i64) -> Result<Vec<Ref>, DbError> {
    let sql = "select name, target, kind from git_ref where repo_id = $1 order by name limit $2 offset $3";
    db.all(sql, params![repo, limit, offset]).await
}

/// The number of refs with this prefix, which is not empty.
pub async fn count_below(db: &mut Connection, repo: RepoId, prefix: &str) -> Result<i64, DbError> {
    let sql = "select count(*) from git_ref where repo_id = $1 and name >= $2 and name < $3";
    Ok(db.one::<(i64,)>(sql, params![repo, prefix, end_of_prefix(prefix)]).await?.0)
}

/// The direction of a list by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameOrder {
    Up,
    Down,
}

/// One page of the refs with this prefix, which is not empty.
pub async fn list_page_below(
    db: &mut Connection,
    repo: RepoId,
    prefix: &str,
    order: NameOrder,
    page: Page,
) -> Result<Vec<Ref>, DbError> {
    let sql = match order {
        NameOrder::Up => {
            "select name, target, kind from git_ref where repo_id = $1 and name >= $2 and name < $3 \
             order by name limit $4 offset $5"
        }
        NameOrder::Down => {
            "select name, target, kind from git_ref where repo_id = $1 and name >= $2 and name < $3 \
             order by name desc limit $4 offset $5"
        }
    };
    db.all(sql, params![repo, prefix, end_of_prefix(prefix), page.limit(), page.offset()]).await
}

/// The first text after all texts with this prefix; `None` for an empty prefix.
fn end_of_prefix(prefix: &str) -> Option<String> {
    let prefix = prefix.trim_end_matches(char::MAX);
    let last = prefix.chars().next_back()?;
    let mut end = prefix[..prefix.len() - last.len_utf8()].to_owned();
    let after_surrogates = if last == '\u{d7ff}' { '\u{e000}' } else { char::from_u32(u32::from(last) + 1)? };
    end.push(after_surrogates);
    Some(end)
}

/// Inserts a ref if it does not exist, and returns whether it did.
pub async fn insert(db: &mut Transaction, repo: RepoId, name: &RefName, new: Target) -> Result<bool, DbError> {
    let sql = "insert into git_ref (repo_id, name, target, kind) values ($1, $2, $3, $4) on conflict do nothing";
    Ok(db.content_only().changes_row(row_key(name)).execute(sql, params![repo, name, new.sha, new.kind]).await? == 1)
}

/// Moves a ref if it points at `old`, and returns whether it did.
pub async fn update(
    db: &mut Transaction,
    repo: RepoId,
    name: &RefName,
    old: Sha,
    new: Target,
) -> Result<bool, DbError> {
    let values = params![repo, name, old, new.sha, new.kind];
    Ok(db.content_only().changes_row(row_key(name)).execute(UPDATE, values).await? == 1)
}

/// A change that was sent.
pub enum SentChange {
    /// Changes one row if it is made.
    Change(SentCount),
    /// Finds nothing if the ref is absent, as expected.
    Absence(Sent<Vec<Ref>>),
}

/// Makes one change, if the ref is at the expected target, and has no directory/file conflict if it is new.
pub async fn send_change(
    db: &mut Transaction,
    repo: RepoId,
    change: &Change,
    allowed: NewRefs,
) -> Result<SentChange, DbError> {
    let name = &change.name;
    Ok(SentChange::Change(match (change.old, change.new) {
        (None, Some(new)) => new_refs::send_insert(db, repo, (name, new), allowed).await?,
        (Some(old), Some(new)) => {
            let values = params![repo, name, old, new.sha, new.kind];
            if db.is_in_batch() {
                let row = RowStatement { sql: UPDATE_ROWS, key: Some(format!("{repo}/{name}")), params: values };
                db.content_only().changes_row(row_key(name)).send_change_of_row(row).await?
            } else {
                db.content_only().changes_row(row_key(name)).without_deferred().send(UPDATE, values).await?
            }
        }
        (Some(old), None) => {
            let sql = "delete from git_ref where repo_id = $1 and name = $2 and target = $3";
            db.content_only().changes_row(row_key(name)).send(sql, params![repo, name, old]).await?
        }
        (None, None) => return Ok(SentChange::Absence(db.send(FIND, params![repo, name]).await?)),
    }))
}

/// Whether a change was made.
pub async fn is_made(db: &mut Transaction, sent: SentChange) -> Result<bool, DbError> {
    match sent {
        SentChange::Change(sent) => Ok(db.count(sent).await? == 1),
        SentChange::Absence(sent) => Ok(db.rows(sent).await?.is_empty()),
    }
}

/// Increments the ref generation of a repository, which is the ETag of its ref lists.
pub async fn bump_generation(db: &mut Transaction, repo: RepoId, now: Timestamp) -> Result<(), DbError> {
    db.increment(Increment { counter: &GENERATION, id: repo.0, by: 1, at: now }).await
}

/// The tip of the default branch, if it exists.
pub async fn find_default_tip(db: &mut Connection, repo: RepoId, default_branch: &str) -> Result<Option<Sha>, DbError> {
    let Ok(name) = RefName::parse(&format!("refs/heads/{default_branch}")) else { return Ok(None) };
    Ok(find(db, repo, &name).await?.map(|found| found.target))
}

#[cfg(test)]
mod tests {
    use super::end_of_prefix;

    #[test]
    fn end_of_prefix_is_after_every_text_with_the_prefix() {
        assert_eq!(end_of_prefix("refs/heads/").as_deref(), Some("refs/heads0"));
        assert_eq!(end_of_prefix("a\u{d7ff}").as_deref(), Some("a\u{e000}"));
        assert_eq!(end_of_prefix("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(end_of_prefix(""), None);
        for text in ["refs/heads/a", "refs/heads/\u{10ffff}", "refs/heads/zzz"] {
            assert!(text < end_of_prefix("refs/heads/").expect("a prefix").as_str());
        }
    }
}
