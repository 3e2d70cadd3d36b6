//! The cost of requests as comments, repositories and tokens grow.

use anyhow::Context as _;

use super::deep_pages;
use super::group::RowGroup;
use super::growth::{self, SizedRequest};
use crate::results::Results;
use crate::seed;

pub const COMMENTS: RowGroup = RowGroup {
    name: "growth-comments",
    about: "GET one comment and pages of comments, as a pull request grows to 100,000 comments",
    run: |context| {
        let sizes = context.size(vec![100, 300], vec![100, 1_000, 10_000, 100_000]);
        let services = growth::start(context, sizes, seed::growth::comments)?;
        let page = |page: u64| deep_pages::page_path("pulls/1/comments?", page);
        let requests = [
            SizedRequest {
                name: "GET one comment",
                paths: &|size| vec![format!("/repos/acme/talk/pulls/comments/{}", size / 2)],
            },
            SizedRequest { name: "first page of 30", paths: &|_| vec![page(1)] },
            SizedRequest { name: "middle page of 30", paths: &|size| vec![page(deep_pages::middle(size))] },
            SizedRequest { name: "last page of 30", paths: &|size| vec![page(deep_pages::last(size))] },
        ];
        let grown = growth::measure(context, "comments of a pull request", &services, &requests)?;
        let largest = services.last().context("there are sizes")?;
        let rows = deep_pages::rows(context, largest)?;
        Ok(Results { growths: vec![grown.growth], ..Results::of_rows(rows) })
    },
};

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
