//! Requests without a body: targets, queries and headers.

use axum::body::Body;
use http::header::{HeaderName, HeaderValue};
use http::{Method, Request, Uri};

use super::service::{HOST, TOKEN, respond};
use crate::Target;
use crate::input::texts;

/// A line with the target, then lines with headers. The links of a response lead to this service, and a list is within its limit.
pub const REQUESTS: Target = Target {
    name: "requests",
    seeds: || {
        let mut seeds = texts(&[
            "/repos/octo-org/hello/pulls/1/comments?per_page=1&page=2\naccept: application/vnd.github.full+json\nif-none-match: W/\"a\", *",
            "/repos/octo-org/hello/pulls/comments?sort=updated&direction=asc&since=2026-01-01T00:00:00Z\naccept: text/html;q=0.5, */*",
            "/repos/octo-org/hello/pulls/1\naccept: application/vnd.github.v3.diff\nx-github-api-version: 2022-11-28",
            "/repos/octo-org/hello/git/matching-refs/heads%2Ff?page=9223372036854775807\naccept-encoding: gzip",
            "/orgs/octo-org/projectsV2/1/fields?per_page=1&after=AAAAAAAAACqVbMHM0RXQ0jQkqOqEzuoY&before=",
            "/users/mona/projectsV2/1/fields/1\nx-forwarded-for: 10.0.0.1, [::1]:80, unknown\nx-forwarded-host: a.b:1\nx-forwarded-proto: https",
            "/repos/octo-org/hello/commits/main\nif-modified-since: Sun, 06 Nov 1994 08:49:37 GMT\norigin: https://a.b",
            "/api/v3/repos/octo-org/hello/git/trees/main?recursive=1\nauthorization: Basic eDpnaHBfZXZlcnl0aGluZw==",
            "/installation/repositories?per_page=100\nauthorization: token ghs_helper",
            "/user/installations/1/repositories\nauthorization: bearer ghu_mona\nrange: bytes=0-1",
            "/app\nauthorization: Bearer eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjEsImlhdCI6MTc3MjAwMDAwMCwiZXhwIjoxNzcyMDAwMTAwfQ.AAAA",
            "/notifications?all=true&participating=false\nx-request-id: a\ncookie: a=b",
            "/orgs/octo-org/issue-fields\nx-http-method-override: DELETE\ntransfer-encoding: chunked",
        ]);
        let paths = [
            "/repos/octo-org/hello/git/ref/heads/main",
            "/repos/octo-org/hello/pulls/1/files",
            "/repos/octo-org/hello/pulls/1/commits",
            "/repos/octo-org/hello/pulls/1/reviews/1/comments",
            "/orgs/octo-org/projectsV2",
            "/meta",
            "/rate_limit",
            "/user",
            "/avatars/1",
            "/login/device/approve?user_code=ABCD-1234",
            "/repos/octo-org/hello/git/blobs/x",
            "/openapi.json",
        ];
        seeds.extend(paths.map(|path| path.as_bytes().to_vec()));
        seeds
    },
    check: |data| {
        let mut lines = data.split(|byte| *byte == b'\n');
        let target = lines.next().and_then(|target| Uri::try_from(target).ok());
        let Some(target) = target.filter(|target| target.path().starts_with('/')) else { return };
        // Only tests that compare with git start it.
        if target.path().contains("/git-upload-pack") || target.path().contains("/info/refs") {
            return;
        }
        let mut request = Request::new(Body::empty());
        *request.method_mut() = Method::GET;
        *request.uri_mut() = target.clone();
        for line in lines {
            let mut halves = line.splitn(2, |byte| *byte == b':');
            let name = halves.next().and_then(|name| HeaderName::from_bytes(name).ok());
            let value = halves.next().and_then(|value| HeaderValue::from_bytes(value.trim_ascii()).ok());
            if let (Some(name), Some(value)) = (name, value) {
                request.headers_mut().append(name, value);
            }
        }
        let headers = request.headers_mut();
        headers.entry("host").or_insert(HeaderValue::from_static(HOST));
        let token = HeaderValue::try_from(format!("Bearer {TOKEN}")).expect("a token is a header value");
        headers.entry("authorization").or_insert(token);
        let response = respond(request);
        for value in response.headers.get_all("link") {
            let link = value.to_str().expect("a link is ASCII");
            for part in link.split(", ") {
                let (url, relation) = part.split_once(">; rel=\"").unwrap_or_else(|| panic!("{link:?} of {target}"));
                let url =
                    url::Url::parse(url.trim_start_matches('<')).unwrap_or_else(|error| panic!("{error}: {link:?}"));
                assert!(url.path().starts_with('/') && relation.ends_with('"'), "{link:?} of {target}");
            }
        }
        if target.query().is_some_and(|query| query.contains("per_page"))
            && let Ok(serde_json::Value::Array(items)) = serde_json::from_slice(&response.body)
        {
            assert!(items.len() <= 100);
        }
    },
};
