//! References in the store, ordered by the bytes of their names.

use super::{Change, Ref, Target};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{RepoId, Sha};
use plinth_git::RefName;
use plinth_store::{Connection, DbError, Transaction, params};

pub async fn find(db: &mut Connection, repo: RepoId, name: &RefName) -> Result<Option<Ref>, DbError> {
    let sql = "select name, target, kind from git_ref where repo_id = $1 and name = $2";
    db.optional(sql, params![repo, name]).await
}

/// Whether the repository has any branch.
pub async fn has_branches(db: &mut Connection, repo: RepoId) -> Result<bool, DbError> {
    let sql = "select cast(1 as bigint) from git_ref \
               where repo_id = $1 and name >= 'refs/heads/' and name < 'refs/heads0' limit 1";
    Ok(db.optional::<(i64,)>(sql, params![repo]).await?.is_some())
}

/// References that begin with `prefix` and come after the name `after`, in order, at most `limit`.
pub async fn list(
    db: &mut Connection,
    repo: RepoId,
    prefix: &str,
    after: &str,
    limit: i64,
) -> Result<Vec<Ref>, DbError> {
    // One lower bound only: given two, SQLite walks from the beginning of the prefix for every batch.
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

/// Whether one of the first `limit` references points at an object.
pub async fn is_target(db: &mut Connection, repo: RepoId, sha: Sha, limit: i64) -> Result<bool, DbError> {
    let sql = "select cast(1 as bigint) from (select target from git_ref where repo_id = $1 order by name limit $3) t \
               where target = $2 limit 1";
    Ok(db.optional::<(i64,)>(sql, params![repo, sha, limit]).await?.is_some())
}

/// How many references there are.
pub async fn count(db: &mut Connection, repo: RepoId) -> Result<i64, DbError> {
    Ok(db.one::<(i64,)>("select count(*) from git_ref where repo_id = $1", params![repo]).await?.0)
}

/// One page of all references.
pub async fn list_page(db: &mut Connection, repo: RepoId, limit: i64, offset: i64) -> Result<Vec<Ref>, DbError> {
    let sql = "select name, target, kind from git_ref where repo_id = $1 order by name limit $2 offset $3";
    db.all(sql, params![repo, limit, offset]).await
}

/// The first text after all that begin with `prefix`; nothing for an empty prefix.
fn end_of_prefix(prefix: &str) -> Option<String> {
    let prefix = prefix.trim_end_matches(char::MAX);
    let last = prefix.chars().next_back()?;
    let mut end = prefix[..prefix.len() - last.len_utf8()].to_owned();
    let after_surrogates = if last == '\u{d7ff}' { '\u{e000}' } else { char::from_u32(u32::from(last) + 1)? };
    end.push(after_surrogates);
    Some(end)
}

/// Makes a name where there is none, and says whether it did.
pub async fn insert(db: &mut Transaction, repo: RepoId, name: &RefName, new: Target) -> Result<bool, DbError> {
    let sql = "insert into git_ref (repo_id, name, target, kind) values ($1, $2, $3, $4) on conflict do nothing";
    Ok(db.content_only().execute(sql, params![repo, name, new.sha, new.kind]).await? == 1)
}

/// Moves a name that points at `old`, and says whether it did.
pub async fn update(
    db: &mut Transaction,
    repo: RepoId,
    name: &RefName,
    old: Sha,
    new: Target,
) -> Result<bool, DbError> {
    let sql = "update git_ref set target = $4, kind = $5 where repo_id = $1 and name = $2 and target = $3";
    Ok(db.content_only().execute(sql, params![repo, name, old, new.sha, new.kind]).await? == 1)
}

/// Deletes a name that points at `old`, and says whether it did.
pub async fn delete(db: &mut Transaction, repo: RepoId, name: &RefName, old: Sha) -> Result<bool, DbError> {
    let sql = "delete from git_ref where repo_id = $1 and name = $2 and target = $3";
    Ok(db.content_only().execute(sql, params![repo, name, old]).await? == 1)
}

/// Notes that references have changed: the number is the tag of every list of them.
pub async fn bump_generation(db: &mut Transaction, repo: RepoId, now: Timestamp) -> Result<(), DbError> {
    let sql = "update repo set ref_generation = ref_generation + 1, pushed_at = $2 where id = $1";
    db.content_only().execute(sql, params![repo, now]).await?;
    Ok(())
}

/// Names on the way that one statement looks for.
const ABOVE_AT_ONCE: usize = 4;

/// The names that lie on the way to this one, or below it: with either, it cannot be a name of its own.
pub async fn find_directory_file_conflict(
    db: &mut Connection,
    repo: RepoId,
    name: &RefName,
) -> Result<Option<RefName>, DbError> {
    let text = name.as_str();
    // What begins with the name and a slash is below it; `0` is the next character after the slash.
    let (below, after_below) = (format!("{text}/"), format!("{text}0"));
    // No name has fewer than two parts, so the first part alone cannot be in the way.
    let mut above: Vec<&str> = text.match_indices('/').map(|(end, _)| &text[..end]).skip(1).collect();
    above.resize(above.len().next_multiple_of(ABOVE_AT_ONCE).max(ABOVE_AT_ONCE), "");
    for names in above.chunks_exact(ABOVE_AT_ONCE) {
        let sql = "select name from git_ref where repo_id = $1 and name >= $2 and name < $3 \
                   union all select name from git_ref where repo_id = $1 and name = $4 \
                   union all select name from git_ref where repo_id = $1 and name = $5 \
                   union all select name from git_ref where repo_id = $1 and name = $6 \
                   union all select name from git_ref where repo_id = $1 and name = $7 limit 1";
        let values = params![repo, below, after_below, names[0], names[1], names[2], names[3]];
        if let Some((found,)) = db.optional::<(RefName,)>(sql, values).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Carries out one change as it stands, and says whether the name was where it had to be.
pub async fn apply_change(db: &mut Transaction, repo: RepoId, change: &Change) -> Result<bool, DbError> {
    match (change.old, change.new) {
        (None, Some(new)) => insert(db, repo, &change.name, new).await,
        (Some(old), Some(new)) => update(db, repo, &change.name, old, new).await,
        (Some(old), None) => delete(db, repo, &change.name, old).await,
        (None, None) => Ok(find(db, repo, &change.name).await?.is_none()),
    }
}

#[cfg(test)]
mod tests {
    use super::end_of_prefix;

    #[test]
    fn a_prefix_ends_where_nothing_begins_with_it_any_more() {
        assert_eq!(end_of_prefix("refs/heads/").as_deref(), Some("refs/heads0"));
        assert_eq!(end_of_prefix("a\u{d7ff}").as_deref(), Some("a\u{e000}"));
        assert_eq!(end_of_prefix("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(end_of_prefix(""), None);
        for text in ["refs/heads/a", "refs/heads/\u{10ffff}", "refs/heads/zzz"] {
            assert!(text < end_of_prefix("refs/heads/").expect("a prefix").as_str());
        }
    }
}

/// What the default branch points at, if it exists.
pub async fn find_default_tip(db: &mut Connection, repo: RepoId, default_branch: &str) -> Result<Option<Sha>, DbError> {
    let Ok(name) = RefName::parse(&format!("refs/heads/{default_branch}")) else { return Ok(None) };
    Ok(find(db, repo, &name).await?.map(|found| found.target))
}
