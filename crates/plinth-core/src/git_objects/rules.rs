//! Validation of new objects.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Encoding, NewBlob, NewEntry, Person};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_git::{Date, EntryMode, Identity, ObjectKind, Reader, TreeChange, TreeEdit};

/// Parses an object id.
pub fn check_sha(text: &str) -> Result<Sha> {
    text.parse()
        .map_err(|_| Error::unprocessable("The SHA parameter must be exactly 40 characters and contain only [0-9a-f]."))
}

/// The bytes of a new blob.
pub fn content_of(new: NewBlob) -> Result<Vec<u8>> {
    match new.encoding {
        Encoding::Utf8 => Ok(new.content.into_bytes()),
        Encoding::Base64 => {
            let text: String = new.content.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
            STANDARD.decode(text).map_err(|_| Error::unprocessable("content is not valid Base64"))
        }
    }
}

/// The tree with this id, or the tree of the commit or tag with this id.
pub fn find_tree_of(reader: &Reader<'_>, sha: &Sha) -> Result<Option<Sha>> {
    match reader.peel(sha)? {
        Some((sha, ObjectKind::Tree)) => Ok(Some(sha)),
        Some((sha, ObjectKind::Commit)) => Ok(reader.find_commit(&sha)?.map(|commit| commit.tree_id)),
        Some((_, ObjectKind::Blob | ObjectKind::Tag)) | None => Ok(None),
    }
}

/// The changes of a new tree on top of its base.
pub fn edit_of(reader: &Reader<'_>, base_tree: Option<&str>, entries: Vec<NewEntry>) -> Result<TreeEdit> {
    let mut edit = match base_tree {
        None => TreeEdit::from_empty(),
        Some(text) => {
            let found = text.parse().ok().map(|sha| find_tree_of(reader, &sha)).transpose()?.flatten();
            TreeEdit::from_base(found.ok_or_else(|| Error::unprocessable("base_tree is not a valid tree oid"))?)
        }
    };
    for entry in entries {
        let path = entry.path.clone();
        edit.change(&path, change_of(reader, entry)?)?;
    }
    Ok(edit)
}

fn change_of(reader: &Reader<'_>, entry: NewEntry) -> Result<TreeChange> {
    let mode = entry.mode.as_deref().and_then(EntryMode::parse);
    let valid_mode = || mode.ok_or_else(|| Error::unprocessable("Must supply a valid tree.mode"));
    match (entry.sha, entry.content) {
        (Some(None), None) => Ok(TreeChange::Delete),
        (Some(Some(text)), None) => {
            let mode = valid_mode()?;
            let sha = find_entry_target(reader, &text, mode)?;
            Ok(TreeChange::Put { mode, sha })
        }
        (None, Some(content)) => Ok(TreeChange::Write { mode: valid_mode()?, content: content.into_bytes() }),
        (Some(_), Some(_)) => Err(Error::unprocessable("Must supply either tree.sha or tree.content, not both")),
        (None, None) => Err(Error::unprocessable("Must supply tree.sha or tree.content")),
    }
}

/// The commit of a submodule is in another repository, so its existence is not checked.
fn find_entry_target(reader: &Reader<'_>, text: &str, mode: EntryMode) -> Result<Sha> {
    let kind = mode.object_kind();
    let invalid = || Error::unprocessable(format!("tree.sha {text} is not a valid {kind}"));
    let sha: Sha = text.parse().map_err(|_| invalid())?;
    if mode != EntryMode::Submodule && reader.kind_of(&sha)? != Some(kind) {
        return Err(invalid());
    }
    Ok(sha)
}

/// Checks the tree of a new commit.
pub fn check_tree(reader: &Reader<'_>, text: &str) -> Result<Sha> {
    find_kind(reader, text, ObjectKind::Tree)?.ok_or_else(|| Error::unprocessable("Tree SHA does not exist"))
}

/// Checks a parent of a new commit.
pub fn check_parent(reader: &Reader<'_>, text: &str) -> Result<Sha> {
    let invalid = || Error::unprocessable("Parent SHA does not exist or is not a commit object");
    find_kind(reader, text, ObjectKind::Commit)?.ok_or_else(invalid)
}

/// Checks the target of a new tag.
pub fn check_tagged(reader: &Reader<'_>, text: &str, kind: ObjectKind) -> Result<Sha> {
    let invalid = || Error::unprocessable(format!("object {text} does not exist or is not a {kind}"));
    find_kind(reader, text, kind)?.ok_or_else(invalid)
}

fn find_kind(reader: &Reader<'_>, text: &str, kind: ObjectKind) -> Result<Option<Sha>> {
    let Ok(sha) = text.parse() else { return Ok(None) };
    Ok((reader.kind_of(&sha)? == Some(kind)).then_some(sha))
}

/// The identity of a person; missing values come from `caller`.
pub fn identity(sent: Option<Person>, caller: &Identity) -> Result<Identity> {
    let Some(sent) = sent else { return Ok(caller.clone()) };
    let date = match &sent.date {
        None => caller.date,
        Some(text) => {
            parse_date(text).ok_or_else(|| Error::unprocessable(format!("{text} is not a valid date-time.")))?
        }
    };
    Ok(Identity {
        name: sent.name.unwrap_or_else(|| caller.name.clone()),
        email: sent.email.unwrap_or_else(|| caller.email.clone()),
        date,
    })
}

/// A time with its UTC offset, which git stores.
fn parse_date(text: &str) -> Option<Date> {
    let seconds = Timestamp::parse(text)?.0;
    let offset = text.len().checked_sub(6).and_then(|start| text.get(start..)).unwrap_or_default();
    let sign = match offset.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return Some(Date::utc(seconds)),
    };
    let (hours, minutes) = offset[1..].split_once(':')?;
    let minutes: i32 = hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?;
    Some(Date { seconds, offset_minutes: sign * minutes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_date_keeps_the_offset() {
        let date = |text: &str| parse_date(text).map(|date| date.to_string());
        assert_eq!(date("2026-03-10T08:09:10Z").as_deref(), Some("1773130150 +0000"));
        assert_eq!(date("2026-03-10T10:09:10+02:00").as_deref(), Some("1773130150 +0200"));
        assert_eq!(date("2026-03-10T03:39:10-04:30").as_deref(), Some("1773130150 -0430"));
        assert_eq!(date("2026-03-10"), None);
        assert_eq!(date("ü"), None);
    }

    #[test]
    fn base64_content_may_have_line_ends() {
        let blob = |content: &str| content_of(NewBlob { content: content.into(), encoding: Encoding::Base64 });
        assert_eq!(blob("aGVs\nbG8=\r\n").expect("good"), b"hello");
        assert!(blob("aGVsbG8").is_err() && blob("*").is_err());
    }
}
