//! Review comments on the wire.

use plinth_core::pulls::threads::Position;
use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::json::User;
use crate::negotiation::Media;
use crate::pulls::json::{Link, user};
use crate::wire::{Word, Words, words};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{CommentId, NodeId, ReviewId, Sha};
use plinth_base::urls::Part::{Fixed, Number};
use plinth_base::urls::{Url, Urls};
use plinth_core::pulls::model::Association;
use plinth_core::pulls::threads::{side_name, side_of};
use plinth_core::repos::Repo;
use plinth_core::review_comments::model::Comment;
use plinth_git::diff::Side;
use plinth_markdown::Rendered;

impl Words for Side {
    const ALL: &'static [Self] = &[Side::Left, Side::Right];

    fn word(self) -> &'static str {
        side_name(self)
    }

    /// Clients send it in lower case, too.
    fn from_word(text: &str) -> Option<Self> {
        side_of(text)
    }
}

/// A comment about a whole file is shown at its first line.
const FILE_LINE: i64 = 1;

/// A comment with everything that its JSON needs.
pub struct Ready {
    pub comment: Comment,
    pub position: Position,
    pub rendered: Option<Arc<Rendered>>,
}

/// A comment on a pull request's diff.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "review-comment")]
pub struct ReviewComment<'a> {
    url: Url<'a>,
    /// The review that it is part of.
    pull_request_review_id: ReviewId,
    id: CommentId,
    node_id: String,
    /// The hunk, down to the line of the comment.
    diff_hunk: Cow<'a, str>,
    path: &'a str,
    /// The head of the pull request, or the last commit that the comment applies to.
    commit_id: Sha,
    /// The commit that was commented on.
    original_commit_id: Sha,
    /// The author.
    user: Option<User<'a>>,
    /// Markdown; not with `text` and `html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    /// Only with `text` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_text: Option<&'a str>,
    /// Only with `html` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_html: Option<&'a str>,
    created_at: Timestamp,
    updated_at: Timestamp,
    html_url: Url<'a>,
    pull_request_url: Url<'a>,
    author_association: Word<Association>,
    _links: Links<'a>,
    reactions: Reactions<'a>,
    /// The first line of a range.
    start_line: Option<i64>,
    original_start_line: Option<i64>,
    #[schemars(with = "Option<Word<Side>>")]
    start_side: Option<&'a str>,
    /// Null if the line is gone.
    line: Option<i64>,
    original_line: Option<i64>,
    #[schemars(with = "Word<Side>")]
    side: &'a str,
    /// The first comment of the thread; absent on that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_reply_to_id: Option<CommentId>,
    original_position: Option<i64>,
    /// Lines below the first hunk header of the file. Null if the line is gone.
    position: Option<i64>,
    subject_type: Word<SubjectType>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Links<'a> {
    #[serde(rename = "self")]
    own: Link<'a>,
    html: Link<'a>,
    pull_request: Link<'a>,
}

/// Counts of reactions, which this service does not have.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "reactions")]
pub struct Reactions<'a> {
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

/// What a comment is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectType {
    Line,
    File,
}

words! { SubjectType: Line, File }

impl SubjectType {
    fn as_str(self) -> &'static str {
        match self {
            SubjectType::Line => "line",
            SubjectType::File => "file",
        }
    }
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
            body: media.shows_body().then_some(&comment.body),
            body_text: rendered.filter(|_| media.shows_text()).map(|rendered| rendered.text.as_str()),
            body_html: rendered.filter(|_| media.shows_html()).map(|rendered| rendered.html.as_str()),
            created_at: comment.created_at,
            updated_at: comment.updated_at,
            html_url: page,
            pull_request_url: pull_url,
            author_association: Word(comment.author.association),
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
            subject_type: Word(if about_file { SubjectType::File } else { SubjectType::Line }),
        }
    }
}

impl<'a> Reactions<'a> {
    pub fn none(comment: Url<'a>) -> Self {
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

/// A hunk as text. Hunks are long and nearly always UTF-8, which is checked faster than it is repaired.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
