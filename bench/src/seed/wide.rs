//! A pull request that changes many files, with a comment on each.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::world::PEOPLE;
use super::{History, keep};
use crate::Result;
use crate::bench::Bench;
use crate::load::{self, Load, Made, Pace};
use crate::process::{git, succeed};
use crate::servers::Synchronous;
use crate::service::{self, Place};

pub const COMMENTS: &str = "/repos/acme/wide/pulls/1/comments";
const LINES: u64 = 20;

/// The seed of a service with `acme/wide`, whose pull request 1 has so many files and comments.
pub fn get(bench: &Bench, files: u64) -> Result<PathBuf> {
    keep(bench, &format!("wide-{files}"), |folder| {
        write_source(&folder.join("source.git"), files)?;
        let state = folder.join("state.yaml");
        std::fs::write(&state, format!("{PEOPLE}{WIDE}")).map_err(|error| format!("{}: {error}", state.display()))?;
        service::command(bench, &folder.join("data"), &["apply", &state.display().to_string()])?;
        comment(bench, folder, files)
    })
}

/// Requests for comments on one file after another.
pub fn comments(seed: &Path, files: u64) -> Result<Made> {
    let head = succeed(&mut git(&seed.join("source.git"), &["rev-parse", "feature"]))?;
    let head = head.trim().to_owned();
    let make = move |number: u64| {
        let (file, line) = (number % files, number % LINES + 1);
        let body = format!(
            r#"{{"body":"Remark {number}","commit_id":"{head}","path":"src/{file:05}.txt","line":{line},"side":"RIGHT"}}"#
        );
        (COMMENTS.to_owned(), body)
    };
    Ok(Made { method: "POST", status: 201, make: Box::new(make), next: 0 })
}

const WIDE: &str = "\
repos:
  - { name: acme/wide, default_branch: main, import: source.git }
pulls:
  - { repo: acme/wide, title: Everything anew, author: hubot, head: feature, base: main }
";

fn write_source(folder: &Path, files: u64) -> Result<()> {
    let mut history = History::begin(folder)?;
    let all = |word: &str| -> Vec<(String, Vec<u8>)> {
        let lines =
            |file: u64| (0..LINES).fold(String::new(), |text, line| text + &format!("{word} line {line} of {file}\n"));
        (0..files).map(|file| (format!("src/{file:05}.txt"), lines(file).into_bytes())).collect()
    };
    let base = history.commit("main", &[], &all("old"))?;
    history.commit("feature", &[base], &all("new"))?;
    history.finish()
}

fn comment(bench: &Bench, folder: &Path, files: u64) -> Result<()> {
    // Everything is lost or kept together here, so nothing waits for the disk.
    let service = service::start(bench, &folder.join("data"), Place::Anywhere, Synchronous::Normal)?;
    let load = Load {
        address: service.address,
        pid: service.pid(),
        connections: 16,
        duration: Duration::ZERO,
        pace: Pace::Closed,
    };
    load::send(&load, &mut comments(folder, files)?, usize::try_from(files).unwrap_or_default())?;
    service.stop()
}
