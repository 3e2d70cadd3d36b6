//! The one insert that the minimal writer does for each request.

use clap::ValueEnum;
use rusqlite::Connection;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Insert {
    /// The request's body, into a table without an index.
    Entry,
    /// A ref, into a database of the service.
    Ref,
    /// A review comment, into a database of the service.
    Comment,
    /// What a request's path says: a review comment or a ref.
    ByPath,
}

impl Insert {
    /// Which row a request with this path inserts.
    pub fn for_path(self, path: &str) -> Self {
        match self {
            Insert::ByPath if path.contains("/comments") => Insert::Comment,
            Insert::ByPath => Insert::Ref,
            chosen => chosen,
        }
    }

    /// Inserts the row of this number; the caller holds a transaction.
    pub fn execute(self, connection: &Connection, number: i64, data: &[u8]) -> rusqlite::Result<()> {
        match self {
            Insert::Entry => {
                connection.prepare_cached("insert into entry (data) values (?1)")?.execute([data])?;
            }
            Insert::Ref | Insert::ByPath => {
                let sql = "insert into git_ref (repo_id, name, target, kind) values (1, ?1, ?2, 'commit')";
                let name = format!("refs/heads/inserted/{number:08}");
                connection.prepare_cached(sql)?.execute((name, [7_u8; 20]))?;
            }
            Insert::Comment => {
                let sql = "insert into review_comment (repo_id, pull_id, review_id, thread_id, author_id, pending, \
                           body, created_at, updated_at) values (1, 1, 1, 1, 1, 0, ?1, ?2, ?2)";
                let body = str::from_utf8(data).unwrap_or_default();
                connection.prepare_cached(sql)?.execute((body, number / 10_000))?;
            }
        }
        Ok(())
    }
}
