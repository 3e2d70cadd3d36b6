//! SQL for statistics.

use plinth_base::ids::{RepoId, Sha};
use plinth_store::{Connection, DbError, Transaction, from_row, params};

/// The tip of the default branch, and the one that the statistics are of.
#[derive(Debug, Clone, Copy)]
pub struct Tips {
    pub current: Option<Sha>,
    pub described: Option<Sha>,
}

from_row!(Tips { current, described });

pub async fn find_tips(db: &mut Connection, repo: RepoId) -> Result<Option<Tips>, DbError> {
    let sql = "select g.target, r.described_tip from repo r left join git_ref g \
               on g.repo_id = r.id and g.name = 'refs/heads/' || r.default_branch where r.id = $1 and not r.deleted";
    db.optional(sql, params![repo]).await
}

/// Repositories with outdated statistics.
pub async fn list_outdated(db: &mut Connection, limit: i64) -> Result<Vec<(RepoId,)>, DbError> {
    let sql = "select r.id from repo r join git_ref g on g.repo_id = r.id and g.name = 'refs/heads/' || r.default_branch \
               where not r.deleted and (r.described_tip is null or r.described_tip <> g.target) order by r.id limit $1";
    db.all(sql, params![limit]).await
}

/// Statistics as they are stored.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// The key of the licence.
    pub license: Option<&'static str>,
    /// Languages with their bytes, the largest first.
    pub languages: Vec<(&'static str, u64)>,
    /// In KiB.
    pub size: i64,
}

/// The condition that `$2` is the tip of the default branch. A slow refresh must not replace the result of a later one.
macro_rules! is_current {
    () => {
        "id = $1 and exists (select 1 from git_ref g where g.repo_id = repo.id \
         and g.name = 'refs/heads/' || repo.default_branch and g.target = $2)"
    };
}

/// Stores statistics, unless the default branch has moved on.
pub async fn update(db: &mut Transaction, repo: RepoId, tip: Sha, new: &Statistics) -> Result<(), DbError> {
    let language = new.languages.first().map(|(language, _)| *language);
    let sql = concat!(
        "update repo set described_tip = $2, license = $3, language = $4, languages = $5, size = $6 where ",
        is_current!()
    );
    let languages = languages_text(&new.languages);
    let values = params![repo, tip, new.license, language, languages, new.size];
    db.content_only().execute(sql, values).await?;
    Ok(())
}

/// Records that statistics were attempted, so that an attempt that fails is not repeated.
pub async fn update_tip(db: &mut Transaction, repo: RepoId, tip: Sha) -> Result<(), DbError> {
    let sql = concat!("update repo set described_tip = $2 where ", is_current!());
    db.content_only().execute(sql, params![repo, tip]).await?;
    Ok(())
}

/// Names and bytes, one language per line, in order.
pub async fn find_languages(db: &mut Connection, repo: RepoId) -> Result<Vec<(String, u64)>, DbError> {
    let sql = "select languages from repo where id = $1 and not deleted";
    let found =
        db.optional::<(Option<String>,)>(sql, params![repo]).await?.and_then(|(text,)| text).unwrap_or_default();
    let parsed = found.lines().filter_map(|line| line.rsplit_once(' '));
    Ok(parsed.filter_map(|(name, bytes)| Some((name.to_owned(), bytes.parse().ok()?))).collect())
}

fn languages_text(languages: &[(&'static str, u64)]) -> String {
    languages.iter().map(|(name, bytes)| format!("{name} {bytes}\n")).collect()
}
