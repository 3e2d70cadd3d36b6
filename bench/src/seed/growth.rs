//! Stores with many of one thing: comments of a pull request, repositories of an organization, tokens of a user.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::cache::get_or_create;
use super::fast_import::FastImport;
use super::state::{self, ACCOUNTS};
use crate::harness::{Context, ServeOptions, service};
use crate::http::Client;
use crate::load::{self, Generated};
use crate::servers::Synchronous;

const CONNECTIONS: usize = 64;
const LINES: u64 = 1000;
/// Comments of a thread: the first and its replies.
const THREAD: u64 = 10;
const STATISTICS_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Below the limit that the service sets for a state file.
const TOKENS_PER_FILE: usize = 10_000;

/// The data directory of a service with `acme/talk`, whose pull request 1 has this many comments.
pub fn comments(context: &Context, count: u64) -> Result<PathBuf> {
    let directory = get_or_create(context, &format!("comments-{count}"), |directory| {
        write_source(directory)?;
        let threads = count / THREAD;
        let mut text = format!("{ACCOUNTS}{TALK}");
        for index in 0..threads {
            let line = index % LINES + 1;
            let _ = writeln!(text, "      - {{ author: mona, path: a.txt, line: {line}, body: Comment {index} }}");
        }
        state::apply(context, directory, &text)?;
        create_replies(context, &directory.join("data"), threads, count - threads)
    })?;
    Ok(directory.join("data"))
}

/// The size of a state file is limited, so most comments are replies, created over HTTP.
fn create_replies(context: &Context, data: &Path, threads: u64, count: u64) -> Result<()> {
    // An incomplete seed is discarded as a whole, so no write needs to be durable.
    let options = ServeOptions { synchronous: Synchronous::Normal, ..ServeOptions::default() };
    let service = service::start(context, data, options)?;
    let mut replies = Generated::new("POST", 201, move |number| {
        let body = format!(r#"{{"body":"Reply {number}: it is, but see *below*."}}"#);
        (format!("/repos/acme/talk/pulls/1/comments/{}/replies", number % threads + 1), body)
    });
    load::fill(service.address, CONNECTIONS, &mut replies, usize::try_from(count)?)?;
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

/// The data directory of a service with this many repositories of `acme`, named `repo-0` and so on; the last has commits.
pub fn repositories(context: &Context, count: u64) -> Result<PathBuf> {
    let directory = get_or_create(context, &format!("repositories-{count}"), |directory| {
        write_source(directory)?;
        let mut text = format!("{ACCOUNTS}repos:\n");
        for index in 0..count {
            let import = if index + 1 == count { ", import: source.git" } else { "" };
            let _ = writeln!(text, "  - {{ name: acme/repo-{index}, default_branch: main{import} }}");
        }
        state::apply(context, directory, &text)?;
        wait_for_statistics(context, &directory.join("data"), &format!("/repos/acme/repo-{}", count - 1))
    })?;
    Ok(directory.join("data"))
}

/// A service computes language and size of a repository after its start, which would change a recorded response.
fn wait_for_statistics(context: &Context, data: &Path, repo: &str) -> Result<()> {
    let service = service::start(context, data, ServeOptions::default())?;
    let mut client = Client::connect(service.address)?;
    let deadline = Instant::now() + STATISTICS_TIMEOUT;
    while client.get(repo)?.expect(200)?.json()?["size"] == 0 {
        if Instant::now() > deadline {
            bail!("{repo} has no size after {} s", STATISTICS_TIMEOUT.as_secs());
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    drop(client);
    service.stop()
}

/// The data directory of a service with this many tokens and one repository, `acme/talk`.
pub fn tokens(context: &Context, count: u64) -> Result<PathBuf> {
    let directory = get_or_create(context, &format!("tokens-{count}"), |directory| {
        write_source(directory)?;
        state::apply(context, directory, &state::with_repo("acme/talk"))?;
        for batch in (0..count).step_by(TOKENS_PER_FILE) {
            let mut text = String::from("tokens:\n");
            for index in batch..count.min(batch + TOKENS_PER_FILE as u64) {
                let _ = writeln!(text, "  - {{ kind: classic, user: mona, scopes: [repo], token: ghp_more{index} }}");
            }
            state::apply(context, directory, &text)?;
        }
        Ok(())
    })?;
    Ok(directory.join("data"))
}

fn write_source(directory: &Path) -> Result<()> {
    let mut import = FastImport::begin(&directory.join("source.git"))?;
    let lines =
        |word: &str| (0..LINES).fold(String::new(), |text, line| text + &format!("{word} {line}\n")).into_bytes();
    let base = import.commit("main", &[], &[("a.txt".into(), lines("old"))])?;
    import.commit("feature", &[base], &[("a.txt".into(), lines("new"))])?;
    import.finish()
}
