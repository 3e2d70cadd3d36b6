//! Validation of new objects.

use super::{Encoding, NewBlob, NewEntry, Person};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Code, Error, FieldError, Result};
use plinth_base::ids::Sha;
use plinth_git::{Date, EntryMode, Identity, ObjectKind, Reader, TreeChange, TreeEdit};

/// Git's name for no object.
const NULL_SHA: Sha = Sha::from_bytes([0; 20]);

/// Parses an object id.
pub fn check_sha(text: &str) -> Result<Sha> {
    check_hex(text, "SHA")
}

fn check_hex(text: &str, parameter: &str) -> Result<Sha> {
    let invalid = || format!("The {parameter} parameter must be exactly 40 characters and contain only [0-9a-f].");
    text.parse().map_err(|_| Error::unprocessable(invalid()))
}

/// The bytes of a new blob.
pub fn content_of(new: NewBlob) -> Vec<u8> {
    match new.encoding {
        Encoding::Utf8 => new.content.into_bytes(),
        Encoding::Base64 => decode_base64(&new.content),
    }
}

/// Decodes as Ruby's `Base64.decode64` does, because clients depend on it: other characters are skipped, padding may be
/// missing, and `=` ends the text where padding may be.
fn decode_base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut digits) = (0u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if digits >= 2 => break,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        digits += 1;
        if digits == 4 {
            bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, digits) = (0, 0);
        }
    }
    // The digits of an incomplete group are its first ones.
    let group = (bits << (6 * (4 - digits))).to_be_bytes();
    let complete = if digits < 2 { 0 } else { digits - 1 };
    bytes.extend_from_slice(&group[1..=complete]);
    bytes
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
        check_path(&path)?;
        edit.change(&path, change_of(reader, entry)?)?;
    }
    Ok(edit)
}

fn check_path(path: &str) -> Result<()> {
    if path.starts_with('/') {
        return Err(Error::unprocessable("tree.path cannot start with a slash"));
    }
    if !plinth_git::is_valid_path(path) {
        return Err(Error::unprocessable("tree.path contains a malformed path component"));
    }
    Ok(())
}

fn change_of(reader: &Reader<'_>, entry: NewEntry) -> Result<TreeChange> {
    let mode = entry.mode.as_deref().and_then(EntryMode::parse);
    let valid_mode = || mode.ok_or_else(|| Error::unprocessable("Must supply a valid tree.mode"));
    match (entry.sha, entry.content) {
        (Some(None), None) => Ok(TreeChange::Delete),
        (Some(Some(text)), None) => {
            let mode = valid_mode()?;
            let sha = find_entry_target(reader, &text, mode, entry.kind)?;
            Ok(TreeChange::Put { mode, sha })
        }
        (None | Some(None), Some(content)) => {
            let mode = valid_mode()?;
            // The error for a directory is one of its own.
            if mode != EntryMode::Directory {
                check_kind(mode, entry.kind)?;
            }
            Ok(TreeChange::Write { mode, content: content.into_bytes() })
        }
        (Some(Some(_)), Some(_)) | (None, None) => Err(Error::unprocessable(
            "Must supply either tree.sha or tree.content. Request will be rejected if both are present.",
        )),
    }
}

/// The object must be of the kind that the entry names, and the mode must be one of that kind. The commit of a submodule
/// is in another repository, so its existence is not checked.
fn find_entry_target(reader: &Reader<'_>, text: &str, mode: EntryMode, kind: Option<ObjectKind>) -> Result<Sha> {
    let named = kind.unwrap_or(mode.object_kind());
    let invalid = || Error::unprocessable(format!("tree.sha {text} is not a valid {named}"));
    let sha: Sha = text.parse().map_err(|_| invalid())?;
    if named != ObjectKind::Commit && reader.kind_of(&sha)? != Some(named) {
        return Err(invalid());
    }
    check_kind(mode, kind)?;
    // A clone of a tree that names the null id fails.
    if sha == NULL_SHA { Err(bad_object_state()) } else { Ok(sha) }
}

fn check_kind(mode: EntryMode, kind: Option<ObjectKind>) -> Result<()> {
    if kind.is_none_or(|kind| kind == mode.object_kind()) { Ok(()) } else { Err(bad_object_state()) }
}

/// What clients know as an entry that git cannot have.
fn bad_object_state() -> Error {
    Error::unprocessable("GitRPC::BadObjectState")
}

/// Checks the tree of a new commit.
pub fn check_tree(reader: &Reader<'_>, text: &str) -> Result<Sha> {
    check_hex(text, "tree")?;
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

/// The identity of a person in the given role; missing values come from `caller`.
pub fn identity(role: &'static str, sent: Option<Person>, caller: &Identity) -> Result<Identity> {
    let Some(sent) = sent else { return Ok(caller.clone()) };
    let date = match &sent.date {
        None => caller.date,
        Some(text) => {
            parse_date(text).ok_or_else(|| Error::Shape(vec![format!("{text} is not a valid date-time.")]))?
        }
    };
    let is_empty = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
    let empty: Vec<FieldError> = [("name", is_empty(&sent.name)), ("email", is_empty(&sent.email))]
        .into_iter()
        .filter(|(_, is_empty)| *is_empty)
        .map(|(field, _)| FieldError::new(role, field, Code::MissingField))
        .collect();
    if !empty.is_empty() {
        return Err(Error::Invalid(empty));
    }
    Ok(Identity {
        name: sent.name.unwrap_or_else(|| caller.name.clone()),
        email: sent.email.unwrap_or_else(|| caller.email.clone()),
        date,
    })
}

/// A time with its UTC offset, which git stores. Git has no times before 1970, so they become 1970.
fn parse_date(text: &str) -> Option<Date> {
    let seconds = Timestamp::parse(text)?.0.max(0);
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
        assert_eq!(date("1932-11-02T15:05:10+08:00").as_deref(), Some("0 +0800"));
        assert_eq!(date("2026-03-10"), None);
        assert_eq!(date("ü"), None);
    }

    #[test]
    fn base64_is_decoded_leniently() {
        for (text, content) in [
            ("aGVs\nbG8=\r\n", &b"hello"[..]),
            ("aGVsbG8", b"hello"),
            ("aGVsbG8h", b"hello!"),
            ("", b""),
            ("*", b""),
            ("a", b""),
            ("abcde", b"i\xb7\x1d"),
            ("a=b=cdefg", b"i"),
            ("abcd=efg", b"i\xb7\x1dy\xf8"),
        ] {
            assert_eq!(decode_base64(text), content, "{text}");
        }
    }
}
