//! SQL for comments on issues.

use super::model::{IssueComment, Listing, Scope};
use crate::comment_lists::{self, comment_page};
use crate::conversations::Conversation;
use crate::pulls::store::{author_columns, author_joins};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, IssueCommentId, IssueId, RepoId};
use plinth_store::{Connection, DbError, Sent, Transaction, params};

macro_rules! select_comment {
    ($from:expr, $rest:expr) => {
        concat!(
            "select c.id, c.repo_id, c.conversation_id, v.number, v.is_pull, c.body, c.created_at, c.updated_at, ",
            author_columns!(),
            " from ",
            $from,
            " join conversation v on v.id = c.conversation_id join repo r on r.id = c.repo_id and not r.deleted",
            author_joins!("c.author_id"),
            $rest
        )
    };
}

/// A comment of this repository.
pub async fn find(db: &mut Connection, repo: RepoId, id: IssueCommentId) -> Result<Option<IssueComment>, DbError> {
    let sql = select_comment!("issue_comment c", "where c.id = $1 and c.repo_id = $2");
    db.optional(sql, params![id, repo]).await
}

/// One page of a list.
async fn send_list(
    db: &mut Connection,
    listing: &Listing,
    (limit, offset): (i64, i64),
) -> Result<Sent<Vec<IssueComment>>, DbError> {
    macro_rules! page {
        ($scope:literal) => {
            comment_page!(listing, select_comment, "issue_comment", $scope, " >= $2")
        };
    }
    let since = listing.since.map_or(i64::MIN, |moment| moment.0);
    let (sql, id) = match listing.scope {
        Scope::Repo(id) => (page!("repo_id"), id.0),
        Scope::Issue(id) => (page!("conversation_id"), id.0),
    };
    db.send(sql, params![id, since, limit, offset]).await
}

impl comment_lists::Listing for Listing {
    type Comment = IssueComment;

    fn reversed(&self) -> Option<Self> {
        self.since.is_none().then(|| Self { order: self.order.reversed(), ..*self })
    }

    async fn send_count(&self, db: &mut Connection) -> Result<Sent<Vec<(i64,)>>, DbError> {
        send_count(db, self).await
    }

    async fn send_list(&self, db: &mut Connection, window: (i64, i64)) -> Result<Sent<Vec<IssueComment>>, DbError> {
        send_list(db, self, window).await
    }
}

/// The length of a list. Without `since`, this adds up the counters of the issues.
async fn send_count(db: &mut Connection, listing: &Listing) -> Result<Sent<Vec<(i64,)>>, DbError> {
    let (sql, id) = match (listing.scope, listing.since) {
        (Scope::Repo(id), None) => {
            let sql = "select cast(coalesce(sum(comments), 0) as bigint) from conversation where repo_id = $1";
            return db.send(sql, params![id]).await;
        }
        (Scope::Issue(id), None) => {
            let sql = "select comments from conversation where id = $1";
            return db.send(sql, params![id]).await;
        }
        (Scope::Repo(id), Some(_)) => {
            ("select count(*) from issue_comment where repo_id = $1 and updated_at >= $2", id.0)
        }
        (Scope::Issue(id), Some(_)) => {
            ("select count(*) from issue_comment where conversation_id = $1 and updated_at >= $2", id.0)
        }
    };
    db.send(sql, params![id, listing.since]).await
}

pub async fn insert(
    db: &mut Transaction,
    of: &Conversation,
    author: AccountId,
    body: &str,
    now: Timestamp,
) -> Result<IssueCommentId, DbError> {
    let sql = "insert into issue_comment (repo_id, conversation_id, author_id, body, created_at, updated_at) \
               values ($1, $2, $3, $4, $5, $5) returning id";
    let values = params![of.repo_id, of.id, author, body, now];
    Ok(db.content_only().insert::<(IssueCommentId,)>(sql, values).await?.0)
}

pub async fn update_body(db: &mut Transaction, id: IssueCommentId, body: &str, now: Timestamp) -> Result<(), DbError> {
    let sql = "update issue_comment set body = $2, updated_at = $3 where id = $1";
    db.content_only().execute(sql, params![id, body, now]).await?;
    Ok(())
}

pub async fn delete(db: &mut Transaction, id: IssueCommentId) -> Result<(), DbError> {
    db.content_only().execute("delete from issue_comment where id = $1", params![id]).await?;
    Ok(())
}

/// The authors of comments on an issue or a pull request, at most `limit`.
pub async fn list_participants(db: &mut Connection, issue: IssueId, limit: i64) -> Result<Vec<(AccountId,)>, DbError> {
    let sql =
        "select distinct author_id from issue_comment where conversation_id = $1 and author_id is not null limit $2";
    db.all(sql, params![issue, limit]).await
}
