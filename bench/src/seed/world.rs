//! A small organization: a repository with a thousand branches, a pull request with thirty comments, a project.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::{History, keep};
use crate::Result;
use crate::bench::Bench;
use crate::process::{git, succeed};
use crate::service;

pub const REFS: u64 = 1000;
pub const COMMENTS: usize = 30;
/// References that are moved, each along the commits of `main`.
pub const MOVING: u64 = 1024;
const CHAIN: u64 = 1500;
const LINES: usize = 200;
/// Every so many lines one is changed, so that a comment shows a hunk of a few lines, as most do.
const STRIDE: usize = 10;

/// The seed, and the commits of its branch `main` from the first to the last.
pub struct World {
    pub folder: PathBuf,
    pub chain: Vec<String>,
    pub feature: String,
}

impl World {
    pub fn get(bench: &Bench) -> Result<Self> {
        let folder = keep(bench, "world", |folder| make(bench, folder))?;
        let source = folder.join("source.git");
        let listed = succeed(&mut git(&source, &["rev-list", "--reverse", "--first-parent", "main"]))?;
        let feature = succeed(&mut git(&source, &["rev-parse", "feature"]))?.trim().to_owned();
        Ok(Self { folder, chain: listed.lines().map(String::from).collect(), feature })
    }

    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }
}

fn make(bench: &Bench, folder: &Path) -> Result<()> {
    make_source(&folder.join("source.git"))?;
    let state = folder.join("state.yaml");
    std::fs::write(&state, state_file()).map_err(|error| format!("{}: {error}", state.display()))?;
    service::command(bench, &folder.join("data"), &["apply", &state.display().to_string()])?;
    Ok(())
}

fn make_source(folder: &Path) -> Result<()> {
    let mut history = History::begin(folder)?;
    let first = history.commit("main", &[], &[("src/a.txt".into(), lines(|_| "old"))])?;
    let mut last = first;
    for _ in 1..CHAIN {
        last = history.commit("main", &[last], &[])?;
    }
    let changed = lines(|line| if line % STRIDE == STRIDE / 2 { "new" } else { "old" });
    history.commit("feature", &[last], &[("src/a.txt".into(), changed)])?;
    for index in 0..REFS {
        history.name(&format!("refs/heads/topic-{index:04}"), last)?;
    }
    for index in 0..MOVING {
        history.name(&format!("refs/heads/moving-{index:04}"), first)?;
    }
    history.finish()
}

fn lines(word: impl Fn(usize) -> &'static str) -> Vec<u8> {
    (1..=LINES).fold(String::new(), |text, line| text + &format!("{} line {line}\n", word(line))).into_bytes()
}

/// A line that the pull request changes; they come round again after the last.
pub fn changed_line(number: usize) -> usize {
    number % (LINES / STRIDE) * STRIDE + STRIDE / 2
}

/// People and rights that every seed has.
pub const PEOPLE: &str = "\
users:
  - { login: mona, name: Mona Lisa, email: mona@example.com }
  - { login: hubot }
orgs:
  - { login: acme, members: [{ user: mona, role: admin }, { user: hubot, role: member }] }
tokens:
  - { kind: classic, user: mona, scopes: [repo, admin:org, project, notifications, workflow], token: ghp_bench }
";

fn state_file() -> String {
    let mut text = format!(
        "{PEOPLE}\
repos:
  - {{ name: acme/rocket, default_branch: main, import: source.git, collaborators: [{{ user: hubot, permission: write }}] }}
issue_fields:
  - {{ org: acme, name: Priority, data_type: single_select, visibility: all, options: [{{ name: High, color: red, priority: 1 }}] }}
projects:
  - {{ owner: acme, title: Roadmap, public: true, fields: [{{ name: Notes, data_type: text }}, {{ issue_field: Priority }}] }}
pulls:
  - repo: acme/rocket
    title: New lines
    author: hubot
    head: feature
    base: main
    comments:
"
    );
    for index in 0..COMMENTS {
        let _ = writeln!(
            text,
            "      - {{ author: mona, path: src/a.txt, line: {}, body: \"Line {index}: should this not be *shorter*? \
             See `numbered` and the paragraph about names in the guide.\" }}",
            changed_line(index)
        );
    }
    text
}
