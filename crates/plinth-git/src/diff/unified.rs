//! The whole difference of two commits as text, as `git diff` prints it.

use super::entry::Entry;
use super::file::FileDiff;
use super::quote;
use super::source::Source;
use super::tree::{FileChange, Status, changes};
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

/// A longer text is refused: nobody reads it, and it must not fill the memory.
const TEXT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What a text takes in memory, for each of its bytes: it grows by doubling.
const MEMORY_PER_BYTE: usize = 2;

/// The text of `git diff -M old new`, of two commits or trees.
pub fn unified(repo: &dyn Source, old: &Sha, new: &Sha) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    for change in changes(repo, old, new)? {
        let before = text.len();
        match change.status() {
            // Content of different types is not compared: one file goes and another comes.
            Status::TypeChanged => {
                write_file(repo, &FileChange { new: None, ..change.clone() }, &mut text)?;
                write_file(repo, &FileChange { old: None, ..change }, &mut text)?;
            }
            Status::Added | Status::Deleted | Status::Modified | Status::Renamed => {
                write_file(repo, &change, &mut text)?;
            }
        }
        if text.len() > TEXT_BYTES_MAX {
            return Err(Error::OverBudget("The diff is too large to be shown as text."));
        }
        repo.budget().retain((MEMORY_PER_BYTE * (text.len() - before)) as u64)?;
    }
    Ok(text)
}

fn write_file(repo: &dyn Source, change: &FileChange, text: &mut Vec<u8>) -> Result<()> {
    let (Some(old), Some(new)) =
        (change.old.as_ref().or(change.new.as_ref()), change.new.as_ref().or(change.old.as_ref()))
    else {
        return Ok(());
    };
    let (old_name, new_name) = (quote::path("a/", &old.path), quote::path("b/", &new.path));
    put(text, &[b"diff --git ", &old_name, b" ", &new_name]);
    write_modes(change, text);
    if change.status() == Status::Renamed {
        put(text, &[format!("similarity index {}%", change.similarity()).as_bytes()]);
        put(text, &[b"rename from ", &quote::path("", &old.path)]);
        put(text, &[b"rename to ", &quote::path("", &new.path)]);
    }
    if change.old.as_ref().map(|entry| entry.id) != change.new.as_ref().map(|entry| entry.id) {
        write_index(repo, change, text)?;
    }

    let old_name = change.old.as_ref().map_or(b"/dev/null".to_vec(), |_| old_name);
    let new_name = change.new.as_ref().map_or(b"/dev/null".to_vec(), |_| new_name);
    let diff = FileDiff::of(repo, change)?;
    if diff.is_binary() {
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

fn write_index(repo: &dyn Source, change: &FileChange, text: &mut Vec<u8>) -> Result<()> {
    let old = abbreviation(repo, change.old.as_ref())?;
    let new = abbreviation(repo, change.new.as_ref())?;
    put(text, &[b"index ", old.as_bytes(), b"..", new.as_bytes(), same_mode(change).as_bytes()]);
    Ok(())
}

fn same_mode(change: &FileChange) -> String {
    match (&change.old, &change.new) {
        (Some(old), Some(new)) if old.mode == new.mode => format!(" {}", new.mode.octal()),
        _ => String::new(),
    }
}

/// The shortest unambiguous name of the object, which for a missing one is zeros.
fn abbreviation(repo: &dyn Source, entry: Option<&Entry>) -> Result<String> {
    match entry.map(|entry| entry.id) {
        Some(id) => repo.abbreviation(&id),
        None => repo.abbreviation(&Sha::from_bytes([0; 20])),
    }
}

/// git ends a name that contains a space with a tab, for readers that would cut it there.
fn tail(name: &[u8]) -> &'static [u8] {
    if name.contains(&b' ') { b"\t" } else { b"" }
}

fn put(text: &mut Vec<u8>, parts: &[&[u8]]) {
    for part in parts {
        text.extend_from_slice(part);
    }
    text.push(b'\n');
}
