//! A pull request with many comments, and commits that move the lines under all of them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::world::PEOPLE;
use super::{History, keep};
use crate::Result;
use crate::bench::Bench;
use crate::service;

const LINES: usize = 50;
/// Commits to push one after another.
pub const STEPS: usize = 20;

/// The seed of a service with `acme/anchors`, whose pull request 1 has so many comments.
pub fn get(bench: &Bench, comments: usize) -> Result<PathBuf> {
    keep(bench, &format!("anchors-{comments}"), |folder| make(bench, folder, comments))
}

fn make(bench: &Bench, folder: &Path, comments: usize) -> Result<()> {
    let files = comments.div_ceil(LINES).max(1);
    write(&folder.join("source.git"), files, 0)?;
    // The same commits and more, to be pushed from.
    write(&folder.join("steps.git"), files, STEPS)?;
    let state = folder.join("state.yaml");
    std::fs::write(&state, state_file(comments)).map_err(|error| format!("{}: {error}", state.display()))?;
    service::command(bench, &folder.join("data"), &["apply", &state.display().to_string()])?;
    Ok(())
}

fn write(folder: &Path, files: usize, steps: usize) -> Result<()> {
    let mut history = History::begin(folder)?;
    let base = history.commit("main", &[], &[("README.md".into(), b"# Anchors\n".to_vec())])?;
    let mut last = history.commit("feature", &[base], &all_files(files, 0))?;
    for step in 1..=steps {
        last = history.commit(&format!("step-{step}"), &[last], &all_files(files, step))?;
    }
    history.finish()
}

/// Every step puts one more line at the top of every file.
fn all_files(files: usize, step: usize) -> Vec<(String, Vec<u8>)> {
    let content = |file: usize| {
        let top = (0..step).fold(String::new(), |text, line| text + &format!("new top {line}\n"));
        (0..LINES).fold(top, |text, line| text + &format!("file {file} line {line}\n")).into_bytes()
    };
    (0..files).map(|file| (format!("src/{file:04}.txt"), content(file))).collect()
}

fn state_file(comments: usize) -> String {
    let mut text = format!(
        "{PEOPLE}\
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
            writeln!(text, "      - {{ author: mona, path: src/{file:04}.txt, line: {line}, body: Remark {index} }}");
    }
    text
}
