//! Diffs of two texts, and the positions of comments in later versions.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};
use plinth_git::diff::{
    Anchor, Comparison, FileDiff, Reanchored, RowKind, Side, Source, Subject, Target as _, reanchor,
};
use plinth_git::{MemoryObjects, ObjectSource, RawObject};

use crate::Target;
use crate::input::{parts, texts};

/// Comments on one file.
const ANCHORS_MAX: u32 = 64;

/// Two texts, separated by a NUL byte. The hunks, applied to the first, result in the second, and every row has one position.
pub const DIFF: Target = Target {
    name: "diff",
    seeds: || {
        texts(&[
            "a\nb\nc\n\0a\nB\nc\n",
            "\0new\n",
            "gone\n\0",
            "a\nb\0a\nb\n",
            "fn one() {\n    1\n}\n\nfn two() {\n    2\n}\n\0fn one() {\n    1\n}\n\nfn half() {\n    1\n}\n\nfn two() {\n    2\n}\n",
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n\0x\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\ny",
        ])
    },
    check: |data| {
        let [old, new] = parts(data);
        let diff = FileDiff::between(old, new);
        assert_eq!(apply(old, &diff), new);
        assert_eq!(diff.hunks().is_empty(), old == new);
        assert!(diff.hunks().len() <= 200 + 60 * (old.len() + new.len()), "the output is within its limit");
        let (mut additions, mut deletions) = (0, 0);
        for position in 0..=diff.position_max() {
            additions += u32::from(diff.kind_at(position) == Some(RowKind::Added));
            deletions += u32::from(diff.kind_at(position) == Some(RowKind::Deleted));
            let Some((side, line)) = diff.line_at(position) else { continue };
            assert_eq!(diff.position_of(side, line), Some(position));
            assert!(diff.hunk_of(position).is_some_and(|header| header < position));
            assert!(diff.diff_hunk(side, line).is_some_and(|hunk| hunk.starts_with(b"@@ ")));
        }
        assert_eq!((additions, deletions), (diff.additions(), diff.deletions()));
        assert_eq!(diff.position_of(Side::Left, 0), None);
        assert_eq!(diff.position_of(Side::Right, u32::MAX), None);
    },
};

/// Applies the hunks by their headers, and checks the context on the way.
fn apply(old: &[u8], diff: &FileDiff) -> Vec<u8> {
    let old: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let (mut new, mut next) = (Vec::new(), 0);
    let mut rows = diff.hunks().split_inclusive(|byte| *byte == b'\n').peekable();
    while let Some(row) = rows.next() {
        let (mark, line) = row.split_first().expect("no row is empty");
        if *mark == b'@' {
            let start = hunk_start(row);
            old[next..start].iter().for_each(|line| new.extend_from_slice(line));
            next = start;
            continue;
        }
        let is_cut_off = rows.next_if(|row| row.starts_with(b"\\")).is_some();
        let line = if is_cut_off { &line[..line.len() - 1] } else { line };
        if *mark != b'+' {
            assert_eq!(old[next], line);
            next += 1;
        }
        if *mark != b'-' {
            new.extend_from_slice(line);
        }
    }
    old[next..].iter().for_each(|line| new.extend_from_slice(line));
    new
}

/// The number of old lines above a hunk, from `@@ -3,2 +3,4 @@`.
fn hunk_start(header: &[u8]) -> usize {
    let text = String::from_utf8_lossy(header);
    let range = text.split(' ').nth(1).and_then(|range| range.strip_prefix('-')).expect("a header has ranges");
    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
    let start: usize = start.parse().expect("a number");
    if count == "0" { start } else { start - 1 }
}

/// Four texts: base and head that were commented, and a later base and head. A comment that is still there is on the same line.
pub const REANCHOR: Target = Target {
    name: "reanchor",
    seeds: || {
        texts(&[
            "1\n2\n3\n4\n\x001\nx\n3\n4\n\x001\n2\n3\n4\n\x000\n1\nx\n3\n4\n",
            "1\n2\n3\n\x001\n2\n3\nend\n\x001\n2\n3\n\x001\n2\n3\n",
            "a\n\0a\nb\n\0c\n\0c\na\nb",
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n\x001\n3\n4\n5\n6\n7\n8\n9\n10\n\x001\n2\n3\n5\n6\n7\n8\n9\n\x000\n1\n3\n5\n6\n7\n9\n10\n11\n",
        ])
    },
    check: |data| {
        let contents: [&[u8]; 4] = parts(data);
        let mut memory = Memory::default();
        let [base, head, later_base, later_head] = contents.map(|content| memory.tree(content));
        let commented = Comparison::new(&memory, &base, &head).expect("all objects exist");
        let path = b"file".to_vec();
        let Some(change) = commented.find(&path).expect("all objects exist") else { return };
        let diff = commented.diff(&memory, &change).expect("all objects exist");
        let lines = (0..=diff.position_max().min(ANCHORS_MAX)).filter_map(|position| diff.line_at(position));
        let anchors: Vec<Anchor> = lines
            .map(|(side, line)| Anchor {
                base,
                head,
                old_path: Some(path.clone()),
                new_path: Some(path.clone()),
                subject: Subject::Line {
                    side,
                    line,
                    start: (line % 3 == 0).then_some((side, line - 1)).filter(|start| start.1 > 0),
                },
            })
            .collect();
        let same = reanchor(&memory, &commented, &anchors).expect("all objects exist");
        for (anchor, found) in anchors.iter().zip(same) {
            let Subject::Line { side, line, .. } = anchor.subject else { continue };
            assert!(
                matches!(found, Reanchored::Current { side: now, line: at, .. } if (now, at) == (side, line)),
                "{found:?}"
            );
        }
        let later = Comparison::new(&memory, &later_base, &later_head).expect("all objects exist");
        let found = reanchor(&memory, &later, &anchors).expect("all objects exist");
        assert_eq!(found.len(), anchors.len());
        for (anchor, found) in anchors.iter().zip(found) {
            check_reanchored(&memory, contents, &later, anchor, &found);
        }
    },
};

fn check_reanchored(memory: &Memory, contents: [&[u8]; 4], later: &Comparison, anchor: &Anchor, found: &Reanchored) {
    let Subject::Line { side, line, .. } = anchor.subject else { return };
    let Reanchored::Current { path, side: now_side, line: now, start, position } = found else { return };
    assert_eq!(side, *now_side);
    let (before, after) = match side {
        Side::Left => (contents[0], contents[2]),
        Side::Right => (contents[1], contents[3]),
    };
    assert_eq!(nth_line(before, line), nth_line(after, *now));
    let change = later.find(path).expect("all objects exist").expect("the file is still changed");
    let diff = later.diff(memory, &change).expect("all objects exist");
    assert_eq!(diff.position_of(side, *now), Some(*position));
    if let Some((start_side, start_line)) = start {
        assert!(diff.is_same_hunk((*start_side, *start_line), (side, *now)));
        assert!(diff.position_of(*start_side, *start_line) < Some(*position));
    }
}

fn nth_line(text: &[u8], number: u32) -> Option<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').nth(number as usize - 1)
}

/// Objects in memory, compared like those of a repository.
#[derive(Default)]
struct Memory(MemoryObjects);

impl Memory {
    /// A tree with one file.
    fn tree(&mut self, content: &[u8]) -> Sha {
        let blob = self.0.insert(RawObject::blob(content).expect("no attack on SHA-1 is that short"));
        let data = [b"100644 file\0", &blob.as_bytes()[..]].concat();
        self.0.insert(RawObject::new(ObjectKind::Tree, data).expect("no attack on SHA-1 is that short"))
    }
}

impl ObjectSource for Memory {
    fn find(&self, sha: &Sha) -> Result<Option<Arc<RawObject>>> {
        self.0.find(sha)
    }
}

impl Source for Memory {
    fn size(&self, sha: &Sha) -> Result<u64> {
        Ok(self.find(sha)?.ok_or(Error::NotFound)?.data().len() as u64)
    }

    fn abbreviation(&self, sha: &Sha) -> Result<String> {
        Ok(sha.to_string())
    }
}
