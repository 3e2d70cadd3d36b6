//! Threads on the wire. GitHub has them in GraphQL only; the keys have the names of the fields there.

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::json::User;
use crate::pulls::json::user_of;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{CommentId, NodeId, RepoId};
use plinth_base::urls::{Url, Urls};
use plinth_core::repos::Repo;
use plinth_core::review_comments::resolutions::model::Resolution;

/// A thread of review comments.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "review-thread")]
pub struct ReviewThread<'a> {
    node_id: String,
    pull_request_url: Url<'a>,
    /// The first comment, to which the others are replies.
    comment_id: CommentId,
    comment_url: Url<'a>,
    is_resolved: bool,
    /// Null if the thread is not resolved.
    resolved_at: Option<Timestamp>,
    /// Null also if the account was deleted.
    resolved_by: Option<User<'a>>,
}

impl<'a> ReviewThread<'a> {
    pub fn new(found: &'a Resolution, repo: &'a Repo, urls: &'a Urls) -> Self {
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        Self {
            node_id: node_id(repo.id, found.thread),
            pull_request_url: urls.pull(owner, name, found.pull_number),
            comment_id: found.comment,
            comment_url: urls.review_comment(owner, name, found.comment),
            is_resolved: found.resolved_at.is_some(),
            resolved_at: found.resolved_at,
            resolved_by: found.resolved_by.as_ref().map(|account| user_of(account, urls)),
        }
    }
}

/// The node id of a thread, which its events have, too.
pub fn node_id(repo: RepoId, thread: i64) -> String {
    NodeId::new("PRRT", 0).number(repo.0).number(thread).finish()
}
