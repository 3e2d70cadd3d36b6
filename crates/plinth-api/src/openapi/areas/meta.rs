//! Texts of the operations on the service itself, and of its pages.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::graphql::body::{QueryBody, QueryResult};
use crate::meta::json::{Meta, RateLimitOverview};
use crate::openapi::operation::{Area, Operation, file, ok};
use crate::openapi::schema::of;

pub const AREA: Area = Area {
    name: "Service",
    about: "Facts about the service.",
    operations: &[
        Operation::new(
            "meta/root",
            "Get the URLs of the API",
            "`X-OAuth-Scopes` lists the scopes of the token.",
            ok("URLs by name, some of them templates.", of::<BTreeMap<String, String>>),
        ),
        Operation::new("meta/get", "Get the version of the service", "", ok("The facts.", of::<Meta>)),
        Operation::new(
            "meta/get-all-versions",
            "List the versions of the API",
            "The values of `X-Service-Api-Version`.",
            ok("Dates, the newest first.", of::<Vec<String>>),
        ),
        Operation::new(
            "rate-limit/get",
            "Get the caller's rate limit",
            "Does not count against the rate limit.",
            ok("The rate limits.", of::<RateLimitOverview>),
        ),
        Operation::new(
            "graphql/query",
            "Query pull requests and issues with GraphQL",
            "A small part of GitHub's schema, for tools that need it besides REST: `viewer`, and `repository` with `ref`, `object`, \
             `issue`, `pullRequest`, `issueOrPullRequest`, `issues`, `pullRequests` and `releases`, with the histories of commits and the files of \
             pull requests. Errors of a query are in the response, with the status 200. Each read of a query counts in the rate limit.",
            ok("The result, or errors.", of::<QueryResult>),
        )
        .body(of::<QueryBody>, r#"{"query": "{ viewer { login } }"}"#),
        Operation::new(
            "web/get-description",
            "Get this description",
            "OpenAPI 3.1, generated from the routes of this server.",
            ok("The description.", of::<Map<String, Value>>),
        ),
    ],
};

/// What is for people, not for programs.
pub const PAGES: Area = Area {
    name: "Pages",
    about: "Pages and files for browsers.",
    operations: &[
        Operation::new(
            "web/show-docs",
            "Show the API explorer",
            "This page. `#` and the name of an operation select its description.",
            file("The page.", &["text/html"]),
        ),
        Operation::new(
            "web/get-stylesheet",
            "Get the explorer's stylesheet",
            "",
            file("The stylesheet.", &["text/css"]),
        ),
        Operation::new("web/get-script", "Get the explorer's script", "", file("The script.", &["text/javascript"])),
        Operation::new("web/get-icon", "Get the icon of the pages", "", file("The icon.", &["image/svg+xml"])),
        Operation::new(
            "web/get-avatar",
            "Get the picture of an account",
            "Drawn from the account's `id`: five by five squares, symmetrical. It does not depend on whether the account \
             exists, so that it reveals nothing.",
            file("The picture.", &["image/svg+xml"]),
        ),
    ],
};
