//! A pull request that changes many files, with a comment on each.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::cache::get_or_create;
use super::fast_import::FastImport;
use super::state::{self, ACCOUNTS};
use crate::harness::{Context, ServeOptions, service};
use crate::load::{self, Generated};
use crate::servers::Synchronous;
use crate::system::{git, output_of};

pub const COMMENTS: &str = "/repos/acme/wide/pulls/1/comments";
const CONNECTIONS: usize = 16;
const LINES: u64 = 20;

/// A service with `acme/wide`, whose pull request 1 has this many files and comments.
pub fn get(context: &Context, files: u64) -> Result<PathBuf> {
    get_or_create(context, &format!("wide-{files}"), |directory| {
        write_source(&directory.join("source.git"), files)?;
        state::apply(context, directory, &format!("{ACCOUNTS}{WIDE}"))?;
        create_comments(context, directory, files)
    })
}

/// Creates comments on one file after another.
pub fn new_comments(seed: &Path, files: u64) -> Result<Generated> {
    let head = output_of(&mut git(&seed.join("source.git"), &["rev-parse", "feature"]))?;
    let head = head.trim().to_owned();
    Ok(Generated::new("POST", 201, move |number| {
        let (file, line) = (number % files, number % LINES + 1);
        let body = format!(
            r#"{{"body":"Comment {number}","commit_id":"{head}","path":"src/{file:05}.txt","line":{line},"side":"RIGHT"}}"#
        );
        (COMMENTS.to_owned(), body)
    }))
}

const WIDE: &str = "\
repos:
  - { name: acme/wide, default_branch: main, import: source.git }
pulls:
  - { repo: acme/wide, title: Change every file, author: hubot, head: feature, base: main }
";

fn write_source(directory: &Path, files: u64) -> Result<()> {
    let mut import = FastImport::begin(directory)?;
    let all = |word: &str| -> Vec<(String, Vec<u8>)> {
        let lines =
            |file: u64| (0..LINES).fold(String::new(), |text, line| text + &format!("{word} line {line} of {file}\n"));
        (0..files).map(|file| (format!("src/{file:05}.txt"), lines(file).into_bytes())).collect()
    };
    let base = import.commit("main", &[], &all("old"))?;
    import.commit("feature", &[base], &all("new"))?;
    import.finish()
}

fn create_comments(context: &Context, seed: &Path, files: u64) -> Result<()> {
    // An incomplete seed is discarded as a whole, so no write needs to be durable.
    let options = ServeOptions { synchronous: Synchronous::Normal, ..ServeOptions::default() };
    let service = service::start(context, &seed.join("data"), options)?;
    load::fill(service.address, CONNECTIONS, &mut new_comments(seed, files)?, usize::try_from(files)?)?;
    service.stop()
}
