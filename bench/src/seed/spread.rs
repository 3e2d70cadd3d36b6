//! Many small repositories, each with a pull request.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::cache::get_or_create;
use super::fast_import::FastImport;
use super::state::{self, ACCOUNTS};
use crate::harness::Context;
use crate::system::{git, output_of};

/// The line that the pull requests change.
const LINE: u64 = 2;

/// Repositories `acme/repo-0` and so on, which are equal.
pub struct SpreadSeed {
    pub directory: PathBuf,
    pub repositories: u64,
    /// The head of each pull request, which is also the target of new refs.
    commit: String,
}

impl SpreadSeed {
    pub fn get(context: &Context) -> Result<Self> {
        let repositories = context.size(4, 100);
        let directory = get_or_create(context, &format!("spread-{repositories}"), |directory| {
            write_source(&directory.join("source.git"))?;
            state::apply(context, directory, &state_file(repositories))
        })?;
        let commit = output_of(&mut git(&directory.join("source.git"), &["rev-parse", "feature"]))?.trim().to_owned();
        Ok(Self { directory, repositories, commit })
    }

    /// The path and the body of a request for a new ref.
    pub fn new_ref(&self) -> impl Fn(u64) -> (String, String) + use<> {
        new_ref(self.repositories, self.commit.clone())
    }

    /// The path and the body of a request for a new comment.
    pub fn new_comment(&self) -> impl Fn(u64) -> (String, String) + use<> {
        let (repositories, commit) = (self.repositories, self.commit.clone());
        move |number| {
            let path = format!("/repos/acme/repo-{}/pulls/1/comments", number % repositories);
            let body = format!("Comment {number}: is this *right*?");
            (path, format!(r#"{{"body":"{body}","commit_id":"{commit}","path":"a.txt","line":{LINE},"side":"RIGHT"}}"#))
        }
    }
}

/// The path and the body of a request for a new ref at `commit` in one of the repositories `acme/repo-0` and so on.
pub fn new_ref(repositories: u64, commit: String) -> impl Fn(u64) -> (String, String) {
    move |number| {
        let path = format!("/repos/acme/repo-{}/git/refs", number % repositories);
        (path, format!(r#"{{"ref":"refs/heads/created/{number:08}","sha":"{commit}"}}"#))
    }
}

fn write_source(directory: &Path) -> Result<()> {
    let mut import = FastImport::begin(directory)?;
    let file = |text: &str| vec![("a.txt".to_owned(), text.as_bytes().to_vec())];
    let first = import.commit("main", &[], &file("one\ntwo\nthree\n"))?;
    import.commit("feature", &[first], &file("one\n2\nthree\n"))?;
    import.finish()
}

fn state_file(repositories: u64) -> String {
    let mut text = format!("{ACCOUNTS}repos:\n");
    for index in 0..repositories {
        let _ = writeln!(text, "  - {{ name: acme/repo-{index}, default_branch: main, import: source.git }}");
    }
    text.push_str("pulls:\n");
    for index in 0..repositories {
        let _ = writeln!(
            text,
            "  - {{ repo: acme/repo-{index}, title: Change, author: hubot, head: feature, base: main, \
             comments: [{{ author: mona, path: a.txt, line: {LINE}, body: first }}] }}"
        );
    }
    text
}
