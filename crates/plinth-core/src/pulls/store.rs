//! SQL for pull requests and their versions.

use futures_util::future::BoxFuture;

use super::model::{Pull, PullFacts, PullState, Version};
use crate::repos::name_key;
use plinth_base::clock::Timestamp;
use plinth_base::error::Error;
use plinth_base::ids::{AccountId, PullId, RepoId, Sha};
use plinth_store::{Connection, Counter, DbError, Increment, Transaction, counter, params};

static REVIEW_COMMENTS: Counter = counter!("pull", "review_comments", "updated_at");

/// The columns of an author `a` in the repository `r`; needs [`author_joins`].
macro_rules! author_columns {
    () => {
        "a.id, a.kind, a.login, a.site_admin, \
         case when a.id = r.owner_id then 'OWNER' when am.role is not null then 'MEMBER' \
         when ac.permission is not null then 'COLLABORATOR' when act.email is not null then 'CONTRIBUTOR' \
         else 'NONE' end"
    };
}
pub(crate) use author_columns;

/// Joins the account behind a column and its association with the repository `r`.
macro_rules! author_joins {
    ($column:literal) => {
        concat!(
            " left join account a on a.id = ",
            $column,
            " left join membership am on am.org_id = r.owner_id and am.user_id = a.id \
             left join collaborator ac on ac.repo_id = r.id and ac.user_id = a.id \
             left join contributor act on act.repo_id = r.id \
             and act.email = lower(coalesce(a.email, a.login || '@users.noreply.localhost')) "
        )
    };
}
pub(crate) use author_joins;

macro_rules! select_pull {
    ($rest:expr) => {
        concat!(
            "select p.id, p.repo_id, p.number, p.title, p.body, p.state, p.draft, p.head_ref, p.base_ref, \
             p.review_comments, p.created_at, p.updated_at, p.closed_at, v.number, v.base_sha, v.head_sha, \
             v.merge_base, v.commits, v.additions, v.deletions, v.changed_files, v.created_at, ",
            author_columns!(),
            ", v.mergeability, v.test_merge, p.merged_at, p.merge_commit, m.id, m.kind, m.login, m.site_admin, \
             cv.id, cv.comments \
             from pull p join repo r on r.id = p.repo_id and not r.deleted \
             join pull_version v on v.pull_id = p.id and v.number = p.version \
             join conversation cv on cv.repo_id = p.repo_id and cv.number = p.number \
             left join account m on m.id = p.merged_by",
            author_joins!("p.author_id"),
            $rest
        )
    };
}
pub(super) use select_pull;

pub async fn find(db: &mut Connection, repo: RepoId, number: i64) -> Result<Option<Pull>, DbError> {
    db.optional(select_pull!("where p.repo_id = $1 and p.number = $2"), params![repo, number]).await
}

/// As [`find`], by the id that is unique in the store.
pub async fn find_by_id(db: &mut Connection, id: PullId) -> Result<Option<Pull>, DbError> {
    db.optional(select_pull!("where p.id = $1"), params![id]).await
}

/// As [`find`], by owner and name of the repository, with the columns that changes need.
pub async fn find_facts(
    db: &mut Connection,
    (owner, name): (&str, &str),
    number: i64,
) -> Result<Option<PullFacts>, DbError> {
    let sql = "select p.id, p.repo_id, p.number, p.head_ref, p.author_id, v.number, v.base_sha, v.head_sha, \
               v.merge_base, v.commits, v.additions, v.deletions, v.changed_files, v.created_at \
               from account o join repo r on r.owner_id = o.id join pull p on p.repo_id = r.id \
               join pull_version v on v.pull_id = p.id and v.number = p.version \
               where o.login_key = $1 and r.name_key = $2 and p.number = $3";
    db.optional(sql, params![name_key(owner), name_key(name), number]).await
}

/// The filter of a list; an empty text matches everything.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub state: String,
    pub head_ref: String,
    pub base_ref: String,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    CreatedUp,
    CreatedDown,
    UpdatedUp,
    UpdatedDown,
}

pub async fn list(
    db: &mut Connection,
    repo: RepoId,
    filter: &Filter,
    order: Order,
    (limit, offset): (i64, i64),
) -> Result<Vec<Pull>, DbError> {
    macro_rules! ordered {
        ($order:literal) => {
            select_pull!(concat!(
                "where p.repo_id = $1 and ($2 = '' or p.state = $2) and ($3 = '' or p.head_ref = $3) \
                 and ($4 = '' or p.base_ref = $4) order by ",
                $order,
                " limit $5 offset $6"
            ))
        };
    }
    let sql = match order {
        Order::CreatedUp => ordered!("p.number"),
        Order::CreatedDown => ordered!("p.number desc"),
        Order::UpdatedUp => ordered!("p.updated_at, p.number"),
        Order::UpdatedDown => ordered!("p.updated_at desc, p.number desc"),
    };
    db.all(sql, params![repo, filter.state, filter.head_ref, filter.base_ref, limit, offset]).await
}

pub async fn count(db: &mut Connection, repo: RepoId, filter: &Filter) -> Result<i64, DbError> {
    let sql = "select count(*) from pull p where p.repo_id = $1 and ($2 = '' or p.state = $2) \
               and ($3 = '' or p.head_ref = $3) and ($4 = '' or p.base_ref = $4)";
    Ok(db.one::<(i64,)>(sql, params![repo, filter.state, filter.head_ref, filter.base_ref]).await?.0)
}

/// The columns of a new pull request.
#[derive(Debug, Clone)]
pub struct NewPull {
    pub repo: RepoId,
    pub title: String,
    pub body: Option<String>,
    pub draft: bool,
    pub author: AccountId,
    pub head_ref: String,
    pub base_ref: String,
}

pub async fn insert(db: &mut Transaction, number: i64, new: &NewPull, now: Timestamp) -> Result<PullId, DbError> {
    let sql = "insert into pull (repo_id, number, title, body, author_id, state, draft, head_ref, base_ref, version, \
               review_comments, created_at, updated_at) values ($1, $2, $3, $4, $5, 'open', $6, $7, $8, 0, 0, $9, $9) \
               returning id";
    let values = params![new.repo, number, new.title, new.body, new.author, new.draft, new.head_ref, new.base_ref, now];
    Ok(db.pulls_only().insert::<(PullId,)>(sql, values).await?.0)
}

/// An open pull request from this head into this base.
pub async fn find_open(
    db: &mut Connection,
    repo: RepoId,
    head_ref: &str,
    base_ref: &str,
) -> Result<Option<i64>, DbError> {
    let sql = "select number from pull where repo_id = $1 and head_ref = $2 and base_ref = $3 and state = 'open'";
    Ok(db.optional::<(i64,)>(sql, params![repo, head_ref, base_ref]).await?.map(|(number,)| number))
}

pub async fn update_text(
    db: &mut Transaction,
    id: PullId,
    title: &str,
    body: Option<&str>,
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update pull set title = $2, body = $3, updated_at = $4 where id = $1";
    db.pulls_only().execute(sql, params![id, title, body, now]).await?;
    Ok(())
}

pub async fn update_state(db: &mut Transaction, id: PullId, state: PullState, now: Timestamp) -> Result<(), DbError> {
    let closed_at = (state == PullState::Closed).then_some(now);
    let sql = "update pull set state = $2, closed_at = $3, updated_at = $4 where id = $1";
    db.pulls_only().execute(sql, params![id, state, closed_at, now]).await?;
    Ok(())
}

/// Closes a pull request as merged.
pub async fn update_merged(
    db: &mut Transaction,
    id: PullId,
    commit: Sha,
    by: Option<AccountId>,
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update pull set state = 'closed', closed_at = $4, updated_at = $4, merged_at = $4, merged_by = $3, \
               merge_commit = $2 where id = $1";
    db.pulls_only().execute(sql, params![id, commit, by, now]).await?;
    Ok(())
}

pub async fn update_base_ref(db: &mut Transaction, id: PullId, base_ref: &str) -> Result<(), DbError> {
    db.pulls_only().execute("update pull set base_ref = $2 where id = $1", params![id, base_ref]).await?;
    Ok(())
}

/// Adds a version and makes it the last one.
pub async fn insert_version(
    db: &mut Transaction,
    pull: PullId,
    number: i64,
    (base_sha, head_sha): (Sha, Sha),
    (mover, now): (Option<AccountId>, Timestamp),
) -> Result<(), DbError> {
    let sql = "insert into pull_version (pull_id, number, base_sha, head_sha, moved_by, created_at) \
               values ($1, $2, $3, $4, $5, $6)";
    db.pulls_only().execute(sql, params![pull, number, base_sha, head_sha, mover, now]).await?;
    let sql = "update pull set version = $2, updated_at = $3 where id = $1";
    db.pulls_only().execute(sql, params![pull, number, now]).await?;
    Ok(())
}

/// Versions between two numbers, without these two, newest first.
pub async fn list_versions(
    db: &mut Connection,
    pull: PullId,
    (after, before): (i64, i64),
    limit: i64,
) -> Result<Vec<Version>, DbError> {
    let sql = "select number, base_sha, head_sha, merge_base, commits, additions, deletions, changed_files, created_at \
               from pull_version where pull_id = $1 and number > $2 and number < $3 order by number desc limit $4";
    db.all(sql, params![pull, after, before, limit]).await
}

/// The garbage-collection roots of pull requests: the commits of all versions, of all anchors and of merges. Without them a
/// comment on a commit that was force-pushed away could neither be shown in its diff nor be re-anchored.
pub fn gc_roots(db: &mut Connection, repo: RepoId) -> BoxFuture<'_, Result<Vec<Sha>, Error>> {
    let sql = "select v.base_sha from pull p join pull_version v on v.pull_id = p.id where p.repo_id = $1 \
               union select v.head_sha from pull p join pull_version v on v.pull_id = p.id where p.repo_id = $1 \
               union select v.test_merge from pull p join pull_version v on v.pull_id = p.id and v.number = p.version \
               where p.repo_id = $1 and p.merged_at is null and v.test_merge is not null \
               union select p.merge_commit from pull p where p.repo_id = $1 and p.merge_commit is not null \
               union select t.base_sha from review_thread t where t.repo_id = $1 \
               union select t.head_sha from review_thread t where t.repo_id = $1";
    Box::pin(async move {
        let roots = db.all::<(Sha,)>(sql, params![repo]).await?;
        Ok(roots.into_iter().map(|(sha,)| sha).collect())
    })
}

/// Records that the account with this email address has commits on the default branch.
pub async fn insert_contributor(db: &mut Transaction, repo: RepoId, email: &str) -> Result<(), DbError> {
    let sql = "insert into contributor (repo_id, email) values ($1, $2) on conflict do nothing";
    db.pulls_only().execute(sql, params![repo, email]).await?;
    Ok(())
}

/// Adds to the number of published review comments.
pub async fn add_review_comments(
    db: &mut Transaction,
    pull: PullId,
    count: i64,
    now: Timestamp,
) -> Result<(), DbError> {
    db.increment(Increment { counter: &REVIEW_COMMENTS, id: pull.0, by: count, at: now }).await
}

/// Subtracts one from the number of published review comments.
pub async fn remove_review_comment(db: &mut Transaction, pull: PullId) -> Result<(), DbError> {
    let sql = "update pull set review_comments = review_comments - 1, \
               deleted_review_comments = deleted_review_comments + 1 where id = $1";
    db.content_only().execute(sql, params![pull]).await?;
    Ok(())
}

/// Open pull requests whose last version has not been refreshed.
pub async fn list_not_refreshed(
    db: &mut Connection,
    (after, limit): (PullId, usize),
) -> Result<Vec<(RepoId, PullId)>, DbError> {
    let sql = "select p.repo_id, p.id from pull p join pull_version v on v.pull_id = p.id and v.number = p.version \
               join repo r on r.id = p.repo_id and not r.deleted \
               where p.state = 'open' and (v.commits is null or v.mergeability is null) and v.attempted_at is null \
               and p.id > $1 order by p.id limit $2";
    db.all(sql, params![after, i64::try_from(limit).unwrap_or(i64::MAX)]).await
}
