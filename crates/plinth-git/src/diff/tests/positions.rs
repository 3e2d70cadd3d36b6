//! Positions in a patch, and hunks of the text that git prints.

use proptest::prelude::*;

use super::lines::git_hunks;
use crate::diff::{FileDiff, RowKind, Side};

const OLD: &[u8] = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve";
const NEW: &[u8] = b"one\n2\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n";

#[test]
fn position_counts_every_row_below_first_header() {
    let diff = FileDiff::between(OLD, NEW);
    let rows: Vec<&str> =
        std::str::from_utf8(diff.patch().expect("there are hunks")).expect("text").split('\n').collect();
    let expected = [
        "@@ -1,5 +1,5 @@",
        " one",
        "-two",
        "+2",
        " three",
        " four",
        " five",
        "@@ -9,4 +9,4 @@ eight",
        " nine",
        " ten",
        " eleven",
        "-twelve",
        "\\ No newline at end of file",
        "+twelve",
    ];
    assert_eq!(rows, expected);
    assert_eq!(diff.position_max(), 13);
    assert_eq!(diff.position_of(Side::Right, 1), Some(1));
    assert_eq!(diff.position_of(Side::Left, 2), Some(2));
    assert_eq!(diff.position_of(Side::Right, 2), Some(3));
    assert_eq!(diff.position_of(Side::Left, 9), Some(8));
    assert_eq!(diff.position_of(Side::Left, 12), Some(11));
    assert_eq!(diff.position_of(Side::Right, 12), Some(13));
    for outside in [0, 6, 7, 8, 13, u32::MAX] {
        assert_eq!(diff.position_of(Side::Left, outside), None, "{outside}");
        assert_eq!(diff.position_of(Side::Right, outside), None, "{outside}");
    }
    assert_eq!(diff.line_at(0), None);
    assert_eq!(diff.line_at(7), None, "a later header is a position without a line");
    assert_eq!(diff.line_at(12), None, "the marker is a position without a line");
    assert_eq!(diff.line_at(14), None);
    assert_eq!(diff.line_at(2), Some((Side::Left, 2)));
    assert_eq!(diff.line_at(4), Some((Side::Right, 3)));
}

#[test]
fn diff_hunk_ends_at_the_line() {
    let diff = FileDiff::between(OLD, NEW);
    assert_eq!(diff.diff_hunk(Side::Left, 2), Some(&b"@@ -1,5 +1,5 @@\n one\n-two"[..]));
    assert_eq!(diff.diff_hunk(Side::Right, 10), Some(&b"@@ -9,4 +9,4 @@ eight\n nine\n ten"[..]));
    assert_eq!(diff.diff_hunk(Side::Right, 7), None);
    assert!(diff.is_same_hunk((Side::Left, 2), (Side::Right, 5)));
    assert!(!diff.is_same_hunk((Side::Left, 2), (Side::Right, 9)));
    assert!(!diff.is_same_hunk((Side::Left, 2), (Side::Right, 7)));
}

#[test]
fn empty_and_binary_diffs_have_no_positions() {
    let same = FileDiff::between(OLD, OLD);
    assert_eq!((same.patch(), same.position_max(), same.position_of(Side::Right, 1)), (None, 0, None));
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let line = (0u8..8).prop_map(|kind| if kind == 0 { b"f()\r\n".to_vec() } else { vec![b'a' + kind, b'\n'] });
    (proptest::collection::vec(line, 0..60), any::<bool>()).prop_map(|(lines, cut_off)| {
        let mut text = lines.concat();
        text.truncate(text.len() - usize::from(cut_off && !text.is_empty()));
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn positions_and_lines_map_one_to_one((old, new) in (text(), text())) {
        let directory = tempfile::tempdir().expect("a directory");
        let printed = git_hunks(directory.path(), &old, &new);
        let rows: Vec<&[u8]> = printed.split_inclusive(|byte| *byte == b'\n').collect();
        let diff = FileDiff::between(&old, &new);
        let old_lines: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
        let new_lines: Vec<&[u8]> = new.split_inclusive(|byte| *byte == b'\n').collect();

        let mut header = 0;
        for (position, row) in rows.iter().enumerate() {
            if row.starts_with(b"@@") {
                header = position;
            }
            let named = diff.line_at(position as u32);
            let Some((side, line)) = named else {
                prop_assert!(row.starts_with(b"@@") || row.starts_with(b"\\"));
                continue;
            };
            let lines = if side == Side::Left { &old_lines } else { &new_lines };
            prop_assert!(row[1..].starts_with(lines[line as usize - 1]));
            prop_assert_eq!(row[0] == b'-', side == Side::Left);
            prop_assert_eq!(diff.position_of(side, line), Some(position as u32));
            prop_assert_eq!(diff.hunk_of(position as u32), Some(header as u32));
            let hunk = rows[header..=position].concat();
            prop_assert_eq!(diff.diff_hunk(side, line), hunk.strip_suffix(b"\n"));
        }
        for (side, lines) in [(Side::Left, &old_lines), (Side::Right, &new_lines)] {
            for line in 1..=lines.len() as u32 {
                let Some(position) = diff.position_of(side, line) else { continue };
                let row = rows[position as usize];
                prop_assert!(row[1..].starts_with(lines[line as usize - 1]));
                let other = if side == Side::Left { b'+' } else { b'-' };
                prop_assert_ne!(row[0], other);
                let is_context = diff.kind_at(position) == Some(RowKind::Context);
                prop_assert!(is_context || diff.line_at(position) == Some((side, line)));
            }
        }
    }
}
