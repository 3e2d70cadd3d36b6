//! Issues and pull requests by their numbers.

use crate::access::{Grant, Kind};
use crate::tokens::{Level, Principal};
use plinth_base::error::{Error, Result};
use plinth_base::ids::{IssueId, RepoId};
use plinth_store::from_row;

/// An issue or a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversation {
    pub id: IssueId,
    pub repo_id: RepoId,
    pub number: i64,
    pub is_pull: bool,
}

from_row!(Conversation { id, repo_id, number, is_pull });

/// The permission `pull_requests` is enough for pull requests; an issue takes `issues`.
pub fn check_permission(
    conversation: &Conversation,
    caller: &Principal,
    grant: &Grant,
    (level, is_public): (Level, bool),
) -> Result<()> {
    let Grant::Inside(permissions) = grant else { return Ok(()) };
    let is_free = level == Level::Read && is_public;
    if conversation.is_pull || is_free || permissions.allows("issues", level) {
        return Ok(());
    }
    Err(Error::Forbidden(Kind::of(caller).rejection().into()))
}
