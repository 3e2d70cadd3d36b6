//! A pull request with many comments, and commits that move the lines of all of them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::cache::get_or_create;
use super::fast_import::FastImport;
use super::state::{self, ACCOUNTS};
use crate::harness::Context;

/// Lines of a file, each with one comment.
pub const LINES: usize = 50;
/// Commits to push one after another.
pub const STEPS: usize = 20;

/// A service with `acme/anchors`, whose pull request 1 has this many comments.
pub fn get(context: &Context, comments: usize) -> Result<PathBuf> {
    get_or_create(context, &format!("reanchor-{comments}"), |directory| {
        let files = comments.div_ceil(LINES).max(1);
        write_source(&directory.join("source.git"), files, 0)?;
        // The same commits and more, to push from.
        write_source(&directory.join("steps.git"), files, STEPS)?;
        state::apply(context, directory, &state_file(comments))
    })
}

fn write_source(directory: &Path, files: usize, steps: usize) -> Result<()> {
    let mut import = FastImport::begin(directory)?;
    let base = import.commit("main", &[], &[("README.md".into(), b"# Anchors\n".to_vec())])?;
    let mut last = import.commit("feature", &[base], &all_files(files, 0))?;
    for step in 1..=steps {
        last = import.commit(&format!("step-{step}"), &[last], &all_files(files, step))?;
    }
    import.finish()
}

/// Every step adds one line at the top of every file.
fn all_files(files: usize, step: usize) -> Vec<(String, Vec<u8>)> {
    let content = |file: usize| {
        let top = (0..step).fold(String::new(), |text, line| text + &format!("new top {line}\n"));
        (0..LINES).fold(top, |text, line| text + &format!("file {file} line {line}\n")).into_bytes()
    };
    (0..files).map(|file| (format!("src/{file:04}.txt"), content(file))).collect()
}

fn state_file(comments: usize) -> String {
    let mut text = format!(
        "{ACCOUNTS}\
repos:
  - {{ name: acme/anchors, default_branch: main, import: source.git }}
pulls:
  - repo: acme/anchors
    title: Many lines
    author: hubot
    head: feature
    base: main
    comments:
"
    );
    for index in 0..comments {
        let (file, line) = (index / LINES, index % LINES + 1);
        let _ =
            writeln!(text, "      - {{ author: mona, path: src/{file:04}.txt, line: {line}, body: Comment {index} }}");
    }
    text
}
