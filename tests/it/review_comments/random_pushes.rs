//! Random pushes, compared after each step with a model that asks git from scratch.

use serde_json::{Value, json};

use super::model::{line_map, rows};
use super::numbered;
use crate::support::pull_request::{COMMENTS, PULL, PullRequestFixture};

struct Dice(u64);

impl Dice {
    fn roll(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn edit(&mut self, text: &str, step: usize) -> String {
        let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
        for _ in 0..=self.roll(2) {
            let at = self.roll(lines.len());
            match self.roll(3) {
                0 => lines.insert(at, format!("new {step} {at}\n")),
                1 if lines.len() > 8 => drop(lines.remove(at)),
                _ => lines[at] = format!("edit {step} {at}\n"),
            }
        }
        lines.concat()
    }
}

/// A comment as it was created: its anchor, and whether it is on a deleted line.
struct Made {
    id: Value,
    side: &'static str,
    line: u32,
    on_deletion: bool,
    base: String,
    head: String,
    /// Every head at which the comment was shown.
    heads: Vec<String>,
}

impl Made {
    /// The line and the position in the version from `base` to `head`.
    fn expected(&self, fixture: &PullRequestFixture, base: &str, head: &str) -> Option<(u32, usize)> {
        let (from, to) = if self.side == "LEFT" { (&self.base, base) } else { (&self.head, head) };
        let now = *line_map(&fixture.work, &format!("{from}:file"), &format!("{to}:file")).get(&self.line)?;
        let rows = rows(&fixture.work, base, head, "file");
        let position = rows.iter().position(|row| match self.side {
            "LEFT" => "- ".contains(row.mark) && row.old == now,
            _ => "+ ".contains(row.mark) && row.new == now,
        })?;
        let undone = self.on_deletion && rows[position].mark == ' ';
        (!undone).then_some((now, position))
    }
}

/// The state of one walk.
struct Walk {
    fixture: PullRequestFixture,
    dice: Dice,
    made: Vec<Made>,
    base: String,
    head: String,
}

impl Walk {
    async fn new(seed: u64) -> Self {
        let head = numbered(&[(4, "four\n"), (11, ""), (18, "eighteen\nmore\n")]);
        let fixture = PullRequestFixture::new(&[("file", &numbered(&[]))], &[("file", Some(&head))]).await;
        let (base, head) = (fixture.base.clone(), fixture.head.clone());
        Self { fixture, dice: Dice(seed), made: Vec::new(), base, head }
    }

    fn text(&self, sha: &str) -> String {
        self.fixture.work.git(&["show", &format!("{sha}:file")])
    }

    fn merge_base(&self) -> String {
        self.fixture.work.git(&["merge-base", &self.base, &self.head]).trim().to_owned()
    }

    /// Creates a comment on a random row of the current diff.
    async fn comment(&mut self) {
        let base = self.merge_base();
        let rows = rows(&self.fixture.work, &base, &self.head, "file");
        let good: Vec<_> = rows.iter().filter(|row| "+- ".contains(row.mark)).collect();
        if good.is_empty() {
            return;
        }
        let row = good[self.dice.roll(good.len())];
        let (side, line) = match (row.mark, self.dice.roll(2)) {
            ('-', _) | (' ', 0) => ("LEFT", row.old),
            _ => ("RIGHT", row.new),
        };
        let fields = json!({ "commit_id": self.head, "side": side, "line": line });
        let comment = self.fixture.comment(fields).await.expect(201).json();
        let on_deletion = row.mark == '-';
        let (id, head) = (comment["id"].clone(), self.head.clone());
        self.made.push(Made { id, side, line, on_deletion, base, heads: vec![head.clone()], head });
    }

    async fn step(&mut self, number: usize, heads: &[String]) {
        match self.dice.roll(6) {
            0 => {
                let text = self.dice.edit(&self.text(&self.base), number);
                self.base = self.fixture.commit_on(&self.base, &[("file", Some(&text))]);
                self.fixture.push("main", &self.base).await;
            }
            1 => {
                let text = self.dice.edit(&self.text(&self.head), number);
                self.head = self.fixture.commit_on(&self.base, &[("file", Some(&text))]);
                self.fixture.push("feature", &self.head).await;
            }
            2 => {
                self.head = heads[self.dice.roll(heads.len())].clone();
                self.fixture.push("feature", &self.head).await;
            }
            _ => {
                let text = self.dice.edit(&self.text(&self.head), number);
                self.head = self.fixture.commit_on(&self.head, &[("file", Some(&text))]);
                self.fixture.push("feature", &self.head).await;
            }
        }
    }

    async fn check(&mut self, step: usize) {
        let base = self.merge_base();
        let listed = self.fixture.user("mona").get(&format!("{COMMENTS}?per_page=100")).await.expect(200).json();
        for made in &mut self.made {
            let shown = listed.as_array().expect("a list").iter().find(|shown| shown["id"] == made.id);
            let shown = shown.expect("every comment is listed");
            let expected = made.expected(&self.fixture, &base, &self.head);
            let found = (shown["line"].as_u64(), shown["position"].as_u64());
            let wanted = (expected.map(|(line, _)| u64::from(line)), expected.map(|(_, position)| position as u64));
            assert_eq!(found, wanted, "step {step}, comment {} on {} {}", made.id, made.side, made.line);
            let commit = shown["commit_id"].as_str().expect("a commit").to_owned();
            match expected {
                Some(_) => {
                    assert_eq!(commit, self.head);
                    made.heads.push(commit);
                }
                None => assert!(made.heads.contains(&commit), "an outdated comment has a head that had it"),
            }
        }
    }
}

async fn walk(seed: u64) {
    let mut walk = Walk::new(seed).await;
    let mut heads = vec![walk.head.clone()];
    for step in 0..12 {
        for _ in 0..3 {
            walk.comment().await;
        }
        walk.step(step, &heads).await;
        heads.push(walk.head.clone());
        if step % 3 == 0 {
            let pull = walk.fixture.user("mona").get(PULL).await.json()["id"].as_i64().expect("a number");
            let repo =
                walk.fixture.user("mona").get("/repos/acme/rocket").await.json()["id"].as_i64().expect("a number");
            let (repo, pull) = (plinth_base::ids::RepoId(repo), plinth_base::ids::PullId(pull));
            plinth_core::pulls::refresh_pull(&walk.fixture.service.app, repo, pull).await.expect("settled");
        }
        walk.check(step).await;
    }
}

#[tokio::test]
async fn comments_match_git_after_random_pushes_1() {
    walk(1).await;
}

#[tokio::test]
async fn comments_match_git_after_random_pushes_2() {
    walk(0xdead_beef).await;
}

#[tokio::test]
async fn comments_match_git_after_random_pushes_3() {
    walk(20_260_310).await;
}
