//! Stores with much of one thing: comments of a pull request, repositories of an organization, tokens of a user.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::world::PEOPLE;
use super::{History, keep};
use crate::Result;
use crate::bench::Bench;
use crate::load::{self, Load, Made, Pace};
use crate::servers::Synchronous;
use crate::service::{self, Place};

const LINES: u64 = 1000;
/// A remark with its answers.
const THREAD: u64 = 10;
/// The state file takes no more values than it can check at once.
const TOKENS_PER_FILE: usize = 10_000;

/// `acme/talk`, whose pull request 1 has so many comments.
pub fn comments(bench: &Bench, count: u64) -> Result<PathBuf> {
    let folder = keep(bench, &format!("comments-{count}"), |folder| {
        write_source(folder)?;
        let remarks = count / THREAD;
        let mut text = format!("{PEOPLE}{TALK}");
        for index in 0..remarks {
            let line = index % LINES + 1;
            let _ = writeln!(text, "      - {{ author: mona, path: a.txt, line: {line}, body: Remark {index} }}");
        }
        apply(bench, folder, &text)?;
        answer(bench, &folder.join("data"), remarks, count - remarks)
    })?;
    Ok(folder.join("data"))
}

/// A state file has its limits, so most comments are answers, made over HTTP.
fn answer(bench: &Bench, data: &Path, remarks: u64, count: u64) -> Result<()> {
    // Everything is lost or kept together here, so nothing waits for the disk.
    let service = service::start(bench, data, Place::Anywhere, Synchronous::Normal)?;
    let make = move |number: u64| {
        let body = format!(r#"{{"body":"Answer {number}: it is, but see *below*."}}"#);
        (format!("/repos/acme/talk/pulls/1/comments/{}/replies", number % remarks + 1), body)
    };
    let mut script = Made { method: "POST", status: 201, make: Box::new(make), next: 0 };
    let load = Load {
        address: service.address,
        pid: service.pid(),
        connections: 64,
        duration: Duration::ZERO,
        pace: Pace::Closed,
    };
    load::send(&load, &mut script, usize::try_from(count).unwrap_or_default())?;
    service.stop()
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
    let folder = keep(bench, &format!("repositories-{count}"), |folder| {
        write_source(folder)?;
        let mut text = format!("{PEOPLE}repos:\n");
        for index in 0..count {
            let import = if index + 1 == count { ", import: source.git" } else { "" };
            let _ = writeln!(text, "  - {{ name: acme/repo-{index}, default_branch: main{import} }}");
        }
        apply(bench, folder, &text)
    })?;
    Ok(folder.join("data"))
}

/// So many tokens, on a store with one repository, `acme/talk`.
pub fn tokens(bench: &Bench, count: u64) -> Result<PathBuf> {
    let folder = keep(bench, &format!("tokens-{count}"), |folder| {
        write_source(folder)?;
        apply(
            bench,
            folder,
            &format!("{PEOPLE}repos:\n  - {{ name: acme/talk, default_branch: main, import: source.git }}\n"),
        )?;
        for batch in (0..count).step_by(TOKENS_PER_FILE) {
            let mut text = String::from("tokens:\n");
            for index in batch..count.min(batch + TOKENS_PER_FILE as u64) {
                let _ = writeln!(text, "  - {{ kind: classic, user: mona, scopes: [repo], token: ghp_more{index} }}");
            }
            apply(bench, folder, &text)?;
        }
        Ok(())
    })?;
    Ok(folder.join("data"))
}

fn apply(bench: &Bench, folder: &Path, text: &str) -> Result<()> {
    let state = folder.join("state.yaml");
    std::fs::write(&state, text).map_err(|error| format!("{}: {error}", state.display()))?;
    service::command(bench, &folder.join("data"), &["apply", &state.display().to_string()])?;
    Ok(())
}

fn write_source(folder: &Path) -> Result<()> {
    let mut history = History::begin(&folder.join("source.git"))?;
    let lines =
        |word: &str| (0..LINES).fold(String::new(), |text, line| text + &format!("{word} {line}\n")).into_bytes();
    let base = history.commit("main", &[], &[("a.txt".into(), lines("old"))])?;
    history.commit("feature", &[base], &[("a.txt".into(), lines("new"))])?;
    history.finish()
}
