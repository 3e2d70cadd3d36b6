//! Comments on rows of real diffs: the rows that git shows are accepted, and no others.

use serde_json::{Value, json};

use super::HistoryFixture;
use super::git_oracle::{Changed, changed_files, merge_base};
use super::pairs::{self, Pair};
use crate::review_comments::model::{Row, hunk, rows_of};

/// Files with comments, per pair.
const FILES: usize = 4;
/// Rows with comments, per file.
const ROWS: usize = 8;

#[tokio::test]
async fn comments_are_accepted_exactly_on_diff_rows_of_real_history() {
    let Some((fixture, drawn)) = HistoryFixture::with_pairs().await else { return };
    let (mut accepted, mut rejected) = (0, 0);
    for (number, pair) in drawn.iter().enumerate().step_by(2) {
        let pull = Commented { fixture: &fixture, path: pairs::propose(&fixture, number).await, pair };
        let files = changed_files(&fixture.work, &merge_base(&fixture.work, &pair.base, &pair.head), &pair.head);
        let with_rows: Vec<_> = files.iter().filter(|file| file.patch().is_some()).collect();
        for file in spread(&with_rows, FILES) {
            let rows = rows_of(&file.section);
            accepted += pull.check_rows(file, &rows).await;
            rejected += pull.check_gaps(file, &rows).await;
        }
    }
    assert!(accepted > 300 && rejected > 100, "{accepted} accepted and {rejected} rejected are too few");
}

/// A sample that includes the first and the last.
fn spread<T>(all: &[T], count: usize) -> impl Iterator<Item = &T> {
    let last = all.len().saturating_sub(1);
    let steps = count.min(all.len());
    (0..steps).map(move |step| &all[if steps < 2 { 0 } else { step * last / (steps - 1) }])
}

/// A pull request on which comments are created.
struct Commented<'a> {
    fixture: &'a HistoryFixture,
    path: String,
    pair: &'a Pair,
}

impl Commented<'_> {
    async fn comment(&self, file: &Changed, position: Value) -> (u16, Value) {
        let mut body = json!({ "body": "Look", "commit_id": self.pair.head, "path": file.path });
        body.as_object_mut().expect("an object").extend(position.as_object().expect("an object").clone());
        let response = self.fixture.mona().post(&format!("{}/comments", self.path), body).await;
        (response.status, response.json())
    }

    /// Converts position to line and back, and checks the text of the hunk.
    async fn check_rows(&self, file: &Changed, rows: &[Row]) -> usize {
        let positions: Vec<usize> = (0..rows.len()).collect();
        let mut accepted = 0;
        for &position in spread(&positions, ROWS) {
            let row = &rows[position];
            let about = format!("row {position} of {} in {}: {row:?}", file.path, self.path);
            let (side, line) = match row.mark {
                '-' => ("LEFT", row.old),
                '+' | ' ' => ("RIGHT", row.new),
                _ => {
                    assert_eq!(self.comment(file, json!({ "position": position })).await.0, 422, "{about}");
                    continue;
                }
            };
            let (status, there) = self.comment(file, json!({ "position": position })).await;
            assert_eq!((status, &there["side"], &there["line"]), (201, &json!(side), &json!(line)), "{about}");
            assert_eq!(there["diff_hunk"], hunk(rows, position), "{about}");
            let (status, back) = self.comment(file, json!({ "side": side, "line": line })).await;
            assert_eq!((status, &back["position"]), (201, &json!(position)), "{about}");
            assert_eq!((&back["diff_hunk"], &back["path"]), (&there["diff_hunk"], &json!(file.path)), "{about}");
            accepted += 2;
        }
        accepted
    }

    /// Lines just outside the hunks, and positions just outside the patch.
    async fn check_gaps(&self, file: &Changed, rows: &[Row]) -> usize {
        let shown = |side: &str, line: u32| {
            rows.iter().any(|row| match side {
                "LEFT" => "- ".contains(row.mark) && row.old == line,
                _ => "+ ".contains(row.mark) && row.new == line,
            })
        };
        let headers = rows.iter().filter(|row| row.mark == '@');
        let mut lines: Vec<(&str, u32)> = headers.flat_map(|row| [("LEFT", row.old), ("RIGHT", row.new)]).collect();
        let last = rows.last().expect("a diff has rows");
        lines.extend([("LEFT", last.old + 1), ("RIGHT", last.new + 1), ("LEFT", 1_000_000)]);
        lines.retain(|(side, line)| !shown(side, *line));
        let mut rejected = 0;
        for &(side, line) in spread(&lines, ROWS / 2) {
            let (status, reported) = self.comment(file, json!({ "side": side, "line": line })).await;
            assert_eq!(status, 422, "{side} {line} of {} in {}", file.path, self.path);
            let printed = reported["errors"][0]["message"].as_str().expect("a message");
            let expected = if line == 0 { "greater than zero" } else { "must be part of the diff" };
            assert!(printed.contains(expected), "{reported}");
            rejected += 1;
        }
        let (status, reported) = self.comment(file, json!({ "position": rows.len() })).await;
        assert_eq!((status, &reported["errors"][0]["code"]), (422, &json!("invalid")), "{reported}");
        rejected + 1
    }
}
