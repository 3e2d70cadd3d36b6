//! SQL for issues.

use super::model::{Issue, IssueState, StateReason};
use crate::pulls::store::{author_columns, author_joins};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, IssueId, RepoId};
use plinth_store::{Connection, DbError, Transaction, Value, params};

/// The issues of the repository `$1`, or of other rows `c` of conversations, without their people.
macro_rules! issue_rows {
    () => {
        issue_rows!("i.repo_id = $1")
    };
    ($condition:expr) => {
        issue_rows!("conversation c", $condition)
    };
    ($conversations:expr, $condition:expr) => {
        concat!(
            "select c.id, i.repo_id, i.number, i.title, i.body, i.state, i.state_reason, i.created_at, i.updated_at, \
         i.closed_at, c.comments, cast(null as bigint) as pull_id, false as draft, cast(null as bigint) as merged_at, \
         i.author_id, i.closed_by from ",
            $conversations,
            " join issue i on i.id = c.id where ",
            $condition
        )
    };
}
pub(super) use issue_rows;

/// As [`issue_rows`], for pull requests. A merged one was closed by who merged it.
macro_rules! pull_rows {
    () => {
        pull_rows!("conversation c", "p.repo_id = $1")
    };
    ($conversations:expr, $condition:expr) => {
        concat!(
            "select c.id, p.repo_id, p.number, p.title, p.body, p.state, cast(null as text), p.created_at, p.updated_at, \
         p.closed_at, c.comments, p.id, p.draft, p.merged_at, p.author_id, p.merged_by from ",
            $conversations,
            " join pull p on p.repo_id = c.repo_id and p.number = c.number where ",
            $condition
        )
    };
}
pub(super) use pull_rows;

/// Adds the people to rows `x` with the columns of [`issue_rows`].
macro_rules! select_issue {
    ($rows:expr, $rest:expr) => {
        concat!(
            "select x.id, x.repo_id, x.number, x.title, x.body, x.state, x.state_reason, x.created_at, x.updated_at, \
             x.closed_at, x.comments, x.pull_id, x.draft, x.merged_at, ",
            author_columns!(),
            ", b.id, b.kind, b.login, b.site_admin from (",
            $rows,
            ") x join repo r on r.id = x.repo_id and not r.deleted left join account b on b.id = x.closed_by",
            author_joins!("x.author_id"),
            $rest
        )
    };
}
pub(super) use select_issue;

/// The issue or pull request with this number.
pub async fn find(db: &mut Connection, repo: RepoId, number: i64) -> Result<Option<Issue>, DbError> {
    let sql =
        select_issue!(concat!(issue_rows!(), " and i.number = $2 union all ", pull_rows!(), " and p.number = $2"), "");
    db.optional(sql, params![repo, number]).await
}

/// Issues per statement: a page of 30 takes one.
const ISSUES_PER_STATEMENT: usize = 32;

/// Issues by their ids, of any repositories and in any order.
pub async fn list_by_id(db: &mut Connection, ids: &[IssueId]) -> Result<Vec<Issue>, DbError> {
    let sql = select_issue!(
        issue_rows!(
            "i.id in ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, \
             $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32)"
        ),
        ""
    );
    let mut found = Vec::with_capacity(ids.len());
    for some in ids.chunks(ISSUES_PER_STATEMENT) {
        let mut values = [Value::Null; ISSUES_PER_STATEMENT];
        for (value, IssueId(id)) in values.iter_mut().zip(some) {
            *value = Value::Integer(*id);
        }
        found.extend(db.all::<Issue>(sql, &values).await?);
    }
    Ok(found)
}

/// The first issue with this title.
pub async fn find_titled(db: &mut Connection, repo: RepoId, title: &str) -> Result<Option<i64>, DbError> {
    let sql = "select number from issue where repo_id = $1 and title = $2 order by number limit 1";
    Ok(db.optional::<(i64,)>(sql, params![repo, title]).await?.map(|(number,)| number))
}

/// The columns of a new issue.
#[derive(Debug, Clone, Copy)]
pub struct NewRow<'a> {
    pub id: IssueId,
    pub repo: RepoId,
    pub number: i64,
    pub title: &'a str,
    pub body: Option<&'a str>,
    pub author: AccountId,
}

pub async fn insert(db: &mut Transaction, new: &NewRow<'_>, now: Timestamp) -> Result<(), DbError> {
    let sql = "insert into issue (id, repo_id, number, title, body, author_id, state, created_at, updated_at) \
               values ($1, $2, $3, $4, $5, $6, 'open', $7, $7)";
    let NewRow { id, repo, number, title, body, author } = new;
    db.content_only().execute(sql, params![id, repo, number, title, body, author, now]).await?;
    Ok(())
}

pub async fn update_text(
    db: &mut Transaction,
    id: IssueId,
    (title, body): (&str, Option<&str>),
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update issue set title = $2, body = $3, updated_at = $4 where id = $1";
    db.content_only().execute(sql, params![id, title, body, now]).await?;
    Ok(())
}

/// Opens or closes an issue, or changes the reason for its state.
pub async fn update_state(
    db: &mut Transaction,
    id: IssueId,
    (state, reason): (IssueState, Option<StateReason>),
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<(), DbError> {
    let (closed_at, closed_by) = match state {
        IssueState::Open => (None, None),
        IssueState::Closed => (Some(now), actor),
    };
    let sql = "update issue set state_reason = $3, closed_at = case when state = $2 then closed_at else $4 end, \
               closed_by = case when state = $2 then closed_by else $5 end, state = $2, updated_at = $6 where id = $1";
    db.content_only().execute(sql, params![id, state, reason, closed_at, closed_by, now]).await?;
    Ok(())
}
