//! Comments that are re-anchored over real commits, compared with a model that asks git from scratch.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::HistoryFixture;
use super::git_oracle::{Changed, changed_files, merge_base};
use crate::review_comments::model::{Row, line_map, rows_of};
use crate::support::pull_request::WorkTree;

const PULL: &str = "/repos/acme/rocket/pulls/1";
/// How often branches move, and how many comments are created before each move.
const STEPS: usize = 10;
const COMMENTS: usize = 8;
/// The number of commits used: the oldest, so that later commits do not change the test.
const COMMITS: usize = 50;

/// A comment as it was created.
struct Made {
    id: Value,
    side: &'static str,
    /// The path and the line on its side of the diff.
    path: String,
    line: u32,
    on_deletion: bool,
    base: String,
    head: String,
    /// Every head at which the comment was shown.
    heads: Vec<String>,
}

/// Results of git, cached because commits never change.
#[derive(Default)]
struct Memory {
    files: HashMap<(String, String), Vec<Changed>>,
    lines: HashMap<(String, String), HashMap<u32, u32>>,
    paths: HashMap<(String, String), Option<String>>,
}

impl Memory {
    fn files(&mut self, work: &WorkTree, base: &str, head: &str) -> &[Changed] {
        let key = (base.to_owned(), head.to_owned());
        self.files.entry(key).or_insert_with(|| changed_files(work, base, head))
    }

    /// The path of a file in another commit, if git finds it there.
    fn path(&mut self, work: &WorkTree, from: &str, to: &str, path: &str) -> Option<String> {
        let is_there = !work.git(&["ls-tree", "--name-only", to, "--", path]).trim().is_empty();
        if is_there {
            return Some(path.to_owned());
        }
        let moved = self.files(work, from, to).iter().find(|file| file.previous_path.as_deref() == Some(path));
        moved.map(|file| file.path.clone())
    }

    /// Path, line and position in the version from `base` to `head`.
    fn expected(&mut self, work: &WorkTree, made: &Made, base: &str, head: &str) -> Option<(String, u32, usize)> {
        let (from, to) = if made.side == "LEFT" { (&made.base[..], base) } else { (&made.head[..], head) };
        let key = (format!("{from}:{}", made.path), to.to_owned());
        let path = match self.paths.get(&key) {
            Some(known) => known.clone(),
            None => {
                let found = self.path(work, from, to, &made.path);
                self.paths.insert(key, found.clone());
                found
            }
        }?;
        let (old, new) = (format!("{from}:{}", made.path), format!("{to}:{path}"));
        let lines = self.lines.entry((old.clone(), new.clone())).or_insert_with(|| line_map(work, &old, &new));
        let now = *lines.get(&made.line)?;
        let file = self.files(work, base, head).iter().find(|file| match made.side {
            "LEFT" => file.status != "added" && file.previous_path.as_ref().unwrap_or(&file.path) == &path,
            _ => file.status != "removed" && file.path == path,
        })?;
        let rows = rows_of(&file.section);
        let position = rows.iter().position(|row| match made.side {
            "LEFT" => "- ".contains(row.mark) && row.old == now,
            _ => "+ ".contains(row.mark) && row.new == now,
        })?;
        let undone = made.on_deletion && rows[position].mark == ' ';
        (!undone).then(|| (file.path.clone(), now, position))
    }
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

/// The state of one walk.
struct Walk {
    fixture: HistoryFixture,
    dice: Dice,
    memory: Memory,
    made: Vec<Made>,
    /// Oldest first.
    commits: Vec<String>,
    base: String,
    head: String,
    /// How many comments were moved, and how many outdated.
    moved: usize,
    outdated: usize,
}

impl Walk {
    async fn new(seed: u64) -> Option<Self> {
        let mut dice = Dice(seed);
        let (mut commits, mut base, mut head) = (Vec::new(), String::new(), String::new());
        let fixture = HistoryFixture::with(|work| {
            let listed = work.git(&["rev-list", "--first-parent", "--reverse", "main"]);
            commits = listed.lines().take(COMMITS).map(str::to_owned).collect();
            let at = dice.roll(commits.len() / 2);
            (base, head) = (commits[at].clone(), commits[at + 1 + dice.roll(5)].clone());
            work.git(&["branch", "proposed-for", &base]);
            work.git(&["branch", "proposed", &head]);
        });
        let fixture = fixture.await?;
        let body = json!({ "title": "Walk", "head": "proposed", "base": "proposed-for" });
        fixture.mona().post("/repos/acme/rocket/pulls", body).await.expect(201);
        let (memory, made) = (Memory::default(), Vec::new());
        Some(Self { fixture, dice, memory, made, commits, base, head, moved: 0, outdated: 0 })
    }

    fn merge_base(&self) -> String {
        merge_base(&self.fixture.work, &self.base, &self.head)
    }

    /// Creates a comment on a random row of a random file.
    async fn comment(&mut self) {
        let base = self.merge_base();
        let files = self.memory.files(&self.fixture.work, &base, &self.head);
        let with_rows: Vec<_> = files.iter().filter(|file| file.patch().is_some()).collect();
        if with_rows.is_empty() {
            return;
        }
        let file = with_rows[self.dice.roll(with_rows.len())];
        let rows: Vec<Row> = rows_of(&file.section).into_iter().filter(|row| "+- ".contains(row.mark)).collect();
        let row = &rows[self.dice.roll(rows.len())];
        let (side, line) = match (row.mark, self.dice.roll(2)) {
            ('-', _) | (' ', 0) => ("LEFT", row.old),
            _ => ("RIGHT", row.new),
        };
        let path = if side == "LEFT" { file.previous_path.as_ref().unwrap_or(&file.path) } else { &file.path };
        let body = json!({ "body": "Look", "commit_id": self.head, "path": file.path, "side": side, "line": line });
        let comment = self.fixture.mona().post(&format!("{PULL}/comments"), body).await.expect(201).json();
        let (id, path, head) = (comment["id"].clone(), path.clone(), self.head.clone());
        let on_deletion = row.mark == '-';
        self.made.push(Made { id, side, path, line, on_deletion, base, heads: vec![head.clone()], head });
    }

    /// Moves the head forward, back or elsewhere, or the base forward.
    async fn step(&mut self) {
        let at = |sha: &String| self.commits.iter().position(|commit| commit == sha).expect("a commit of the walk");
        let (base, head, last) = (at(&self.base), at(&self.head), self.commits.len() - 1);
        let (branch, to) = match self.dice.roll(6) {
            0 => ("proposed-for", (base + 1 + self.dice.roll(3)).min(last)),
            1 => ("proposed", head.saturating_sub(1 + self.dice.roll(3))),
            2 => ("proposed", self.dice.roll(last + 1)),
            _ => ("proposed", (head + 1 + self.dice.roll(4)).min(last)),
        };
        let sha = self.commits[to].clone();
        let path = format!("/repos/acme/rocket/git/refs/heads/{branch}");
        self.fixture.mona().patch(&path, json!({ "sha": sha, "force": true })).await.expect(200);
        if branch == "proposed" {
            self.head = sha;
        } else {
            self.base = sha;
        }
    }

    async fn check(&mut self, step: usize) {
        let base = self.merge_base();
        let listed = self.fixture.mona().get(&format!("{PULL}/comments?per_page=100")).await.expect(200).json();
        for (made, shown) in self.made.iter_mut().zip(listed.as_array().expect("a list")) {
            assert_eq!(made.id, shown["id"]);
            let about = format!("step {step}: {} {} of {} since {}", made.side, made.line, made.path, made.head);
            let commit = shown["commit_id"].as_str().expect("a commit").to_owned();
            match self.memory.expected(&self.fixture.work, made, &base, &self.head) {
                Some((path, line, position)) => {
                    let found = (&shown["path"], &shown["line"], &shown["position"]);
                    assert_eq!(found, (&json!(path), &json!(line), &json!(position)), "{about}");
                    assert_eq!(commit, self.head, "{about}");
                    self.moved += usize::from(line != made.line);
                    made.heads.push(commit);
                }
                None => {
                    assert_eq!((&shown["line"], &shown["position"]), (&Value::Null, &Value::Null), "{about}");
                    assert!(made.heads.contains(&commit), "{about}: {commit} never had it");
                    self.outdated += 1;
                }
            }
        }
        assert_eq!(listed.as_array().map(Vec::len), Some(self.made.len()), "every comment is listed");
    }
}

#[tokio::test]
async fn comments_on_real_history_match_git_after_random_moves() {
    let Some(mut walk) = Walk::new(5).await else { return };
    for step in 0..STEPS {
        for _ in 0..COMMENTS {
            walk.comment().await;
        }
        walk.step().await;
        walk.check(step).await;
    }
    assert!(walk.moved > 0 && walk.outdated > 0, "{} moved, {} outdated", walk.moved, walk.outdated);
}
