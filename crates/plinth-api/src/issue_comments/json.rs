//! Comments on issues on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::json::User;
use crate::negotiation::Media;
use crate::pulls::json::user;
use crate::review_comments::json::Reactions;
use crate::wire::Word;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{IssueCommentId, NodeId};
use plinth_base::urls::Part::{Fixed, Number};
use plinth_base::urls::{Url, Urls};
use plinth_core::pulls::model::Association;
use plinth_core::repos::Repo;
use plinth_markdown::Rendered;

/// A comment with everything that its JSON needs.
pub struct Ready {
    pub comment: plinth_core::issue_comments::IssueComment,
    pub rendered: Option<Arc<Rendered>>,
}

/// A comment on an issue or a pull request.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "issue-comment")]
pub struct IssueComment<'a> {
    url: Url<'a>,
    html_url: Url<'a>,
    /// The issue, also for a pull request.
    issue_url: Url<'a>,
    id: IssueCommentId,
    node_id: String,
    /// The author.
    user: Option<User<'a>>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Markdown; not with `text` and `html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    /// Only with `text` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_text: Option<&'a str>,
    /// Only with `html` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_html: Option<&'a str>,
    author_association: Word<Association>,
    reactions: Reactions<'a>,
    performed_via_github_app: Option<()>,
}

impl<'a> IssueComment<'a> {
    pub fn new(ready: &'a Ready, media: Media, repo: &'a Repo, urls: &'a Urls) -> Self {
        let Ready { comment, rendered } = ready;
        let rendered = rendered.as_deref();
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        let url = urls.issue_comment(owner, name, comment.id);
        let page = match comment.is_pull {
            true => urls.pull_page(owner, name, comment.number),
            false => urls.issue_page(owner, name, comment.number),
        };
        Self {
            url,
            html_url: page.then(Fixed("#issuecomment-")).then(Number(comment.id.0)),
            issue_url: urls.issue(owner, name, comment.number),
            id: comment.id,
            node_id: NodeId::new("IC", 0).number(repo.id.0).number(comment.id.0).finish(),
            user: user(&comment.author, urls),
            created_at: comment.created_at,
            updated_at: comment.updated_at,
            body: media.shows_body().then_some(&comment.body),
            body_text: rendered.filter(|_| media.shows_text()).map(|rendered| rendered.text.as_str()),
            body_html: rendered.filter(|_| media.shows_html()).map(|rendered| rendered.html.as_str()),
            author_association: Word(comment.author.association),
            reactions: Reactions::none(url),
            performed_via_github_app: None,
        }
    }
}
