//! From what a client says to a place in the code: pure over objects that never change, and blocking.

use super::rules::InvalidPosition;
use super::{At, Subject};
use crate::pulls::model::Version;
use crate::pulls::range::{DiffContext, Range};
use crate::pulls::threads::{NewThread, Place, Spot};
use plinth_base::error::Result;
use plinth_base::ids::Sha;
use plinth_git::diff::{self, Anchor, FileChange, FileDiff, Side, Target};

/// What is stored of the hunk that a comment is about. It is stored with every thread and shown with every comment.
const DIFF_HUNK_BYTES_MAX: usize = 64 * 1024;

/// A thread that can be begun, and where it is in the version it was looked up in.
#[derive(Debug, Clone)]
pub struct Located {
    pub thread: NewThread,
    pub range: Range,
    pub place: Place,
}

impl Located {
    /// Whether it was written in the very version it was looked up in. Its place there is told by itself.
    pub fn is_where_written(&self) -> bool {
        (self.thread.anchor.base, self.thread.anchor.head) == (self.range.base, self.range.head)
    }

    /// The place in a version, if that is the one it was looked up in; a push may have come between.
    pub fn place_in(&self, version: &Version) -> Option<Place> {
        let is_same = (version.merge_base, version.head_sha) == (Some(self.range.base), self.range.head);
        is_same.then(|| self.place.clone())
    }
}

/// Finds the place that a new comment is about; only its own file is compared.
pub fn locate(
    desk: &DiffContext<'_>,
    version: &Version,
    subject: &Subject,
) -> Result<Result<Located, InvalidPosition>> {
    let Ok(commit) = subject.commit_id.parse::<Sha>() else { return Ok(Err(InvalidPosition::Commit)) };
    if !desk.contains(version, &commit)? {
        return Ok(Err(InvalidPosition::Commit));
    }
    let base = desk.merge_base(&version.base_sha, &commit)?;
    let path = subject.path.as_bytes();
    let Some(change) = desk.between(&Range { base, head: commit }).find(path)? else {
        return Ok(Err(InvalidPosition::Path));
    };
    let file = desk.diff(&change)?;
    let about = match about(&file, subject.at) {
        Ok(about) => about,
        Err(misplaced) => return Ok(Err(misplaced)),
    };
    let thread = new_thread(&change, &file, Range { base, head: commit }, about);
    let range = desk.range(version)?;
    let place = place(desk, &range, &thread)?;
    Ok(Ok(Located { thread, range, place }))
}

/// The lines that a comment is about, all of them shown in the diff.
fn about(file: &FileDiff, at: At) -> Result<diff::Subject, InvalidPosition> {
    match at {
        At::File => Ok(diff::Subject::File),
        At::Position(position) => {
            let found = u32::try_from(position).ok().filter(|position| *position > 0);
            let found = found.and_then(|position| file.line_at(position));
            let (side, line) = found.ok_or(InvalidPosition::Position)?;
            Ok(diff::Subject::Line { side, line, start: None })
        }
        At::Line { side, line, start } => {
            if line < 1 {
                return Err(InvalidPosition::LineNotPositive);
            }
            let line = shown(file, side, line).ok_or(InvalidPosition::Line)?;
            let start = start.map(|start| check_start(file, start, (side, line))).transpose()?;
            Ok(diff::Subject::Line { side, line, start })
        }
    }
}

fn shown(file: &FileDiff, side: Side, line: i64) -> Option<u32> {
    let line = u32::try_from(line).ok()?;
    file.position_of(side, line).map(|_| line)
}

/// A range begins above its end, in the same hunk.
fn check_start(file: &FileDiff, (side, line): (Side, i64), end: (Side, u32)) -> Result<(Side, u32), InvalidPosition> {
    if line < 1 {
        return Err(InvalidPosition::StartNotPositive);
    }
    if side == end.0 && line >= i64::from(end.1) {
        return Err(InvalidPosition::StartNotBefore);
    }
    let line = shown(file, side, line).ok_or(InvalidPosition::StartElsewhere)?;
    if !file.is_same_hunk((side, line), end) {
        return Err(InvalidPosition::StartElsewhere);
    }
    if file.position_of(side, line) >= file.position_of(end.0, end.1) {
        return Err(InvalidPosition::StartNotBefore);
    }
    Ok((side, line))
}

fn new_thread(change: &FileChange, file: &FileDiff, range: Range, subject: diff::Subject) -> NewThread {
    let (position, diff_hunk) = match subject {
        diff::Subject::File => (None, Vec::new()),
        diff::Subject::Line { side, line, .. } => {
            (file.position_of(side, line), shortened(file.diff_hunk(side, line).unwrap_or_default()))
        }
    };
    let path_of = |entry: &Option<diff::Entry>| entry.as_ref().map(|entry| entry.path.clone());
    NewThread {
        anchor: Anchor {
            base: range.base,
            head: range.head,
            old_path: path_of(&change.old),
            new_path: path_of(&change.new),
            subject,
        },
        path: String::from_utf8_lossy(change.path()).into_owned(),
        position,
        diff_hunk,
    }
}

/// A hunk with its header and as many of its last lines as the limit allows.
fn shortened(hunk: &[u8]) -> Vec<u8> {
    let header = hunk.iter().position(|byte| *byte == b'\n').map_or(hunk.len(), |end| end + 1);
    let Some(cut) = hunk.len().checked_sub(DIFF_HUNK_BYTES_MAX).filter(|cut| *cut > header) else {
        return hunk.to_vec();
    };
    let line = hunk[cut..].iter().position(|byte| *byte == b'\n').map_or(cut, |end| cut + end + 1);
    [&hunk[..header], &hunk[line..]].concat()
}

/// On the head itself a thread is where it was written; on an earlier commit it has to be followed.
fn place(desk: &DiffContext<'_>, range: &Range, thread: &NewThread) -> Result<Place> {
    let anchor = &thread.anchor;
    if (anchor.base, anchor.head) == (range.base, range.head) {
        return Ok(place_on_head(thread));
    }
    let target = desk.between(range);
    let ported = diff::reanchor(desk.reader, &target, std::slice::from_ref(anchor))?;
    let spot = ported.first().and_then(Spot::of);
    Ok(Place { commit: if spot.is_some() { range.head } else { anchor.head }, spot })
}

fn place_on_head(thread: &NewThread) -> Place {
    let path = thread.path.clone().into_bytes();
    let spot = match thread.anchor.subject {
        diff::Subject::File => diff::Reanchored::CurrentFile { path },
        diff::Subject::Line { side, line, start } => {
            diff::Reanchored::Current { path, side, line, start, position: thread.position.unwrap_or_default() }
        }
    };
    Place { commit: thread.anchor.head, spot: Spot::of(&spot) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plinth_base::clock::Timestamp;

    #[test]
    fn a_long_hunk_keeps_its_header_and_its_last_lines() {
        let lines: String = (0..20_000).map(|number| format!("+line {number}\n")).collect();
        let hunk = format!("@@ -0,0 +1,20000 @@\n{lines}");
        let short = String::from_utf8(shortened(hunk.as_bytes())).expect("lines are not cut");
        assert!(short.len() <= DIFF_HUNK_BYTES_MAX + 32 && short.len() > DIFF_HUNK_BYTES_MAX - 32);
        assert!(short.starts_with("@@ -0,0 +1,20000 @@\n+line ") && hunk.ends_with(&short[20..]), "whole lines");
        assert_eq!(shortened(&hunk.as_bytes()[..5_000]), &hunk.as_bytes()[..5_000]);
        let one_line = format!("@@ -0,0 +1 @@\n+{}", "x".repeat(DIFF_HUNK_BYTES_MAX * 2));
        assert!(shortened(one_line.as_bytes()).len() <= DIFF_HUNK_BYTES_MAX + 32);
    }

    #[test]
    fn a_place_holds_in_the_range_it_was_looked_up_in_and_in_no_other() {
        let sha = |byte| Sha::from_bytes([byte; 20]);
        let range = Range { base: sha(1), head: sha(2) };
        let anchor =
            Anchor { base: sha(1), head: sha(2), old_path: None, new_path: None, subject: diff::Subject::File };
        let thread = NewThread { anchor, path: "file".into(), position: None, diff_hunk: Vec::new() };
        let located = Located { place: place_on_head(&thread), thread, range };
        let place_in = |merge_base, head_sha| {
            let (base_sha, created_at) = (sha(9), Timestamp(0));
            located.place_in(&Version { number: 3, base_sha, head_sha, merge_base, size: None, created_at })
        };
        assert_eq!(place_in(Some(sha(1)), sha(2)), Some(located.place.clone()));
        assert_eq!(place_in(Some(sha(1)), sha(3)), None, "a push came between");
        assert_eq!(place_in(Some(sha(4)), sha(2)), None, "the base was merged meanwhile");
        assert_eq!(place_in(None, sha(2)), None, "nobody has looked where the head left the base");
    }
}
