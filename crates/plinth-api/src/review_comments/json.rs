//! Review comments as clients see them.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use crate::accounts::json::User;
use crate::negotiation::Media;
use crate::pulls::json::{Link, user};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{CommentId, NodeId, ReviewId, Sha};
use plinth_base::urls::Part::{Fixed, Number};
use plinth_base::urls::{Url, Urls};
use plinth_core::pulls::threads::Position;
use plinth_core::repos::Repo;
use plinth_core::review_comments::model::Comment;
use plinth_markdown::Rendered;

/// A comment about a whole file stands at its first line.
const FILE_LINE: i64 = 1;

/// A comment with all that is needed to show it.
pub struct Ready {
    pub comment: Comment,
    pub position: Position,
    pub rendered: Option<Arc<Rendered>>,
}

#[derive(Serialize)]
pub struct ReviewComment<'a> {
    url: Url<'a>,
    pull_request_review_id: ReviewId,
    id: CommentId,
    node_id: String,
    diff_hunk: Cow<'a, str>,
    path: &'a str,
    commit_id: Sha,
    original_commit_id: Sha,
    user: Option<User<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_html: Option<&'a str>,
    created_at: Timestamp,
    updated_at: Timestamp,
    html_url: Url<'a>,
    pull_request_url: Url<'a>,
    author_association: &'static str,
    _links: Links<'a>,
    reactions: Reactions<'a>,
    start_line: Option<i64>,
    original_start_line: Option<i64>,
    start_side: Option<&'a str>,
    line: Option<i64>,
    original_line: Option<i64>,
    side: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_reply_to_id: Option<CommentId>,
    original_position: Option<i64>,
    position: Option<i64>,
    subject_type: &'static str,
}

#[derive(Serialize)]
struct Links<'a> {
    #[serde(rename = "self")]
    own: Link<'a>,
    html: Link<'a>,
    pull_request: Link<'a>,
}

/// Reactions are counted by clients and kept by nobody yet.
#[derive(Serialize)]
struct Reactions<'a> {
    url: Url<'a>,
    total_count: i64,
    #[serde(rename = "+1")]
    plus_one: i64,
    #[serde(rename = "-1")]
    minus_one: i64,
    laugh: i64,
    hooray: i64,
    confused: i64,
    heart: i64,
    rocket: i64,
    eyes: i64,
}

impl<'a> ReviewComment<'a> {
    pub fn new(ready: &'a Ready, media: Media, repo: &'a Repo, urls: &'a Urls) -> Self {
        let Ready { comment, position, rendered } = ready;
        let thread = &comment.thread;
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        let url = urls.review_comment(owner, name, comment.id);
        let page =
            urls.pull_page(owner, name, comment.pull_number).then(Fixed("#discussion_r")).then(Number(comment.id.0));
        let pull_url = urls.pull(owner, name, comment.pull_number);
        let about_file = thread.is_about_file();
        let first_line = about_file.then_some(FILE_LINE);
        let location = position.location.as_ref();
        let rendered = rendered.as_deref();
        Self {
            url,
            pull_request_review_id: comment.review_id,
            id: comment.id,
            node_id: NodeId::new("PRRC", 0).number(repo.id.0).number(comment.id.0).finish(),
            diff_hunk: text(&thread.diff_hunk),
            path: location.map_or(&thread.path, |location| &location.path),
            commit_id: position.commit,
            original_commit_id: thread.head_sha,
            user: user(&comment.author, urls),
            body: shows_body(media).then_some(&comment.body),
            body_text: rendered.filter(|_| shows_text(media)).map(|rendered| rendered.text.as_str()),
            body_html: rendered.filter(|_| shows_html(media)).map(|rendered| rendered.html.as_str()),
            created_at: comment.created_at,
            updated_at: comment.updated_at,
            html_url: page,
            pull_request_url: pull_url,
            author_association: comment.author.association.as_str(),
            _links: Links { own: Link { href: url }, html: Link { href: page }, pull_request: Link { href: pull_url } },
            reactions: Reactions::none(url),
            start_line: location.and_then(|location| location.start_line),
            original_start_line: thread.start_line,
            start_side: match location {
                Some(location) => location.start_side,
                None => thread.start_side.as_deref(),
            },
            line: location.and_then(|location| location.line.or(first_line)),
            original_line: thread.line.or(first_line),
            side: thread.side.as_deref().unwrap_or("RIGHT"),
            in_reply_to_id: comment.in_reply_to_id,
            original_position: thread.position.or(first_line),
            position: location.and_then(|location| location.position.or(first_line)),
            subject_type: if about_file { "file" } else { "line" },
        }
    }
}

impl<'a> Reactions<'a> {
    fn none(comment: Url<'a>) -> Self {
        Self {
            url: comment.then(Fixed("/reactions")),
            total_count: 0,
            plus_one: 0,
            minus_one: 0,
            laugh: 0,
            hooray: 0,
            confused: 0,
            heart: 0,
            rocket: 0,
            eyes: 0,
        }
    }
}

/// Hunks are long and nearly always text, which is found out much faster than what is wrong with it.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Whether an answer has the text as it was written.
pub fn shows_body(media: Media) -> bool {
    !matches!(media, Media::Text | Media::Html)
}

/// Whether an answer has the text without markup.
pub fn shows_text(media: Media) -> bool {
    matches!(media, Media::Text | Media::Full)
}

/// Whether an answer has the text as HTML.
pub fn shows_html(media: Media) -> bool {
    matches!(media, Media::Html | Media::Full)
}

/// Whether an answer needs the text rendered.
pub fn shows_rendered(media: Media) -> bool {
    shows_text(media) || shows_html(media)
}
