//! From the subject of a new comment to an anchor and a position in the diff.

use super::rules::InvalidPosition;
use super::{At, Subject};
use crate::Core;
use crate::pulls::diff_context::{DiffContext, Range, with_diff_context_fast};
use crate::pulls::model::{PullFacts, Version};
use crate::pulls::threads::{self, DiffLocation, NewThread, Position};
use plinth_base::error::{Error, FieldError, Result};
use plinth_base::ids::{PullId, RepoId, Sha};
use plinth_git::diff::{self, Anchor, FileChange, FileDiff, Side, Target};
use plinth_store::Transaction;

/// The longest hunk that is stored; every comment of the thread includes it in responses.
const DIFF_HUNK_BYTES_MAX: usize = 64 * 1024;

/// A valid new thread, with its position in the version in which it was located.
#[derive(Debug, Clone)]
pub struct Located {
    pub thread: NewThread,
    pub range: Range,
    pub position: Position,
}

impl Located {
    /// Whether the anchor is in the range of the version itself. The anchor is the position then, and none is stored.
    pub fn is_anchored_in_range(&self) -> bool {
        (self.thread.anchor.base, self.thread.anchor.head) == (self.range.base, self.range.head)
    }

    /// The position in a version, if that is the version in which it was located; a push may have come in between.
    pub fn position_in(&self, version: &Version) -> Option<Position> {
        let is_same = (version.merge_base, version.head_sha) == (Some(self.range.base), self.range.head);
        is_same.then(|| self.position.clone())
    }
}

/// Finds the anchor and the position of a new comment; compares only the file that it is on. Blocks.
pub fn locate(
    diff: &DiffContext<'_>,
    version: &Version,
    subject: &Subject,
) -> Result<Result<Located, InvalidPosition>> {
    let Ok(commit) = subject.commit_id.parse::<Sha>() else { return Ok(Err(InvalidPosition::Commit)) };
    if !diff.contains(version, &commit)? {
        return Ok(Err(InvalidPosition::Commit));
    }
    let base = diff.merge_base(&version.base_sha, &commit)?;
    let path = subject.path.as_bytes();
    let Some(change) = diff.between(&Range { base, head: commit }).find(path)? else {
        return Ok(Err(InvalidPosition::Path));
    };
    let file = diff.diff(&change)?;
    let anchor_subject = match subject_of(&file, subject.at) {
        Ok(subject) => subject,
        Err(invalid) => return Ok(Err(invalid)),
    };
    let thread = new_thread(&change, &file, Range { base, head: commit }, anchor_subject);
    let range = diff.range(version)?;
    let position = position_in_range(diff, &range, &thread)?;
    Ok(Ok(Located { thread, range, position }))
}

/// Locates a comment and reports all its errors at once, those of its body included.
pub async fn find_position(
    core: &Core,
    pull: &PullFacts,
    subject: Subject,
    mut errors: Vec<FieldError>,
) -> Result<Located> {
    let (repo, version) = (pull.repo_id, pull.version);
    let found = with_diff_context_fast(core, repo, move |diff| locate(&diff, &version, &subject)).await?;
    match found {
        Ok(located) if errors.is_empty() => Ok(located),
        Ok(_) => Err(Error::Invalid(errors)),
        Err(invalid) => {
            errors.extend(invalid.errors());
            Err(Error::Invalid(errors))
        }
    }
}

/// Inserts a thread and, unless its anchor is the position, its position in the version in which it was located.
pub async fn insert_thread(
    tx: &mut Transaction,
    repo: RepoId,
    (pull, version): (PullId, i64),
    located: &Located,
) -> Result<i64> {
    let thread = threads::store::insert(tx, repo, (pull, version), &located.thread).await?;
    if !located.is_anchored_in_range() {
        threads::store::insert_position(tx, thread, &located.range, &located.position).await?;
    }
    Ok(thread)
}

/// The subject of the anchor. All its lines must be in the diff.
fn subject_of(file: &FileDiff, at: At) -> Result<diff::Subject, InvalidPosition> {
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
            let line = line_in_diff(file, side, line).ok_or(InvalidPosition::Line)?;
            let start = start.map(|start| check_start(file, start, (side, line))).transpose()?;
            Ok(diff::Subject::Line { side, line, start })
        }
    }
}

fn line_in_diff(file: &FileDiff, side: Side, line: i64) -> Option<u32> {
    let line = u32::try_from(line).ok()?;
    file.position_of(side, line).map(|_| line)
}

/// The start must be above the end, in the same hunk.
fn check_start(file: &FileDiff, (side, line): (Side, i64), end: (Side, u32)) -> Result<(Side, u32), InvalidPosition> {
    if line < 1 {
        return Err(InvalidPosition::StartNotPositive);
    }
    if side == end.0 && line >= i64::from(end.1) {
        return Err(InvalidPosition::StartNotBefore);
    }
    let line = line_in_diff(file, side, line).ok_or(InvalidPosition::StartElsewhere)?;
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
            (file.position_of(side, line), truncated(file.diff_hunk(side, line).unwrap_or_default()))
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

/// The header of a hunk and as many of its last lines as the limit allows.
fn truncated(hunk: &[u8]) -> Vec<u8> {
    let header = hunk.iter().position(|byte| *byte == b'\n').map_or(hunk.len(), |end| end + 1);
    let Some(start) = hunk.len().checked_sub(DIFF_HUNK_BYTES_MAX).filter(|start| *start > header) else {
        return hunk.to_vec();
    };
    let line = hunk[start..].iter().position(|byte| *byte == b'\n').map_or(start, |end| start + end + 1);
    [&hunk[..header], &hunk[line..]].concat()
}

/// The position of a thread in a range: its anchor if that is on the head, otherwise computed from the anchor.
fn position_in_range(diff: &DiffContext<'_>, range: &Range, thread: &NewThread) -> Result<Position> {
    let anchor = &thread.anchor;
    if (anchor.base, anchor.head) == (range.base, range.head) {
        return Ok(position_on_head(thread));
    }
    let target = diff.between(range);
    let ported = diff::reanchor(diff.reader, &target, std::slice::from_ref(anchor))?;
    let location = ported.first().and_then(DiffLocation::of);
    Ok(Position { commit: if location.is_some() { range.head } else { anchor.head }, location })
}

fn position_on_head(thread: &NewThread) -> Position {
    let path = thread.path.clone().into_bytes();
    let location = match thread.anchor.subject {
        diff::Subject::File => diff::Reanchored::CurrentFile { path },
        diff::Subject::Line { side, line, start } => {
            diff::Reanchored::Current { path, side, line, start, position: thread.position.unwrap_or_default() }
        }
    };
    Position { commit: thread.anchor.head, location: DiffLocation::of(&location) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plinth_base::clock::Timestamp;

    #[test]
    fn truncated_keeps_header_and_last_lines() {
        let lines: String = (0..20_000).map(|number| format!("+line {number}\n")).collect();
        let hunk = format!("@@ -0,0 +1,20000 @@\n{lines}");
        let short = String::from_utf8(truncated(hunk.as_bytes())).expect("lines are whole");
        assert!(short.len() <= DIFF_HUNK_BYTES_MAX + 32 && short.len() > DIFF_HUNK_BYTES_MAX - 32);
        assert!(short.starts_with("@@ -0,0 +1,20000 @@\n+line ") && hunk.ends_with(&short[20..]), "whole lines");
        assert_eq!(truncated(&hunk.as_bytes()[..5_000]), &hunk.as_bytes()[..5_000]);
        let one_line = format!("@@ -0,0 +1 @@\n+{}", "x".repeat(DIFF_HUNK_BYTES_MAX * 2));
        assert!(truncated(one_line.as_bytes()).len() <= DIFF_HUNK_BYTES_MAX + 32);
    }

    #[test]
    fn position_in_returns_the_position_only_for_the_located_range() {
        let sha = |byte| Sha::from_bytes([byte; 20]);
        let range = Range { base: sha(1), head: sha(2) };
        let anchor =
            Anchor { base: sha(1), head: sha(2), old_path: None, new_path: None, subject: diff::Subject::File };
        let thread = NewThread { anchor, path: "file".into(), position: None, diff_hunk: Vec::new() };
        let located = Located { position: position_on_head(&thread), thread, range };
        let position_in = |merge_base, head_sha| {
            let (base_sha, created_at) = (sha(9), Timestamp(0));
            located.position_in(&Version { number: 3, base_sha, head_sha, merge_base, size: None, created_at })
        };
        assert_eq!(position_in(Some(sha(1)), sha(2)), Some(located.position.clone()));
        assert_eq!(position_in(Some(sha(1)), sha(3)), None, "a push came in between");
        assert_eq!(position_in(Some(sha(4)), sha(2)), None, "the base was merged meanwhile");
        assert_eq!(position_in(None, sha(2)), None, "the merge base is not computed yet");
    }
}
