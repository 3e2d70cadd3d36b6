//! The statement for PostgreSQL that starts a thread.

use super::model::{PublishedComment, StartedThread};
use super::reviews::store::review_columns;
use super::store::{comment_columns, select_comment_context};
use crate::notifications::can_read;
use crate::pulls::store::{author_columns, author_joins};
use crate::pulls::threads::NewThread;
use crate::pulls::threads::store::{thread_columns, thread_values};
use plinth_base::clock::Timestamp;
use plinth_store::{DbError, RowStatement, Sent, Transaction, lists};

/// Starts a thread and reads the comment context. It may do so for several threads at once: what is read is looked up for each
/// (`limit 1`), whatever the planner thinks of the number of pull requests.
pub async fn send(
    db: &mut Transaction,
    comment: &PublishedComment<'_>,
    (version, thread): (i64, &NewThread),
    now: Timestamp,
) -> Result<Sent<Vec<StartedThread>>, DbError> {
    let sql = concat!(
        "with new as (select i.*, nextval('review_id_seq') as review_id, nextval('review_thread_id_seq') as thread_id, \
         nextval('review_comment_id_seq') as comment_id from unnest(",
        lists!(
            "$1": "bigint", "$2": "bigint", "$3": "bigint", "$4": "bytea", "$5": "bytea", "$6": "bytea", "$7": "bytea",
            "$8": "text", "$9": "text", "$10": "bigint", "$11": "text", "$12": "bigint", "$13": "bigint",
            "$14": "bytea", "$15": "bigint", "$16": "text", "$17": "bigint"
        ),
        ") with ordinality as i (",
        thread_columns!(),
        ", author_id, body, created_at, row_number)), \
         thread as (insert into review_thread (id, ",
        thread_columns!(),
        ") select thread_id, ",
        thread_columns!(),
        " from new), submitted as (insert into review (id, ",
        review_columns!(),
        ") select review_id, repo_id, pull_id, author_id, 'COMMENTED', '', head_sha, created_at, created_at from new), \
         comment as (insert into review_comment (id, ",
        comment_columns!(),
        ") select comment_id, repo_id, pull_id, author_id, body, created_at, created_at, review_id, thread_id, null, \
         false from new) \
         select new.review_id, new.thread_id, new.comment_id, exists (select 1 from review s \
         where s.pull_id = new.pull_id and s.author_id = new.author_id and s.state = 'PENDING'), context.*, \
         new.row_number from new cross join lateral (",
        select_comment_context!("new.pull_id", "new.author_id"),
        " limit 1) context"
    );
    let PublishedComment { repo, pull, author, body, .. } = *comment;
    let row = |params| RowStatement { sql, key: None, params };
    db.content_only()
        .changes_no_row()
        .send_row(row(thread_values!(repo, pull, version, thread, author, body, now)))
        .await
}
