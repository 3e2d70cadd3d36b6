//! The members of a group of writes, which share one transaction on one connection: how each begins, and how what it has done is
//! undone without the others.

use std::borrow::Cow;

use super::client::Client;
use super::failure::Failure;
use super::own_changes::MemberChanges;
use super::pipeline::Step;
use crate::DbError;

const BEGIN: &str = "savepoint member";
const KEEP: &str = "release savepoint member";
const UNDO: &str = "rollback to savepoint member; release savepoint member";

/// Whether a member can be undone without the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Savepoints {
    /// Only as long as it has changed nothing. Its last statements are sent with the first ones of the next member.
    None,
    /// Each member has one.
    Each,
}

impl Client {
    /// Records why the transaction cannot go on, and returns it.
    pub(super) fn fail(&mut self, error: DbError) -> DbError {
        self.write.failure.get_or_insert(Failure::of(&error));
        error
    }

    pub(super) fn begin_member(&mut self, savepoints: Savepoints) {
        self.pipeline.mark();
        self.write.has_changed = false;
        self.write.members.push(MemberChanges::default());
        if savepoints == Savepoints::Each {
            self.pipeline.push(Step::Text(Cow::Borrowed(BEGIN)));
        }
    }

    /// Keeps what a member has done. With a savepoint, that has succeeded now.
    pub(super) async fn keep_member(&mut self, savepoints: Savepoints) -> Result<(), DbError> {
        match savepoints {
            Savepoints::None => Ok(()),
            Savepoints::Each => {
                self.pipeline.push(Step::Text(Cow::Borrowed(KEEP)));
                self.flush().await
            }
        }
    }

    /// Undoes what a member has done. Returns whether that is possible.
    pub(super) async fn undo_member(&mut self, savepoints: Savepoints) -> Result<bool, DbError> {
        let was_sent = self.pipeline.is_sent_since_mark();
        self.pipeline.remove_unmarked();
        match savepoints {
            Savepoints::None => Ok(!self.write.has_changed && self.write.failure.is_none()),
            Savepoints::Each if !was_sent => Ok(true),
            Savepoints::Each => {
                self.run(async |object| object.batch_execute(UNDO).await).await?;
                self.write.failure = None;
                Ok(true)
            }
        }
    }
}
