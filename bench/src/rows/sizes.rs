//! What requests cost as comments, repositories and tokens grow.

use std::path::PathBuf;

use super::RowGroup;
use super::growth::{Asked, Sized, grow};
use crate::Result;
use crate::bench::Bench;
use crate::seed::sizes;
use crate::service;

const PER_PAGE: u64 = 30;

pub const COMMENTS: RowGroup = RowGroup {
    name: "growth-comments",
    about: "GET one comment and pages of comments, as a pull request grows to 100,000 comments",
    run: |bench, report| {
        let counts = bench.size(vec![100, 300], vec![100, 1_000, 10_000, 100_000]);
        let services = start(bench, counts, sizes::comments)?;
        let pages = |page: u64| format!("/repos/acme/talk/pulls/1/comments?per_page={PER_PAGE}&page={page}");
        let one = |sized: &Sized| Ok(vec![format!("/repos/acme/talk/pulls/comments/{}", sized.size / 2)]);
        let first = |_: &Sized| Ok(vec![pages(1)]);
        let last = |sized: &Sized| Ok(vec![pages(sized.size / PER_PAGE)]);
        let asked = [
            Asked { name: "GET one comment", paths: &one },
            Asked { name: "first page of 30", paths: &first },
            Asked { name: "last page of 30", paths: &last },
        ];
        grow(bench, report, "comments of a pull request", &services, &asked).map(|_| ())
    },
};

pub const REPOSITORIES: RowGroup = RowGroup {
    name: "growth-repositories",
    about: "GET one repository and one of its refs, as an organization grows to 10,000 repositories",
    run: |bench, report| {
        let counts = bench.size(vec![10, 50], vec![10, 100, 1_000, 10_000]);
        let services = start(bench, counts, sizes::repositories)?;
        let repo = |sized: &Sized| Ok(vec![format!("/repos/acme/repo-{}", sized.size - 1)]);
        let reference = |sized: &Sized| Ok(vec![format!("/repos/acme/repo-{}/git/ref/heads/main", sized.size - 1)]);
        let asked =
            [Asked { name: "GET one repository", paths: &repo }, Asked { name: "GET one ref", paths: &reference }];
        grow(bench, report, "repositories of an organization", &services, &asked).map(|_| ())
    },
};

pub const TOKENS: RowGroup = RowGroup {
    name: "growth-tokens",
    about: "GET one ref with a token, as there come to be 100,000 tokens",
    run: |bench, report| {
        let counts = bench.size(vec![10, 50], vec![100, 1_000, 10_000, 100_000]);
        let services = start(bench, counts, sizes::tokens)?;
        let reference = |_: &Sized| Ok(vec!["/repos/acme/talk/git/ref/heads/main".to_owned()]);
        let asked = [Asked { name: "GET one ref", paths: &reference }];
        grow(bench, report, "tokens of a user", &services, &asked).map(|_| ())
    },
};

fn start(bench: &Bench, counts: Vec<u64>, seed: fn(&Bench, u64) -> Result<PathBuf>) -> Result<Vec<Sized>> {
    let started = counts.into_iter().map(|size| {
        let service = service::start_forgetful(bench, &seed(bench, size)?)?;
        Ok(Sized { size, service })
    });
    started.collect()
}
