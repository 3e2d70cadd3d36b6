//! What a limit program makes durable for each request.

use std::str::FromStr;

use crate::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// One row with the request's body.
    Insert,
    /// The rows that a comment leaves, in a store of the service.
    Comment,
}

/// All that the service writes for one comment, copied from the first comment of the seed.
const COMMENT: [&str; 6] = [
    "insert into review (repo_id, pull_id, author_id, state, body, commit_sha, created_at, submitted_at) \
     select repo_id, pull_id, author_id, state, body, commit_sha, created_at, submitted_at from review where id = 1",
    "insert into review_thread (repo_id, pull_id, version, base_sha, head_sha, old_path, new_path, path, side, line, \
     position, diff_hunk) select repo_id, pull_id, version, base_sha, head_sha, old_path, new_path, path, side, line, \
     position, diff_hunk from review_thread where id = 1",
    "insert into review_thread_place (thread_id, base_sha, head_sha, commit_sha, path, line, position) \
     select max(id), base_sha, head_sha, head_sha, path, line, position from review_thread",
    "insert into review_comment (repo_id, pull_id, review_id, thread_id, author_id, pending, body, created_at, \
     updated_at) select repo_id, pull_id, (select max(id) from review), (select max(id) from review_thread), \
     author_id, pending, body, created_at, updated_at from review_comment where id = 1",
    "update pull set review_comments = review_comments + 1, updated_at = updated_at + 1 where id = 1",
    "insert into notification (user_id, repo_id, pull_id, reason, unread, updated_at) select 2, 1, 1, 'author', 1, 1 \
     where true on conflict (user_id, pull_id) do update set unread = 1, updated_at = updated_at + 1",
];

impl Written {
    pub fn word(self) -> &'static str {
        match self {
            Written::Insert => "insert",
            Written::Comment => "comment",
        }
    }

    /// Writes it inside of a transaction.
    pub fn write(self, connection: &rusqlite::Connection, data: &[u8]) -> rusqlite::Result<()> {
        match self {
            Written::Insert => {
                connection.prepare_cached("insert into entry (data) values (?1)")?.execute([data])?;
            }
            Written::Comment => {
                for sql in COMMENT {
                    connection.prepare_cached(sql)?.execute([])?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for Written {
    type Err = String;

    fn from_str(word: &str) -> Result<Self> {
        let all = [Written::Insert, Written::Comment];
        let found = all.into_iter().find(|written| written.word() == word);
        found.ok_or_else(|| format!("`{word}` is nothing that can be written"))
    }
}
