//! What clients send to write comments.

use crate::request::shape::{Fields, FromJson};
use plinth_base::ids::CommentId;
use plinth_core::pulls::threads::side_of;
use plinth_core::review_comments::At;
use plinth_core::review_comments::DraftComment;
use plinth_core::review_comments::NewComment;
use plinth_core::review_comments::Subject;
use plinth_core::review_comments::Text;
use plinth_git::diff::Side;

impl FromJson for NewComment {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let body = fields.required("body");
        if fields.has("in_reply_to") {
            let in_reply_to = fields.required("in_reply_to")?;
            return Some(Self::Reply { body: body?, in_reply_to: CommentId(in_reply_to) });
        }
        let commit_id = fields.required("commit_id");
        let (path, at) = (fields.required("path"), read_at(fields));
        let subject = Subject { commit_id: commit_id?, path: path?, at: at? };
        Some(Self::Start { body: body?, subject })
    }
}

impl FromJson for DraftComment {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let (body, path, at) = (fields.required("body"), fields.required("path"), read_at(fields));
        Some(Self { body: body?, path: path?, at: at? })
    }
}

fn read_at(fields: &mut Fields<'_>) -> Option<At> {
    let (line, start_line) = (fields.optional::<i64>("line"), fields.optional::<i64>("start_line"));
    let position = fields.optional::<i64>("position");
    let side = read_side(fields, "side", &["LEFT", "RIGHT"]);
    let start_side = read_side(fields, "start_side", &["LEFT", "RIGHT", "side"]);
    let subject_type = fields.optional::<String>("subject_type");
    if let Some(Some(word)) = &subject_type {
        fields.choice("subject_type", word, &["line", "file"])?;
    }
    let (line, start_line, position) = (line?, start_line?, position?);
    let (side, start_side) = (side?.unwrap_or(Side::Right), start_side?);
    if subject_type?.as_deref() == Some("file") {
        return Some(At::File);
    }
    match (line, position) {
        (Some(line), None) => {
            let start = start_line.map(|line| (start_side.unwrap_or(side), line));
            Some(At::Line { side, line, start })
        }
        (None, Some(position)) => Some(At::Position(position)),
        (Some(_), Some(_)) => {
            fields.violation_here("More than one subschema in \"oneOf\" matched.");
            None
        }
        (None, None) => {
            fields.violation_here("No subschema in \"oneOf\" matched.");
            for name in ["positioning", "position", "in_reply_to"] {
                fields.violation_here(format!("\"{name}\" wasn't supplied."));
            }
            None
        }
    }
}

/// `None` only where the field is there and wrong. The word `side` for a start means the side of the end.
fn read_side(fields: &mut Fields<'_>, name: &'static str, words: &[&str]) -> Option<Option<Side>> {
    let Some(word) = fields.optional::<String>(name)? else { return Some(None) };
    match side_of(&word) {
        Some(side) => Some(Some(side)),
        None if name == "start_side" && word.eq_ignore_ascii_case("side") => Some(None),
        None => {
            fields.choice(name, &word, words)?;
            None
        }
    }
}

impl FromJson for Text {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self { body: fields.required("body")? })
    }
}
