//! What a limit program makes durable for each request: one insert.

use std::str::FromStr;

use rusqlite::Connection;

use crate::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// A row with the request's body, in a table without any index.
    Entry,
    /// A reference, in a store of the service.
    Ref,
    /// A comment, in a store of the service.
    Comment,
}

const ALL: [Written; 3] = [Written::Entry, Written::Ref, Written::Comment];

impl Written {
    pub fn word(self) -> &'static str {
        match self {
            Written::Entry => "entry",
            Written::Ref => "ref",
            Written::Comment => "comment",
        }
    }

    /// Writes the row of this number inside of a transaction.
    pub fn write(self, connection: &Connection, number: i64, data: &[u8]) -> rusqlite::Result<()> {
        match self {
            Written::Entry => {
                connection.prepare_cached("insert into entry (data) values (?1)")?.execute([data])?;
            }
            Written::Ref => {
                let sql = "insert into git_ref (repo_id, name, target, kind) values (1, ?1, ?2, 'commit')";
                let name = format!("refs/heads/limit/{number:08}");
                connection.prepare_cached(sql)?.execute((name, [7_u8; 20]))?;
            }
            Written::Comment => {
                let sql = "insert into review_comment (repo_id, pull_id, review_id, thread_id, author_id, pending, \
                           body, created_at, updated_at) values (1, 1, 1, 1, 1, 0, ?1, ?2, ?2)";
                let body = str::from_utf8(data).unwrap_or_default();
                connection.prepare_cached(sql)?.execute((body, number / 10_000))?;
            }
        }
        Ok(())
    }
}

impl FromStr for Written {
    type Err = String;

    fn from_str(word: &str) -> Result<Self> {
        let found = ALL.into_iter().find(|written| written.word() == word);
        found.ok_or_else(|| format!("`{word}` is nothing that can be written"))
    }
}
