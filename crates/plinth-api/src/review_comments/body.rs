//! Bodies of the operations on review comments.

use schemars::JsonSchema;

use super::json::SubjectType;
use crate::request::shape::{Fields, FromJson, from_json};
use crate::wire::{Word, Words};
use plinth_base::ids::CommentId;
use plinth_core::pulls::threads::{side_name, side_of};
use plinth_core::review_comments::{At, DraftComment, NewComment, Subject};
use plinth_git::diff::Side;

/// A new thread, or a reply to a comment.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub enum CreateCommentBody {
    Thread(ThreadBody),
    Reply(ReplyToBody),
}

impl FromJson for CreateCommentBody {
    /// With `in_reply_to`, all keys but `body` are ignored.
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        if fields.has("in_reply_to") {
            return ReplyToBody::from_json(fields).map(Self::Reply);
        }
        ThreadBody::from_json(fields).map(Self::Thread)
    }
}

impl From<CreateCommentBody> for NewComment {
    fn from(body: CreateCommentBody) -> Self {
        match body {
            CreateCommentBody::Thread(ThreadBody { body, commit_id, path, at: PositionBody { at, .. } }) => {
                Self::Start { body, subject: Subject { commit_id, path, at } }
            }
            CreateCommentBody::Reply(ReplyToBody { body, in_reply_to }) => {
                Self::Reply { body, in_reply_to: CommentId(in_reply_to) }
            }
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline, extend("dependentRequired" = { "start_line": ["start_side"] }))]
pub struct ThreadBody {
    /// Markdown.
    body: String,
    /// The commit to comment on.
    commit_id: String,
    /// The file.
    path: String,
    #[serde(flatten)]
    #[schemars(with = "PositionFields")]
    at: PositionBody,
}

impl FromJson for ThreadBody {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let (body, commit_id, path) = (fields.field("body"), fields.field("commit_id"), fields.field("path"));
        let at = PositionBody::from_json(fields);
        if at.as_ref().is_some_and(PositionBody::lacks_start_side) {
            return fields.violation_here("\"start_side\" wasn't supplied.");
        }
        Some(Self { body: body?, commit_id: commit_id?, path: path?, at: at? })
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct ReplyToBody {
    /// Markdown.
    body: String,
    /// The comment to reply to.
    in_reply_to: i64,
}
from_json!(ReplyToBody { body, in_reply_to });

/// A comment of a new review.
#[derive(JsonSchema)]
#[schemars(inline)]
pub struct DraftCommentBody {
    path: String,
    /// Markdown.
    body: String,
    #[serde(flatten)]
    #[schemars(with = "PositionFields")]
    at: PositionBody,
}

impl FromJson for DraftCommentBody {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let (body, path, at) = (fields.field("body"), fields.field("path"), PositionBody::from_json(fields));
        Some(Self { body: body?, path: path?, at: at? })
    }
}

impl From<DraftCommentBody> for DraftComment {
    fn from(comment: DraftCommentBody) -> Self {
        Self { body: comment.body, path: comment.path, at: comment.at.at }
    }
}

/// The text of a comment, for operations that take nothing else.
#[derive(JsonSchema)]
#[schemars(inline)]
pub struct TextBody {
    /// Markdown.
    pub body: String,
}
from_json!(TextBody { body });

/// The keys that say where in the diff a comment is.
#[derive(JsonSchema)]
#[schemars(inline)]
struct PositionFields {
    /// The line, or the last line of a range.
    line: Option<i64>,
    /// The first line of a range.
    start_line: Option<i64>,
    /// Lines below the first hunk header of the file; `line` is the newer alternative.
    position: Option<i64>,
    /// The side of `line`: `LEFT` for deleted lines, `RIGHT` for all others.
    side: Option<Word<Side>>,
    /// The side of `start_line`; `side` means that of `line`.
    start_side: Option<Word<StartSide>>,
    subject_type: Option<Word<SubjectType>>,
}
from_json!(PositionFields { line, start_line, position, side, start_side, subject_type });

/// The side of a range's first line; `side` means that of its last line.
#[derive(Debug, Clone, Copy)]
enum StartSide {
    Of(Side),
    OfLastLine,
}

impl Words for StartSide {
    const ALL: &'static [Self] = &[StartSide::Of(Side::Left), StartSide::Of(Side::Right), StartSide::OfLastLine];

    fn word(self) -> &'static str {
        match self {
            StartSide::Of(side) => side_name(side),
            StartSide::OfLastLine => "side",
        }
    }

    fn from_word(text: &str) -> Option<Self> {
        match side_of(text) {
            Some(side) => Some(StartSide::Of(side)),
            None => text.eq_ignore_ascii_case("side").then_some(StartSide::OfLastLine),
        }
    }
}

/// Where a comment is in the diff: a file, a position or lines.
struct PositionBody {
    at: At,
    has_start_side: bool,
}

impl PositionBody {
    fn lacks_start_side(&self) -> bool {
        matches!(self.at, At::Line { start: Some(_), .. }) && !self.has_start_side
    }
}

impl FromJson for PositionBody {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let read = PositionFields::from_json(fields)?;
        if read.subject_type == Some(Word(SubjectType::File)) {
            return Some(Self { at: At::File, has_start_side: false });
        }
        let side = read.side.map_or(Side::Right, |Word(side)| side);
        let has_start_side = read.start_side.is_some();
        let start_side = match read.start_side {
            Some(Word(StartSide::Of(side))) => side,
            Some(Word(StartSide::OfLastLine)) | None => side,
        };
        match (read.line, read.position) {
            (Some(line), None) => {
                let start = read.start_line.map(|line| (start_side, line));
                Some(Self { at: At::Line { side, line, start }, has_start_side })
            }
            (None, Some(position)) => Some(Self { at: At::Position(position), has_start_side }),
            (Some(_), Some(_)) => fields.violation_here("More than one subschema in \"oneOf\" matched."),
            (None, None) => {
                fields.violation_here::<()>("No subschema in \"oneOf\" matched.");
                for name in ["positioning", "position", "in_reply_to"] {
                    fields.violation_here::<()>(format!("\"{name}\" wasn't supplied."));
                }
                None
            }
        }
    }
}
