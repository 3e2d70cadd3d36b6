//! The standard seed, a small organization: a repository with a thousand branches, a pull request with thirty comments,
//! a project.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::cache::get_or_create;
use super::fast_import::FastImport;
use super::state::{self, ACCOUNTS};
use crate::harness::Context;
use crate::system::{git, output_of};

pub const REFS: u64 = 1000;
pub const COMMENTS: usize = 30;
/// Branches that are fast-forwarded along the commits of `main`.
pub const MOVING_REFS: u64 = 1024;
const MAIN_COMMITS: u64 = 1500;
const LINES: usize = 200;
/// Every tenth line is changed, so that a comment has a hunk of a few lines, as most do.
const STRIDE: usize = 10;

pub struct StandardSeed {
    pub directory: PathBuf,
    /// The commits of `main`, oldest first.
    pub main_commits: Vec<String>,
    /// The head of the pull request.
    pub feature: String,
}

impl StandardSeed {
    pub fn get(context: &Context) -> Result<Self> {
        let directory = get_or_create(context, "standard", |directory| {
            write_source(&directory.join("source.git"))?;
            state::apply(context, directory, &state_file())
        })?;
        let source = directory.join("source.git");
        let listed = output_of(&mut git(&source, &["rev-list", "--reverse", "--first-parent", "main"]))?;
        let feature = output_of(&mut git(&source, &["rev-parse", "feature"]))?.trim().to_owned();
        Ok(Self { directory, main_commits: listed.lines().map(String::from).collect(), feature })
    }

    pub fn data(&self) -> PathBuf {
        self.directory.join("data")
    }
}

fn write_source(directory: &Path) -> Result<()> {
    let mut import = FastImport::begin(directory)?;
    let first = import.commit("main", &[], &[("src/a.txt".into(), lines(|_| "old"))])?;
    let mut last = first;
    for _ in 1..MAIN_COMMITS {
        last = import.commit("main", &[last], &[])?;
    }
    let changed = lines(|line| if line % STRIDE == STRIDE / 2 { "new" } else { "old" });
    import.commit("feature", &[last], &[("src/a.txt".into(), changed)])?;
    for index in 0..REFS {
        import.create_ref(&format!("refs/heads/topic-{index:04}"), last)?;
    }
    for index in 0..MOVING_REFS {
        import.create_ref(&format!("refs/heads/moving-{index:04}"), first)?;
    }
    import.finish()
}

fn lines(word: impl Fn(usize) -> &'static str) -> Vec<u8> {
    (1..=LINES).fold(String::new(), |text, line| text + &format!("{} line {line}\n", word(line))).into_bytes()
}

/// A line that the pull request changes; cycles through all of them.
pub fn changed_line(number: usize) -> usize {
    number % (LINES / STRIDE) * STRIDE + STRIDE / 2
}

fn state_file() -> String {
    let mut text = format!(
        "{ACCOUNTS}\
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
