//! Stores with much of one thing: comments of a pull request, repositories of an organization, tokens of a user.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::world::PEOPLE;
use super::{History, keep};
use crate::Result;
use crate::bench::Bench;
use crate::service;

const LINES: u64 = 1000;
/// A remark with its answers.
const THREAD: u64 = 10;

/// `acme/talk`, whose pull request 1 has so many comments.
pub fn comments(bench: &Bench, count: u64) -> Result<PathBuf> {
    get(bench, &format!("comments-{count}"), |folder| {
        write_source(folder)?;
        let mut text = format!("{PEOPLE}{TALK}");
        for thread in 0..count / THREAD {
            let line = thread % LINES + 1;
            let replies: Vec<String> =
                (1..THREAD).map(|reply| format!("{{ author: hubot, body: Answer {reply} }}")).collect();
            let replies = replies.join(", ");
            let _ = writeln!(
                text,
                "      - {{ author: mona, path: a.txt, line: {line}, body: Remark {thread}, replies: [{replies}] }}"
            );
        }
        Ok(text)
    })
}

const TALK: &str = "\
repos:
  - { name: acme/talk, default_branch: main, import: source.git }
pulls:
  - repo: acme/talk
    title: New lines
    author: hubot
    head: feature
    base: main
    comments:
";

/// So many repositories of `acme`, named `repo-0` and so on; the last one has a branch.
pub fn repositories(bench: &Bench, count: u64) -> Result<PathBuf> {
    get(bench, &format!("repositories-{count}"), |folder| {
        write_source(folder)?;
        let mut text = format!("{PEOPLE}repos:\n");
        for index in 0..count {
            let import = if index + 1 == count { ", import: source.git" } else { "" };
            let _ = writeln!(text, "  - {{ name: acme/repo-{index}, default_branch: main{import} }}");
        }
        Ok(text)
    })
}

/// So many tokens, on a store with one repository, `acme/talk`.
pub fn tokens(bench: &Bench, count: u64) -> Result<PathBuf> {
    get(bench, &format!("tokens-{count}"), |folder| {
        write_source(folder)?;
        let mut text = String::from(PEOPLE);
        // The tokens are the last section of the people.
        for index in 0..count {
            let _ = writeln!(text, "  - {{ kind: classic, user: mona, scopes: [repo], token: ghp_more{index} }}");
        }
        text.push_str("repos:\n  - { name: acme/talk, default_branch: main, import: source.git }\n");
        Ok(text)
    })
}

fn get(bench: &Bench, name: &str, write: impl FnOnce(&Path) -> Result<String>) -> Result<PathBuf> {
    let folder = keep(bench, name, |folder| {
        let state = folder.join("state.yaml");
        std::fs::write(&state, write(folder)?).map_err(|error| format!("{}: {error}", state.display()))?;
        service::command(bench, &folder.join("data"), &["apply", &state.display().to_string()])?;
        Ok(())
    })?;
    Ok(folder.join("data"))
}

fn write_source(folder: &Path) -> Result<()> {
    let mut history = History::begin(&folder.join("source.git"))?;
    let lines =
        |word: &str| (0..LINES).fold(String::new(), |text, line| text + &format!("{word} {line}\n")).into_bytes();
    let base = history.commit("main", &[], &[("a.txt".into(), lines("old"))])?;
    history.commit("feature", &[base], &[("a.txt".into(), lines("new"))])?;
    history.finish()
}
