//! The cost of requests as comments, repositories and tokens grow.

use anyhow::{Context as _, Result};

use super::compare::{Rounds, Side, alternate};
use super::group::RowGroup;
use super::growth::{self, SizedRequest, SizedService};
use crate::harness::Context;
use crate::http::record;
use crate::load::Replay;
use crate::results::{Results, Row, Target};
use crate::seed;

const CONNECTIONS: usize = 16;
const PER_PAGE: u64 = 30;
/// Of any page, compared with the first.
const TARGET: Target = Target::AtMost(2.0);

/// Lists of the comments of `acme/talk`, and the query that has their order.
const LISTS: [(&str, &str); 4] = [
    ("of a pull request", "pulls/1/comments?"),
    ("of a pull request, newest update first", "pulls/1/comments?sort=updated&direction=desc&"),
    ("of a repository", "pulls/comments?"),
    ("of a repository, by update", "pulls/comments?sort=updated&"),
];
/// The pages that are compared.
const PAGES: [&str; 3] = ["first", "middle", "last"];

/// The paths of [`PAGES`] of a list.
fn page_paths(list: &str, size: u64) -> [String; 3] {
    [1, size / PER_PAGE / 2, size / PER_PAGE]
        .map(|page| format!("/repos/acme/talk/{list}per_page={PER_PAGE}&page={page}"))
}

pub const COMMENTS: RowGroup = RowGroup {
    name: "growth-comments",
    about: "GET one comment and pages of comments, as a pull request grows to 100,000 comments",
    run: |context| {
        let sizes = context.size(vec![100, 300], vec![100, 1_000, 10_000, 100_000]);
        let services = growth::start(context, sizes, seed::growth::comments)?;
        let page = |page: u64| format!("/repos/acme/talk/pulls/1/comments?per_page={PER_PAGE}&page={page}");
        let requests = [
            SizedRequest {
                name: "GET one comment",
                paths: &|size| vec![format!("/repos/acme/talk/pulls/comments/{}", size / 2)],
            },
            SizedRequest { name: "first page of 30", paths: &|_| vec![page(1)] },
            SizedRequest { name: "middle page of 30", paths: &|size| vec![page(size / PER_PAGE / 2)] },
            SizedRequest { name: "last page of 30", paths: &|size| vec![page(size / PER_PAGE)] },
        ];
        let grown = growth::measure(context, "comments of a pull request", &services, &requests)?;
        let largest = services.last().context("there are sizes")?;
        let mut rows = Vec::new();
        for (what, list) in LISTS {
            rows.extend(deep_pages(context, largest, what, list)?);
        }
        Ok(Results { growths: vec![grown.growth], ..Results::of_rows(rows) })
    },
};

/// Compares pages far from the start with the first, on one service.
fn deep_pages(context: &Context, sized: &SizedService, what: &str, list: &str) -> Result<Vec<Row>> {
    let service = &sized.service;
    let mut workloads = Vec::new();
    for path in page_paths(list, sized.size) {
        workloads.push(Replay::new(record(service.address, vec![path])?));
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

pub const REPOSITORIES: RowGroup = RowGroup {
    name: "growth-repositories",
    about: "GET one repository and one of its refs, as an organization grows to 10,000 repositories",
    run: |context| {
        let sizes = context.size(vec![10, 50], vec![10, 100, 1_000, 10_000]);
        let services = growth::start(context, sizes, seed::growth::repositories)?;
        let last = |size: u64| format!("/repos/acme/repo-{}", size - 1);
        let requests = [
            SizedRequest { name: "GET one repository", paths: &|size| vec![last(size)] },
            SizedRequest { name: "GET one ref", paths: &|size| vec![format!("{}/git/ref/heads/main", last(size))] },
        ];
        let grown = growth::measure(context, "repositories of an organization", &services, &requests)?;
        Ok(Results { growths: vec![grown.growth], ..Results::default() })
    },
};

pub const TOKENS: RowGroup = RowGroup {
    name: "growth-tokens",
    about: "GET one ref with a token, as the number of tokens grows to 100,000",
    run: |context| {
        let sizes = context.size(vec![10, 50], vec![100, 1_000, 10_000, 100_000]);
        let services = growth::start(context, sizes, seed::growth::tokens)?;
        let path = |_| vec!["/repos/acme/talk/git/ref/heads/main".to_owned()];
        let requests = [SizedRequest { name: "GET one ref", paths: &path }];
        let grown = growth::measure(context, "tokens of a user", &services, &requests)?;
        Ok(Results { growths: vec![grown.growth], ..Results::default() })
    },
};
