//! Hunks of two texts, compared with `git diff --no-index`.

use super::repo::git;
use crate::diff::FileDiff;

/// The hunks that git prints for two texts, from the first `@@` on.
pub fn git_hunks(directory: &std::path::Path, old: &[u8], new: &[u8]) -> Vec<u8> {
    std::fs::write(directory.join("old"), old).expect("a file");
    std::fs::write(directory.join("new"), new).expect("a file");
    let output = git(directory).args(["diff", "--no-index", "old", "new"]).output().expect("git is installed");
    let text = output.stdout;
    let start = text.windows(4).position(|window| window == b"\n@@ ").map_or(text.len(), |at| at + 1);
    text[start..].to_vec()
}

pub fn assert_as_git(directory: &std::path::Path, old: &[u8], new: &[u8]) {
    let ours = FileDiff::between(old, new);
    let theirs = git_hunks(directory, old, new);
    assert!(
        ours.hunks() == theirs,
        "old:\n{}\nnew:\n{}\nours:\n{}\ngit:\n{}",
        String::from_utf8_lossy(old),
        String::from_utf8_lossy(new),
        String::from_utf8_lossy(ours.hunks()),
        String::from_utf8_lossy(&theirs)
    );
}

#[test]
fn hunks_equal_git_at_text_edges() {
    let directory = tempfile::tempdir().expect("a directory");
    let heading = |name: &str| format!("{name}\n{}old\n", "  body\n".repeat(5)).into_bytes();
    let long = heading(&format!("function {}", "x".repeat(100)));
    let spaced = heading(&format!("function {} and more", " ".repeat(75)));
    let cut_character = heading(&format!("function {}é after", "x".repeat(70)));
    let not_a_character = [b"caf\xe9 f\n".to_vec(), b"  body\n".repeat(5), b"old\n".to_vec()].concat();
    let replaced = |text: &[u8]| [&text[..text.len() - 4], b"new\n"].concat();
    let cases: Vec<(Vec<u8>, Vec<u8>)> = vec![
        (b"".to_vec(), b"a\n".to_vec()),
        (b"a\n".to_vec(), b"".to_vec()),
        (b"".to_vec(), b"a".to_vec()),
        (b"a".to_vec(), b"a\n".to_vec()),
        (b"a\n".to_vec(), b"a".to_vec()),
        (b"a\nb".to_vec(), b"a\nc".to_vec()),
        (b"x\na".to_vec(), b"y\na".to_vec()),
        (b"a\r\nb\r\n".to_vec(), b"a\nb\r\n".to_vec()),
        (b"a\rb\rc".to_vec(), b"a\rb\rd".to_vec()),
        (b"\n".to_vec(), b"\n\n\n".to_vec()),
        (long.clone(), replaced(&long)),
        (spaced.clone(), replaced(&spaced)),
        (cut_character.clone(), replaced(&cut_character)),
        (not_a_character.clone(), replaced(&not_a_character)),
        (heading("\u{fffe}no"), replaced(&heading("\u{fffe}no"))),
        (heading("a\u{ffff}b"), replaced(&heading("a\u{ffff}b"))),
        (heading("$dollar  \t\x0c"), replaced(&heading("$dollar  \t\x0c"))),
        (heading("_low\r"), replaced(&heading("_low\r"))),
    ];
    for (old, new) in cases {
        assert_as_git(directory.path(), &old, &new);
    }
}

#[test]
fn heading_above_earlier_hunk_equals_git() {
    let directory = tempfile::tempdir().expect("a directory");
    let old = format!("top\n{0} one\n{0} two\n{0}fn inner() {{\n{0} three\n", "  body\n".repeat(12));
    let new = old.replace("one", "1").replace("two", "2").replace("three", "3");
    assert_as_git(directory.path(), old.as_bytes(), new.as_bytes());
}

#[test]
fn hunks_equal_git_on_rewritten_source_code() {
    let directory = tempfile::tempdir().expect("a directory");
    let sources = [
        include_str!("../lines/myers.rs"),
        include_str!("../rename.rs"),
        include_str!("../unified.rs"),
        include_str!("../../budget/mod.rs"),
    ];
    for source in sources {
        let functions: Vec<&str> = source.split_inclusive("\n}\n").collect();
        let reversed: String = functions.iter().rev().copied().collect();
        let without_even: String = functions.iter().skip(1).step_by(2).copied().collect();
        let doubled = functions.iter().map(|part| part.repeat(2)).collect::<String>();
        let indented = source.replace("\n    ", "\n        ");
        let renamed = source.replace("self", "this").replace("fn ", "pub fn ");
        let spaced = source.replace("{\n", "{\n\n").replace("\n    }\n", "\n\n    }\n");
        for other in [&reversed, &without_even, &doubled, &indented, &renamed, &spaced, &String::new()] {
            assert_as_git(directory.path(), source.as_bytes(), other.as_bytes());
            assert_as_git(directory.path(), other.as_bytes(), source.as_bytes());
        }
    }
    for pair in sources.windows(2) {
        assert_as_git(directory.path(), pair[0].as_bytes(), pair[1].as_bytes());
    }
}

/// Texts so different that git aborts its search, where only the same heuristics give the same result.
#[test]
fn hunks_equal_git_where_search_is_aborted() {
    let directory = tempfile::tempdir().expect("a directory");
    for (seed, lines, kinds, equal_in_16) in
        [(1, 3000, 400, 8), (2, 3000, 3000, 12), (3, 6000, 90, 10), (4, 2500, 2500, 3), (5, 48_000, 1_000, 10)]
    {
        let mut random = Random(seed);
        let mut old = Vec::new();
        let mut new = Vec::new();
        let mut block = 0;
        for _ in 0..lines {
            let line = format!("{}kind {}\n", " ".repeat(random.below(4) * 4), random.below(kinds)).into_bytes();
            if block == 0 && random.below(40) == 0 {
                block = 30;
            }
            // Long equal runs between scattered changes make a path promising.
            let in_both = block > 0 || random.below(16) < equal_in_16;
            block = usize::saturating_sub(block, 1);
            if in_both || random.below(2) == 0 {
                old.extend_from_slice(&line);
            }
            if in_both || random.below(2) == 0 {
                new.extend_from_slice(&line);
            }
        }
        assert_as_git(directory.path(), &old, &new);
        assert_as_git(directory.path(), &old, &with_blocks_moved(&new));
        let unrelated: Vec<u8> =
            (0..lines).flat_map(|_| format!("kind {}\n", random.below(kinds)).into_bytes()).collect();
        assert_as_git(directory.path(), &old, &unrelated);
    }
}

/// Moved blocks offer several good paths, of which an aborted search takes the first.
fn with_blocks_moved(text: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let mut blocks: Vec<&[&[u8]]> = lines.chunks(1200).collect();
    for pair in blocks.chunks_mut(5) {
        pair.reverse();
    }
    blocks.concat().concat()
}

/// A deterministic generator, so that the texts are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

mod random {
    use proptest::prelude::*;

    use super::assert_as_git;

    /// Few different lines, so that there are many shortest edits from one text to the other.
    fn text(kinds: u8, lines: usize) -> impl Strategy<Value = Vec<u8>> {
        let line = (0..kinds).prop_map(|kind| match kind {
            0 => b"\n".to_vec(),
            1 => b"}\n".to_vec(),
            2 => b"    }\n".to_vec(),
            3 => b"fn name() {\n".to_vec(),
            4 => b"\tif x {\r\n".to_vec(),
            5 => b"  \t \n".to_vec(),
            kind => format!("{}line {kind}\n", " ".repeat(usize::from(kind % 5) * 2)).into_bytes(),
        });
        (proptest::collection::vec(line, 0..lines), any::<bool>()).prop_map(|(lines, cut_off)| {
            let mut text = lines.concat();
            if cut_off && text.last() == Some(&b'\n') {
                text.pop();
            }
            text
        })
    }

    /// A text and the result of some local edits.
    fn edited(kinds: u8, lines: usize) -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
        let edit = (any::<proptest::sample::Index>(), 0usize..6, text(kinds, 5));
        (text(kinds, lines), proptest::collection::vec(edit, 0..6)).prop_map(|(old, edits)| {
            let mut new: Vec<Vec<u8>> = old.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            for (position, removed, inserted) in edits {
                let start = position.index(new.len() + 1);
                let end = (start + removed).min(new.len());
                new.splice(start..end, [inserted]);
            }
            (old, new.concat())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

        #[test]
        fn hunks_equal_git_on_unrelated_texts((old, new) in (text(7, 40), text(7, 40))) {
            let directory = tempfile::tempdir().expect("a directory");
            assert_as_git(directory.path(), &old, &new);
        }

        #[test]
        fn hunks_equal_git_on_local_edits((old, new) in edited(40, 120)) {
            let directory = tempfile::tempdir().expect("a directory");
            assert_as_git(directory.path(), &old, &new);
        }

        #[test]
        fn hunks_equal_git_on_edits_among_repeated_lines((old, new) in edited(9, 200)) {
            let directory = tempfile::tempdir().expect("a directory");
            assert_as_git(directory.path(), &old, &new);
        }
    }
}
