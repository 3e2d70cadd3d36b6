//! SQL for the numbers of issues and pull requests.

use std::collections::BTreeSet;

use super::Conversation;
use crate::repos::name_key;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, IssueId, RepoId};
use plinth_store::{Connection, DbError, Transaction, Value, params};

/// The number of the next issue or pull request of a repository.
pub async fn next_number(db: &mut Connection, repo: RepoId) -> Result<i64, DbError> {
    let sql = "select coalesce(max(number), 0) + 1 from conversation where repo_id = $1";
    Ok(db.one::<(i64,)>(sql, params![repo]).await?.0)
}

pub async fn insert(db: &mut Transaction, repo: RepoId, number: i64, is_pull: bool) -> Result<IssueId, DbError> {
    let sql = "insert into conversation (repo_id, number, is_pull) values ($1, $2, $3) returning id";
    Ok(db.content_only().insert::<(IssueId,)>(sql, params![repo, number, is_pull]).await?.0)
}

pub async fn find(db: &mut Connection, repo: RepoId, number: i64) -> Result<Option<Conversation>, DbError> {
    let sql = "select id, repo_id, number, is_pull from conversation where repo_id = $1 and number = $2";
    db.optional(sql, params![repo, number]).await
}

/// As [`find`], by owner and name of the repository.
pub async fn find_at(
    db: &mut Connection,
    (owner, name): (&str, &str),
    number: i64,
) -> Result<Option<Conversation>, DbError> {
    let sql = "select c.id, c.repo_id, c.number, c.is_pull from account o join repo r on r.owner_id = o.id \
               join conversation c on c.repo_id = r.id \
               where o.login_key = $1 and r.name_key = $2 and c.number = $3";
    db.optional(sql, params![name_key(owner), name_key(name), number]).await
}

/// Records that something about an issue or a pull request has changed.
pub async fn update_time(db: &mut Transaction, of: &Conversation, now: Timestamp) -> Result<(), DbError> {
    let sql = match of.is_pull {
        true => "update pull set updated_at = $3 where repo_id = $1 and number = $2",
        false => "update issue set updated_at = $3 where repo_id = $1 and number = $2",
    };
    db.content_only().execute(sql, params![of.repo_id, of.number, now]).await?;
    Ok(())
}

/// Adds to the number of comments, which are not those of reviews.
pub async fn add_comments(db: &mut Transaction, id: IssueId, count: i64) -> Result<(), DbError> {
    let sql = "update conversation set comments = comments + $2 where id = $1";
    db.content_only().execute(sql, params![id, count]).await?;
    Ok(())
}

/// Records whom a text of an issue or a pull request mentions.
pub async fn insert_mention(db: &mut Transaction, id: IssueId, user: AccountId) -> Result<(), DbError> {
    let sql = "insert into issue_mention (conversation_id, user_id) values ($1, $2) on conflict do nothing";
    db.content_only().execute(sql, params![id, user]).await?;
    Ok(())
}

const NUMBERS_PER_STATEMENT: usize = 16;

/// Those of the numbers that are pull requests, and those that are issues, for texts that refer to them.
pub async fn find_numbers(
    db: &mut Connection,
    repo: RepoId,
    numbers: &BTreeSet<i64>,
) -> Result<(BTreeSet<i64>, BTreeSet<i64>), DbError> {
    let sql = "select number, is_pull from conversation where repo_id = $1 and number in \
               ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
    let (mut pulls, mut issues) = (BTreeSet::new(), BTreeSet::new());
    let numbers: Vec<i64> = numbers.iter().copied().collect();
    for some in numbers.chunks(NUMBERS_PER_STATEMENT) {
        let mut values = [Value::Null; NUMBERS_PER_STATEMENT + 1];
        values[0] = Value::Integer(repo.0);
        for (value, number) in values[1..].iter_mut().zip(some) {
            *value = Value::Integer(*number);
        }
        for (number, is_pull) in db.all::<(i64, bool)>(sql, &values).await? {
            if is_pull {
                pulls.insert(number)
            } else {
                issues.insert(number)
            };
        }
    }
    Ok((pulls, issues))
}
