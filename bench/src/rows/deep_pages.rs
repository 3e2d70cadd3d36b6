//! Pages of a long list of comments compared with its first page: repeated, and each after a change of the list.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::compare::{Rounds, Side, alternate};
use super::growth::SizedService;
use crate::harness::{Context, Cpu, ResponseCache, ServeOptions, service};
use crate::http::record;
use crate::load::{Generated, Replay, Workload};
use crate::results::{Row, Target};
use crate::seed;

const CONNECTIONS: usize = 16;
const PER_PAGE: u64 = 30;
/// Of any page, compared with the first.
const TARGET: Target = Target::AtMost(2.0);
/// How much more CPU time the middle page must take without an index.
const WORTH_MIN: f64 = 1.1;
const COMMENTS: &str = "/repos/acme/talk/pulls/comments";

/// Lists of the comments of `acme/talk`, and the query that has their order.
const LISTS: [(&str, &str); 5] = [
    ("of a pull request", "pulls/1/comments?"),
    ("of a pull request, newest first", "pulls/1/comments?sort=created&direction=desc&"),
    ("of a pull request, newest update first", "pulls/1/comments?sort=updated&direction=desc&"),
    ("of a repository", "pulls/comments?"),
    ("of a repository, by update", "pulls/comments?sort=updated&"),
];
/// The pages that are compared.
const PAGES: [&str; 3] = ["first", "middle", "last"];

/// Changes of a list of some length.
type Change = fn(u64) -> Generated;

/// Changes that leave all other comments where they are, in a list by id.
const CHANGES: [(&str, Change); 2] = [("a new comment", create), ("an edit", edit)];
/// A list that every change makes other than its index.
const BY_UPDATE: &str = LISTS[4].1;

/// The path of a page of the list.
pub fn page_path(list: &str, page: u64) -> String {
    format!("/repos/acme/talk/{list}per_page={PER_PAGE}&page={page}")
}

/// The number of the page in the middle.
pub fn middle(size: u64) -> u64 {
    size / PER_PAGE / 2
}

/// The number of the last page that is full.
pub fn last(size: u64) -> u64 {
    size / PER_PAGE
}

/// Compares pages far from the start with the first, on one service.
pub fn rows(context: &Context, sized: &SizedService) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (what, list) in LISTS {
        rows.extend(repeated(context, sized, what, list)?);
    }
    for (what, change) in CHANGES {
        rows.push(after_change(context, sized.size, (what, change), LISTS[0].1)?);
    }
    let after_edit = after_change(context, sized.size, ("an edit, by update,", edit), BY_UPDATE)?;
    rows.push(Row { target: Target::None, ..after_edit });
    rows.push(without_index(context, sized.size)?);
    Ok(rows)
}

fn repeated(context: &Context, sized: &SizedService, what: &str, list: &str) -> Result<Vec<Row>> {
    let service = &sized.service;
    let mut workloads = Vec::new();
    for page in [1, middle(sized.size), last(sized.size)] {
        workloads.push(Replay::new(record(service.address, vec![page_path(list, page)])?));
    }
    let mut sides: Vec<Side<'_>> = workloads.iter_mut().map(|workload| Side { server: service, workload }).collect();
    let rounds = alternate(context, CONNECTIONS, &mut sides)?;
    let first = &rounds[0];
    let row = |(page, rounds): (&&str, &Rounds)| Row {
        what: format!("{page} page of {} comments {what}, compared with the first", sized.size),
        service: rounds.shown(),
        baseline: format!("first page: {}", first.shown()),
        figure: first.efficiency_ratio(rounds),
        unit: "× the CPU time",
        target: TARGET,
        note: String::new(),
    };
    Ok(PAGES.iter().zip(&rounds).skip(1).map(row).collect())
}

/// A page after each change, on a copy of the data for each page.
fn after_change(context: &Context, size: u64, (what, change): (&str, Change), list: &str) -> Result<Row> {
    let directory = context.scratch("deep-pages")?;
    let start = |name: &str| service::start_uncached(context, &copy(context, size, &directory.join(name))?);
    let servers = [start("first")?, start("middle")?];
    let pages = [1, middle(size)].map(|page| page_path(list, page));
    let mut workloads = pages.map(|path| AfterChange { change: change(size), page: get(path), sent: 0 });
    let sides = servers.iter().zip(&mut workloads);
    let mut sides: Vec<Side<'_>> = sides.map(|(server, workload)| Side { server, workload }).collect();
    let rounds = alternate(context, CONNECTIONS, &mut sides)?;
    let (first, middle) = (&rounds[0], &rounds[1]);
    Ok(Row {
        what: format!("{what} and the middle page of {size} comments, compared with the same and the first page"),
        service: middle.shown(),
        baseline: format!("first page: {}", first.shown()),
        figure: first.efficiency_ratio(middle),
        unit: "× the CPU time",
        target: TARGET,
        note: String::new(),
    })
}

/// What the index is worth: the middle page without it. Both services are without the cache of pages, which would have the repeated page.
fn without_index(context: &Context, size: u64) -> Result<Row> {
    let directory = context.scratch("deep-pages")?;
    let start = |name: &str, disabled_caches| {
        let options = ServeOptions {
            cpu: Cpu::ServerCore,
            response_cache: ResponseCache::Off,
            disabled_caches: Some(disabled_caches),
            ..ServeOptions::default()
        };
        service::start(context, &copy(context, size, &directory.join(name))?, options)
    };
    let servers = [start("with", "comment-pages")?, start("without", "comment-pages,comment-indexes")?];
    let mut workloads = [(); 2].map(|()| get(page_path(LISTS[0].1, middle(size))));
    let sides = servers.iter().zip(&mut workloads);
    let mut sides: Vec<Side<'_>> = sides.map(|(server, workload)| Side { server, workload }).collect();
    let rounds = alternate(context, CONNECTIONS, &mut sides)?;
    let (with, without) = (&rounds[0], &rounds[1]);
    Ok(Row {
        what: format!("middle page of {size} comments without the caches `comment-pages` and `comment-indexes`"),
        service: without.shown(),
        baseline: format!("with `comment-indexes`: {}", with.shown()),
        figure: with.efficiency_ratio(without),
        unit: "× the CPU time",
        target: Target::AtLeast(WORTH_MIN),
        note: String::new(),
    })
}

/// A copy of the data, for a service that changes it or runs at the same time as another one.
fn copy(context: &Context, size: u64, to: &Path) -> Result<PathBuf> {
    let data = seed::growth::comments(context, size)?;
    seed::copy_data(data.parent().context("the data is in the directory of its seed")?, to)
}

fn get(path: String) -> Generated {
    Generated::new("GET", 200, move |_| (path.clone(), String::new()))
}

/// A reply to the first comment.
fn create(_: u64) -> Generated {
    Generated::new("POST", 201, |number| {
        ("/repos/acme/talk/pulls/1/comments/1/replies".into(), format!(r#"{{"body":"New {number}"}}"#))
    })
}

/// Of a comment that none of the compared pages has.
fn edit(size: u64) -> Generated {
    Generated::new("PATCH", 200, move |number| {
        (format!("{COMMENTS}/{}", size / 4 + number % (size / 8)), format!(r#"{{"body":"Changed {number}"}}"#))
    })
}

/// A change and a page in turn.
struct AfterChange {
    change: Generated,
    page: Generated,
    sent: u64,
}

impl Workload for AfterChange {
    fn write_next(&mut self, out: &mut Vec<u8>) -> u64 {
        self.sent += 1;
        // The number says which of the two it was.
        if self.sent % 2 == 1 { self.change.write_next(out) * 2 + 1 } else { self.page.write_next(out) * 2 }
    }

    fn check(&mut self, number: u64, status: u16, body: &[u8]) -> Result<()> {
        let workload = if number % 2 == 1 { &mut self.change } else { &mut self.page };
        workload.check(number / 2, status, body)
    }
}
