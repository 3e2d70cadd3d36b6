//! Re-anchoring on a pull request that changes at random, compared with a slow model of what git prints.

use std::collections::HashMap;

use proptest::prelude::*;

use super::repo::TestRepo;
use crate::diff::{Anchor, Comparison, Reanchored, Side, Subject, reanchor};
use plinth_base::ids::Sha;

/// One printed row: its mark, its line before and its line after.
type Row = (u8, u32, u32);

/// The rows that git prints for the file, header and marker rows included; empty if nothing is printed.
fn rows(repo: &TestRepo, old: &Sha, new: &Sha, context: &str) -> Vec<Row> {
    let text = repo.git(&["diff", context, &format!("{old}:file"), &format!("{new}:file")]);
    let text = String::from_utf8(text).expect("our own words");
    let mut rows = Vec::new();
    let (mut before, mut after) = (0, 0);
    for line in text.lines().skip_while(|line| !line.starts_with("@@")) {
        let mark = line.as_bytes()[0];
        match mark {
            b'@' => {
                let start = |sign: char| -> u32 {
                    let (_, rest) = line.split_once(sign).expect("a header");
                    let mut parts = rest.split(|c: char| !c.is_ascii_digit());
                    let first: u32 = parts.next().expect("a number").parse().expect("a number");
                    let empty = rest.split(' ').next().expect("a range").ends_with(",0");
                    if empty { first } else { first - 1 }
                };
                (before, after) = (start('-'), start('+'));
            }
            b'-' => before += 1,
            b'+' => after += 1,
            b' ' => (before, after) = (before + 1, after + 1),
            _ => {}
        }
        rows.push((mark, before, after));
    }
    rows
}

fn row_of(rows: &[Row], side: Side, line: u32) -> Option<usize> {
    rows.iter().position(|(mark, before, after)| match side {
        Side::Left => (*mark == b'-' || *mark == b' ') && *before == line,
        Side::Right => (*mark == b'+' || *mark == b' ') && *after == line,
    })
}

/// The new number of each line that still exists, from a diff that shows the whole file.
fn unchanged_lines(repo: &TestRepo, old: &Sha, new: &Sha) -> HashMap<u32, u32> {
    let printed = rows(repo, old, new, "-U10000");
    if printed.is_empty() {
        return (1..1000).map(|line| (line, line)).collect();
    }
    printed.into_iter().filter(|row| row.0 == b' ').map(|(_, before, after)| (before, after)).collect()
}

struct Model {
    left: HashMap<u32, u32>,
    right: HashMap<u32, u32>,
    origin: HashMap<u32, u32>,
    rows: Vec<Row>,
    /// All rows of the diff that was commented.
    commented: Vec<Row>,
}

impl Model {
    fn new(repo: &TestRepo, (a, b): (&Sha, &Sha), (c, d): (&Sha, &Sha)) -> Self {
        Self {
            left: unchanged_lines(repo, a, c),
            right: unchanged_lines(repo, b, d),
            origin: unchanged_lines(repo, a, b),
            rows: rows(repo, c, d, "-U3"),
            commented: rows(repo, a, b, "-U10000"),
        }
    }

    /// The row of a line in the diff that was commented.
    fn commented_row(&self, side: Side, line: u32) -> Option<usize> {
        row_of(&self.commented, side, line)
    }

    /// The position and the line of an end of a range, or of a single line.
    fn find(&self, side: Side, line: u32) -> Option<(u32, u32)> {
        let now = *match side {
            Side::Left => self.left.get(&line)?,
            Side::Right => self.right.get(&line)?,
        };
        let position = row_of(&self.rows, side, now)?;
        let undone = side == Side::Left && self.rows[position].0 == b' ' && !self.origin.contains_key(&line);
        (!undone).then_some((position as u32, now))
    }

    fn reanchor(&self, subject: &Subject) -> Reanchored {
        let Subject::Line { side, line, start } = *subject else { panic!("only lines are walked") };
        let Some((position, now)) = self.find(side, line) else { return Reanchored::Outdated };
        let hunk = self.rows[..=position as usize].iter().rposition(|row| row.0 == b'@').expect("a header") as u32;
        let start = start.and_then(|(start_side, start_line)| {
            (start_line..1000)
                .filter(|start_line| self.commented_row(start_side, *start_line) < self.commented_row(side, line))
                .filter_map(|line| self.find(start_side, line))
                .find(|(found, _)| *found > hunk)
                .filter(|(found, _)| *found < position)
                .map(|(_, line)| (start_side, line))
        });
        Reanchored::Current { path: b"file".to_vec(), side, line: now, start, position }
    }
}

/// A change of the file: its position, how many lines it removes, and the lines it adds.
type Step = (proptest::sample::Index, usize, Vec<u8>);

fn step() -> impl Strategy<Value = Vec<Step>> {
    let one = (any::<proptest::sample::Index>(), 0usize..4, proptest::collection::vec(0u8..20, 0..4));
    proptest::collection::vec(one, 0..4)
}

fn apply(lines: &[String], steps: &[Step]) -> Vec<String> {
    let mut lines = lines.to_vec();
    for (position, removed, inserted) in steps {
        let start = position.index(lines.len() + 1);
        let end = (start + removed).min(lines.len());
        lines.splice(start..end, inserted.iter().map(|kind| format!("kind {kind}\n")));
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn reanchor_equals_model_on_random_changes(
        kinds in proptest::collection::vec(0u8..60, 8..60),
        (first, base_moves, head_moves) in (step(), step(), step()),
        cut_off in any::<bool>(),
    ) {
        let repo = TestRepo::new();
        let commit = |lines: &[String]| {
            let text = lines.concat();
            repo.write("file", if cut_off { text.trim_end() } else { &text }).commit()
        };
        let base: Vec<String> = kinds.iter().map(|kind| format!("kind {kind}\n")).collect();
        let head = apply(&base, &first);
        let (a, b) = (commit(&base), commit(&head));
        // A rebase: the base changes, and the head has its changes and some of its own.
        let new_base = apply(&base, &base_moves);
        let new_head = apply(&apply(&new_base, &first), &head_moves);
        let (c, d) = (commit(&new_base), commit(&new_head));

        let path = Some(b"file".to_vec());
        let mut anchors = Vec::new();
        for (index, (mark, before, after)) in rows(&repo, &a, &b, "-U3").into_iter().enumerate() {
            let ends = [(Side::Left, before, b"- "), (Side::Right, after, b"+ ")];
            for (side, line, _) in ends.into_iter().filter(|(.., marks)| marks.contains(&mark)) {
                let range_start = [(Side::Left, before.saturating_sub(3)), (Side::Right, after.saturating_sub(2))];
                let start = Some(range_start[index % 2]).filter(|start| index % 3 > 0 && start.1 > 0);
                let subject = Subject::Line { side, line, start };
                anchors.push(Anchor { base: a, head: b, old_path: path.clone(), new_path: path.clone(), subject });
            }
        }
        let opened = repo.open();
        for (base, head) in [(c, d), (a, d), (a, b)] {
            let target = Comparison::new(&opened, &base, &head).expect("both commits exist");
            let model = Model::new(&repo, (&a, &b), (&base, &head));
            let ported = reanchor(&opened, &target, &anchors).expect("a readable repository");
            for (anchor, found) in anchors.iter().zip(ported) {
                prop_assert_eq!(found, model.reanchor(&anchor.subject), "{:?}", anchor);
            }
        }
    }
}
