//! A page: a pull request with 300 changed lines and 30 comments, compared with bare axum sending the same bytes.

use std::fmt::Write;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::group::RowGroup;
use super::reads::{self, ReadTargets};
use crate::harness::{Context, Cpu, ServeOptions, service};
use crate::http::{Client, record_pages};
use crate::results::{Results, Target};
use crate::seed::{self, StandardSeed};

const REPO: &str = "/repos/acme/rocket";
/// Half of the changed lines are deleted, and half are added.
const LINES: usize = 150;
const COMMENTS: usize = 30;
/// The limit of a first page, without its style and script.
const PAGE_BYTES_MAX: usize = 90_000;

pub const PULL_PAGE: RowGroup = RowGroup {
    name: "pull-page",
    about: "the page of a pull request with 300 changed lines and 30 comments, compared with bare axum sending the same bytes",
    run,
};

fn run(context: &Context) -> Result<Results> {
    let seed = StandardSeed::get(context)?;
    let directory = context.scratch("pull-page")?;
    let data = seed::copy_data(&seed.directory, &directory)?;
    let options = || ServeOptions { cpu: Cpu::ServerCore, ..ServeOptions::default() };
    let writing = service::start(context, &data, options())?;
    let number = open_pull(&mut Client::connect(writing.address)?)?;
    // Stopped, so that its data can be copied for the service without a cache.
    drop(writing);
    let service = service::start(context, &data, options())?;
    let recordings = record_pages(service.address, vec![format!("/acme/rocket/pull/{number}/files")])?;
    let bytes = recordings[0].response.body.len();
    ensure!(bytes <= PAGE_BYTES_MAX, "the page has {bytes} bytes");
    let targets = ReadTargets { cached: Target::AtLeast(0.3), uncached: Target::None };
    reads::compare(context, ("page of a pull request", targets), (&service, recordings), &directory)
}

/// Opens a pull request that changes every line of a file, and comments on it.
fn open_pull(client: &mut Client) -> Result<i64> {
    let main = client.get(&format!("{REPO}/git/ref/heads/main"))?.expect(200)?.json()?;
    let base = commit(client, &text(&main["object"]["sha"])?, "old")?;
    let head = commit(client, &base, "new")?;
    for (name, sha) in [("page-base", &base), ("page-head", &head)] {
        let new = json!({ "ref": format!("refs/heads/{name}"), "sha": sha });
        client.send("POST", &format!("{REPO}/git/refs"), &new)?.expect(201)?;
    }
    let new = json!({ "title": "A page", "base": "page-base", "head": "page-head" });
    let pull = client.send("POST", &format!("{REPO}/pulls"), &new)?.expect(201)?.json()?;
    let number = pull["number"].as_i64().context("a pull request has a number")?;
    for index in 0..COMMENTS {
        let body = format!("Comment {index}: should this not be *shorter*? See `numbered` in the guide.");
        let line = index * LINES / COMMENTS + 1;
        let new = json!({ "body": body, "commit_id": head, "path": "page.txt", "line": line });
        client.send("POST", &format!("{REPO}/pulls/{number}/comments"), &new)?.expect(201)?;
    }
    Ok(number)
}

fn commit(client: &mut Client, parent: &str, word: &str) -> Result<String> {
    let mut content = String::new();
    for line in 1..=LINES {
        writeln!(content, "{word} line {line} of a file that a page shows")?;
    }
    let entry = json!({ "path": "page.txt", "mode": "100644", "type": "blob", "content": content });
    let tree = json!({ "base_tree": parent, "tree": [entry] });
    let tree = client.send("POST", &format!("{REPO}/git/trees"), &tree)?.expect(201)?.json()?;
    let new = json!({ "message": word, "tree": tree["sha"], "parents": [parent] });
    let made = client.send("POST", &format!("{REPO}/git/commits"), &new)?.expect(201)?.json()?;
    text(&made["sha"])
}

fn text(value: &Value) -> Result<String> {
    Ok(value.as_str().context("a response lacks an id")?.to_owned())
}
