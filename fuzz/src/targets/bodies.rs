//! Bodies of requests, for every operation that takes one.

use axum::body::Body;
use http::{Method, Request};

use super::service::{HOST, TOKEN, respond};
use crate::Target;
use crate::input::first;

/// Operations with a body, each with an example of it.
const OPERATIONS: &[(Method, &str, &str)] = &[
    (
        Method::POST,
        "/orgs/octo-org/projectsV2/1/fields",
        r#"{"name":"Size","data_type":"single_select","single_select_options":[{"name":"S","color":"BLUE","description":"small"}]}"#,
    ),
    (
        Method::POST,
        "/users/mona/projectsV2/1/fields",
        r#"{"name":"Sprint","data_type":"iteration","iteration_configuration":{"start_date":"2026-01-05","duration":14,"iterations":[{"title":"One","start_date":"2026-01-05","duration":14}]}}"#,
    ),
    (Method::POST, "/orgs/octo-org/projectsV2/1/fields", r#"{"issue_field_id":2}"#),
    (
        Method::POST,
        "/orgs/octo-org/issue-fields",
        r#"{"name":"Team","data_type":"single_select","description":"x","visibility":"all","options":[{"name":"A","color":"red","priority":1,"description":null}]}"#,
    ),
    (
        Method::PATCH,
        "/orgs/octo-org/issue-fields/1",
        r#"{"name":"P","options":[{"id":1,"name":"High","color":"red","priority":1}]}"#,
    ),
    (
        Method::POST,
        "/repos/octo-org/hello/pulls/1/comments",
        r#"{"body":"a **b** @hubot","commit_id":"COMMIT","path":"a.txt","line":3,"side":"RIGHT","start_line":2,"start_side":"LEFT"}"#,
    ),
    (
        Method::POST,
        "/repos/octo-org/hello/pulls/1/comments",
        r#"{"body":"b","commit_id":"COMMIT","path":"a.txt","position":2,"subject_type":"file","in_reply_to":1}"#,
    ),
    (Method::POST, "/repos/octo-org/hello/pulls/1/comments/1/replies", r#"{"body":"reply"}"#),
    (Method::PATCH, "/repos/octo-org/hello/pulls/comments/1", r#"{"body":"changed"}"#),
    (Method::POST, "/repos/octo-org/hello/git/refs", r#"{"ref":"refs/heads/new","sha":"COMMIT"}"#),
    (Method::PATCH, "/repos/octo-org/hello/git/refs/heads/moving", r#"{"sha":"COMMIT","force":true}"#),
    (
        Method::POST,
        "/repos/octo-org/hello/pulls",
        r#"{"title":"t","head":"other","base":"main","body":"b","draft":false}"#,
    ),
    (Method::PATCH, "/repos/octo-org/hello/pulls/1", r#"{"title":"t","state":"open","base":"main","body":null}"#),
    (
        Method::POST,
        "/repos/octo-org/hello/pulls/1/reviews",
        r#"{"body":"r","event":"COMMENT","comments":[{"path":"a.txt","line":2,"body":"c"}]}"#,
    ),
    (Method::POST, "/repos/octo-org/hello/pulls/1/reviews/1/events", r#"{"event":"APPROVE","body":"x"}"#),
    (
        Method::POST,
        "/repos/octo-org/hello/git/commits",
        r#"{"message":"m","tree":"TREE","parents":["COMMIT"],"author":{"name":"n","email":"e@x","date":"2026-01-01T00:00:00+02:00"},"signature":"-----BEGIN"}"#,
    ),
    (
        Method::POST,
        "/repos/octo-org/hello/git/tags",
        r#"{"tag":"v2","message":"m","object":"COMMIT","type":"commit","tagger":{"name":"n","email":"e@x"}}"#,
    ),
    (
        Method::POST,
        "/repos/octo-org/hello/git/trees",
        r#"{"base_tree":"TREE","tree":[{"path":"x/y","mode":"100644","type":"blob","content":"z"},{"path":"a.txt","mode":"100644","type":"blob","sha":null}]}"#,
    ),
    (Method::POST, "/repos/octo-org/hello/git/blobs", r#"{"content":"aGVsbG8=","encoding":"base64"}"#),
    (
        Method::POST,
        "/orgs/octo-org/repos",
        r#"{"name":"new","private":true,"description":"d","has_issues":false,"visibility":"private"}"#,
    ),
    (Method::POST, "/user/repos", r#"{"name":"own","homepage":"https://a.b"}"#),
    (Method::POST, "/login/device/code", "client_id=Ov23tool&scope=repo%20user"),
    (
        Method::POST,
        "/login/oauth/access_token",
        r#"{"client_id":"Ov23tool","device_code":"x","grant_type":"urn:ietf:params:oauth:grant-type:device_code"}"#,
    ),
    (Method::POST, "/login/device/approve", r#"{"user_code":"ABCD-1234","decision":"approve"}"#),
    (Method::PATCH, "/notifications/threads/1", "{}"),
];

/// The head of the branch `feature` and its tree, which are the same every time.
const COMMIT: &str = "COMMIT";
const TREE: &str = "TREE";

/// The first byte is the operation. Any body gets a response, and never one with a server error.
pub const BODIES: Target = Target {
    name: "bodies",
    seeds: || {
        let seed = |(index, (_, _, body)): (usize, &(Method, &str, &str))| {
            let mut seed = vec![u8::try_from(index).expect("few operations")];
            seed.extend_from_slice(body.as_bytes());
            seed
        };
        OPERATIONS.iter().enumerate().map(seed).collect()
    },
    check: |data| {
        let (index, body) = first(data);
        let (method, path, _) = &OPERATIONS[usize::from(index) % OPERATIONS.len()];
        respond(request(method.clone(), path, with_names(body)));
    },
};

fn request(method: Method, path: &str, body: Vec<u8>) -> Request<Body> {
    let request = Request::builder().method(method).uri(path).header("host", HOST);
    let request = request.header("authorization", format!("Bearer {TOKEN}"));
    request.body(Body::from(body)).expect("the request is well formed")
}

/// Puts the names of objects where an input has their placeholders: no fuzzer guesses a hash.
fn with_names(body: &[u8]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(body) else { return body.to_vec() };
    if !text.contains(COMMIT) && !text.contains(TREE) {
        return body.to_vec();
    }
    let (commit, tree) = names();
    text.replace(COMMIT, &commit).replace(TREE, &tree).into_bytes()
}

fn names() -> (String, String) {
    thread_local! {
        static NAMES: std::cell::OnceCell<(String, String)> = const { std::cell::OnceCell::new() };
    }
    let find = || {
        let found = respond(request(Method::GET, "/repos/octo-org/hello/commits/feature", Vec::new()));
        let found: serde_json::Value = serde_json::from_slice(&found.body).expect("a commit is JSON");
        let text = |value: &serde_json::Value| value.as_str().expect("a name").to_owned();
        (text(&found["sha"]), text(&found["commit"]["tree"]["sha"]))
    };
    NAMES.with(|names| names.get_or_init(find).clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A seed that fails the first check would leave the rest of its operation to chance.
    #[test]
    fn seeds_reach_the_operations() {
        // Codes and drafts that these need are random, or do not exist at first.
        let unreachable = ["/reviews/1/events", "/login/device/approve", "/notifications/threads/1"];
        let mut rejected = Vec::new();
        for (method, path, body) in OPERATIONS {
            let response = respond(request(method.clone(), path, with_names(body.as_bytes())));
            if !response.status.is_success() && !unreachable.iter().any(|end| path.ends_with(end)) {
                let text = String::from_utf8_lossy(&response.body).into_owned();
                rejected.push(format!("{method} {path}: {} {text}", response.status));
            }
        }
        assert!(rejected.is_empty(), "{}", rejected.join("\n"));
    }
}
