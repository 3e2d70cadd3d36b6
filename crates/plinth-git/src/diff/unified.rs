//! The diff of two commits as text, as `git diff` prints it.

use super::binary::{self, BinaryFiles};
use super::change::{FileChange, Status};
use super::entry::Entry;
use super::file::FileDiff;
use super::source::Source;
use super::tree::changes;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

/// A longer text is an error: nobody reads it, and it would fill the memory.
const TEXT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Memory for each byte of a text: it grows by doubling.
const MEMORY_PER_BYTE: usize = 2;

/// The text of `git diff -M old new`, of two commits or trees; with binary files included, that of `git diff -M --binary`.
pub fn unified(repo: &dyn Source, old: &Sha, new: &Sha, binary: BinaryFiles) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    for change in changes(repo, old, new)? {
        let before = text.len();
        match change.status() {
            // Content of different types is not compared: one file is deleted and another one added.
            Status::TypeChanged => {
                write_file(repo, &FileChange { new: None, ..change.clone() }, binary, &mut text)?;
                write_file(repo, &FileChange { old: None, ..change }, binary, &mut text)?;
            }
            Status::Added | Status::Deleted | Status::Modified | Status::Renamed => {
                write_file(repo, &change, binary, &mut text)?;
            }
        }
        if text.len() > TEXT_BYTES_MAX {
            return Err(Error::OverBudget("The diff is too large to be shown as text."));
        }
        repo.budget().retain((MEMORY_PER_BYTE * (text.len() - before)) as u64)?;
    }
    Ok(text)
}

fn write_file(repo: &dyn Source, change: &FileChange, binary: BinaryFiles, text: &mut Vec<u8>) -> Result<()> {
    let (Some(old), Some(new)) =
        (change.old.as_ref().or(change.new.as_ref()), change.new.as_ref().or(change.old.as_ref()))
    else {
        return Ok(());
    };
    let (old_name, new_name) = (quoted_path("a/", &old.path), quoted_path("b/", &new.path));
    put(text, &[b"diff --git ", &old_name, b" ", &new_name]);
    write_modes(change, text);
    if change.status() == Status::Renamed {
        put(text, &[format!("similarity index {}%", change.similarity()).as_bytes()]);
        put(text, &[b"rename from ", &quoted_path("", &old.path)]);
        put(text, &[b"rename to ", &quoted_path("", &new.path)]);
    }
    let diff = FileDiff::of(repo, change)?;
    let is_included = diff.is_binary() && binary == BinaryFiles::Included;
    if change.old.as_ref().map(|entry| entry.id) != change.new.as_ref().map(|entry| entry.id) {
        write_index(repo, change, is_included, text)?;
    }

    let old_name = change.old.as_ref().map_or(b"/dev/null".to_vec(), |_| old_name);
    let new_name = change.new.as_ref().map_or(b"/dev/null".to_vec(), |_| new_name);
    if is_included {
        binary::write_contents(repo, change, text)?;
    } else if diff.is_binary() {
        put(text, &[b"Binary files ", &old_name, b" and ", &new_name, b" differ"]);
    } else if !diff.hunks().is_empty() {
        put(text, &[b"--- ", &old_name, tail(&old_name)]);
        put(text, &[b"+++ ", &new_name, tail(&new_name)]);
        text.extend_from_slice(diff.hunks());
    }
    Ok(())
}

fn write_modes(change: &FileChange, text: &mut Vec<u8>) {
    match (&change.old, &change.new) {
        (None, Some(new)) => put(text, &[b"new file mode ", new.mode.octal().as_bytes()]),
        (Some(old), None) => put(text, &[b"deleted file mode ", old.mode.octal().as_bytes()]),
        (Some(old), Some(new)) if old.mode != new.mode => {
            put(text, &[b"old mode ", old.mode.octal().as_bytes()]);
            put(text, &[b"new mode ", new.mode.octal().as_bytes()]);
        }
        (Some(_), Some(_)) | (None, None) => {}
    }
}

/// Contents that are included have their whole names, so that whoever applies the patch can check them.
fn write_index(repo: &dyn Source, change: &FileChange, is_whole: bool, text: &mut Vec<u8>) -> Result<()> {
    let name = |entry: Option<&Entry>| {
        let id = entry.map_or(Sha::from_bytes([0; 20]), |entry| entry.id);
        if is_whole { Ok(id.to_string()) } else { repo.abbreviation(&id) }
    };
    let (old, new) = (name(change.old.as_ref())?, name(change.new.as_ref())?);
    put(text, &[b"index ", old.as_bytes(), b"..", new.as_bytes(), same_mode(change).as_bytes()]);
    Ok(())
}

fn same_mode(change: &FileChange) -> String {
    match (&change.old, &change.new) {
        (Some(old), Some(new)) if old.mode == new.mode => format!(" {}", new.mode.octal()),
        _ => String::new(),
    }
}

/// Git ends a name that contains a space with a tab, for parsers that split at spaces.
fn tail(name: &[u8]) -> &'static [u8] {
    if name.contains(&b' ') { b"\t" } else { b"" }
}

fn put(text: &mut Vec<u8>, parts: &[&[u8]]) {
    for part in parts {
        text.extend_from_slice(part);
    }
    text.push(b'\n');
}

/// `prefix` and `path` as one name, quoted with C escapes if it has special characters.
fn quoted_path(prefix: &str, path: &[u8]) -> Vec<u8> {
    let mut name = prefix.as_bytes().to_vec();
    if !path.iter().copied().any(needs_escape) {
        name.extend_from_slice(path);
        return name;
    }
    name.insert(0, b'"');
    for &byte in path {
        match byte {
            byte if !needs_escape(byte) => name.push(byte),
            b'"' | b'\\' => name.extend([b'\\', byte]),
            7..=13 => name.extend([b'\\', b"abtnvfr"[usize::from(byte - 7)]]),
            byte => name.extend(format!("\\{byte:03o}").bytes()),
        }
    }
    name.push(b'"');
    name
}

fn needs_escape(byte: u8) -> bool {
    !(b' '..0x7f).contains(&byte) || byte == b'"' || byte == b'\\'
}
