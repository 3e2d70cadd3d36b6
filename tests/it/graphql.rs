//! Queries of GraphQL: the part of GitHub's schema that tools use besides REST.

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::Service;
use crate::support::pull_request::{PULL, PullRequestFixture};
use plinth_api::settings::Settings;
use plinth_core::rate_limit::RateLimits;

const FILE: &str = "1\n2\n3\n";

async fn fixture() -> PullRequestFixture {
    let fixture = PullRequestFixture::new(&[("file", FILE)], &[("file", Some("1\ntwo\n3\n"))]).await;
    fixture.service.settled().await;
    fixture
}

async fn query(fixture: &PullRequestFixture, login: &str, text: &str, variables: Value) -> Value {
    let body = json!({ "query": text, "variables": variables });
    fixture.user(login).post("/graphql", body).await.expect(200).json()
}

#[tokio::test]
async fn branch_shows_its_open_pull_requests() {
    let fixture = fixture().await;
    let text = "query open($owner: String!, $repo: String!, $head: String!) { repository(name: $repo, owner: $owner) { \
                ref(qualifiedName: $head) { associatedPullRequests(first: 1, states: OPEN) { edges { node { id number url } } } } } }";
    let variables = |head: &str| json!({ "owner": "acme", "repo": "rocket", "head": head });
    let found = query(&fixture, "mona", text, variables("feature")).await;
    let pull = fixture.user("mona").get(PULL).await.expect(200).json();
    let node = json!({ "id": pull["node_id"], "number": 1, "url": pull["html_url"] });
    let pulls = json!({ "associatedPullRequests": { "edges": [{ "node": node }] } });
    assert_eq!(found, json!({ "data": { "repository": { "ref": pulls } } }));
    assert_eq!(query(&fixture, "mona", text, variables("refs/heads/feature")).await, found);
    let absent = query(&fixture, "mona", text, variables("absent")).await;
    assert_eq!(absent, json!({ "data": { "repository": { "ref": null } } }));
    fixture.user("mona").patch(PULL, json!({ "state": "closed" })).await.expect(200);
    let closed = query(&fixture, "mona", text, variables("feature")).await;
    assert_eq!(closed["data"]["repository"]["ref"]["associatedPullRequests"]["edges"], json!([]));
}

#[tokio::test]
async fn commit_shows_its_pull_requests_with_aliases_fragments_and_types() {
    let fixture = fixture().await;
    let head = &fixture.head;
    let text = format!(
        "query($owner: String = \"acme\") {{ repository(owner: $owner, name: \"rocket\") {{ \
           c1: object(oid: \"{head}\") {{ __typename ...on Commit {{ oid associatedPullRequests(first: 100) {{ \
             pageInfo {{ endCursor hasNextPage }} nodes {{ ...shown ... on Issue {{ stateReason }} }} }} }} }} \
           c2: object(oid: \"0000000000000000000000000000000000000001\") {{ ...on Commit {{ oid }} }} }} }} \
         fragment shown on PullRequest {{ __typename number title body state isDraft merged mergeable changedFiles \
           comments {{ totalCount }} commits {{ totalCount }} labels(first: 40) {{ nodes {{ name }} }} milestone {{ title }} \
           author {{ __typename login }} mergedBy {{ login }} headRefName baseRefName locked }}"
    );
    let found = query(&fixture, "guest", &text, json!({})).await;
    assert_eq!(found["data"]["repository"]["c2"], Value::Null);
    let commit = &found["data"]["repository"]["c1"];
    assert_eq!((&commit["__typename"], &commit["oid"]), (&json!("Commit"), &json!(head)));
    assert_eq!(commit["associatedPullRequests"]["pageInfo"], json!({ "endCursor": "2", "hasNextPage": false }));
    expect![[r#"
        [
          {
            "__typename": "PullRequest",
            "author": {
              "__typename": "User",
              "login": "mona"
            },
            "baseRefName": "main",
            "body": "Please",
            "changedFiles": 1,
            "comments": {
              "totalCount": 0
            },
            "commits": {
              "totalCount": 1
            },
            "headRefName": "feature",
            "isDraft": false,
            "labels": {
              "nodes": []
            },
            "locked": false,
            "mergeable": "MERGEABLE",
            "merged": false,
            "mergedBy": null,
            "milestone": null,
            "number": 1,
            "state": "OPEN",
            "title": "Change"
          }
        ]"#]]
    .assert_eq(&format!("{:#}", commit["associatedPullRequests"]["nodes"]));
}

#[tokio::test]
async fn merged_pull_request_has_its_state_and_commit() {
    let fixture = fixture().await;
    fixture.user("hubot").send(http::Method::PUT, &format!("{PULL}/merge"), "{}").await.expect(200);
    let text = "{ repository(owner: \"acme\", name: \"rocket\") { issueOrPullRequest(number: 1) { ... on PullRequest { \
                state merged mergedBy { login } mergeCommit { oid } } } merged: pullRequests(first: 5, states: [MERGED]) { nodes { number } } \
                closed: pullRequests(first: 5, states: CLOSED) { nodes { number } } } }";
    let found = query(&fixture, "mona", text, json!({})).await;
    let repository = &found["data"]["repository"];
    let pull = &repository["issueOrPullRequest"];
    assert_eq!(
        (&pull["state"], &pull["merged"], &pull["mergedBy"]["login"]),
        (&json!("MERGED"), &json!(true), &json!("hubot"))
    );
    assert!(pull["mergeCommit"]["oid"].is_string(), "{found}");
    assert_eq!(repository["merged"]["nodes"], json!([{ "number": 1 }]));
    assert_eq!(repository["closed"]["nodes"], json!([]));
}

#[tokio::test]
async fn history_of_a_branch_has_pages_and_the_files_of_its_pull_requests() {
    let fixture = fixture().await;
    let text = "query($after: String) { repository(owner: \"acme\", name: \"rocket\") { defaultBranchRef { name } \
                ref(qualifiedName: \"refs/heads/feature\") { target { ... on Commit { history(first: 1, after: $after) { \
                  nodes { sha: oid message author { name email user { login } } \
                    associatedPullRequests(first: 10) { nodes { number files(first: 100) { nodes { path changeType } } } } } \
                  pageInfo { hasNextPage endCursor } } } } } } }";
    let first = query(&fixture, "guest", text, json!({})).await;
    assert_eq!(first["data"]["repository"]["defaultBranchRef"]["name"], "main");
    let history = &first["data"]["repository"]["ref"]["target"]["history"];
    let [newest] = history["nodes"].as_array().expect("a list").as_slice() else { panic!("{first}") };
    assert_eq!((&newest["sha"], &newest["author"]["user"]["login"]), (&json!(fixture.head), &json!("hubot")));
    let files = json!({ "nodes": [{ "path": "file", "changeType": "MODIFIED" }] });
    assert_eq!(newest["associatedPullRequests"]["nodes"], json!([{ "number": 1, "files": files }]));
    assert_eq!(history["pageInfo"], json!({ "hasNextPage": true, "endCursor": "2" }));
    let second = query(&fixture, "guest", text, json!({ "after": "2" })).await;
    let history = &second["data"]["repository"]["ref"]["target"]["history"];
    assert_eq!(history["nodes"][0]["sha"], fixture.base);
    assert_eq!(history["pageInfo"]["hasNextPage"], false);
}

#[tokio::test]
async fn absent_and_hidden_repositories_look_the_same() {
    let state = crate::support::fixtures::mona()
        .users(&["stranger"])
        .repo("mona/secret", "private: true")
        .classic("mona", "repo", "ghp_mona0000")
        .classic("mona", "", "ghp_noscope0")
        .classic("stranger", "repo", "ghp_stranger")
        .to_string();
    let service = Service::with(&state).await;
    let ask = async |token: &str, name: &str| {
        let text = format!("{{ repository(owner: \"mona\", name: \"{name}\") {{ nameWithOwner isPrivate }} }}");
        service.with_token(token).post("/graphql", json!({ "query": text })).await.expect(200).json()
    };
    assert_eq!(
        ask("ghp_mona0000", "secret").await["data"]["repository"],
        json!({ "nameWithOwner": "mona/secret", "isPrivate": true })
    );
    let absent = ask("ghp_stranger", "absent").await.to_string();
    for token in ["ghp_stranger", "ghp_noscope0"] {
        assert_eq!(ask(token, "secret").await.to_string(), absent.replace("absent", "secret"));
    }
    expect![[r#"{"data":{"repository":null},"errors":[{"locations":[{"column":3,"line":1}],"message":"Could not resolve to a Repository with the name 'mona/absent'.","path":["repository"],"type":"NOT_FOUND"}]}"#]]
        .assert_eq(&absent);
}

#[tokio::test]
async fn query_without_a_token_is_rejected() {
    let service = Service::with("").await;
    let response = service.anonymous().post("/graphql", json!({ "query": "{ viewer { login } }" })).await.expect(401);
    assert_eq!(response.message(), "Requires authentication");
}

#[tokio::test]
async fn wrong_queries_are_explained_and_not_executed() {
    let fixture = fixture().await;
    for (text, message) in [
        ("{ viewer { login ", "query parse error"),
        ("{ viewer { wealth } }", "Field 'wealth' doesn't exist on type 'User'"),
        ("{ planet { name } }", "Field 'planet' doesn't exist on type 'Query'"),
        ("{ viewer }", "Field 'viewer' must have selections"),
        ("{ viewer { ...absent } }", "Fragment absent was used, but not defined"),
        ("query($a: Int!) { viewer { login } }", "Variable $a of type Int! was provided invalid value"),
        ("{ repository(owner: $owner, name: \"x\") { id } }", "Variable $owner is used but not declared"),
        ("query a { viewer { login } } query b { viewer { login } }", "An operation name is required"),
        ("mutation { addStar(input: {}) { clientMutationId } }", "Mutations are not supported; use the REST API"),
        (
            "{ repository(owner: \"acme\", name: \"rocket\") { pullRequests { nodes { id } } } }",
            "You must provide a `first` value between 1 and 100",
        ),
        ("{ repository(owner: \"acme\", name: \"rocket\") { $path } }", "query parse error"),
    ] {
        let found = query(&fixture, "mona", text, json!({})).await;
        let shown = found["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(shown.starts_with(message), "{text}: {found}");
        assert_eq!(found.get("data"), None, "{text}");
    }
    let response = fixture.user("mona").post("/graphql", json!({})).await.expect(400);
    assert_eq!(response.message(), "A query attribute must be specified and must be a string.");
}

#[tokio::test]
async fn reads_of_a_query_count_in_the_rate_limit() {
    let limits = RateLimits { requests_per_hour: 4, ..RateLimits::default() };
    let settings = Settings { rate_limits: limits, ..Settings::default() };
    let state = crate::support::fixtures::mona().classic("mona", "repo", "ghp_mona0000").to_string();
    let service = Service::with_settings(&state, settings).await;
    let mona = service.with_token("ghp_mona0000");
    // One for the request, and one for each of two reads.
    let text = "{ viewer { login } again: viewer { login } repository(owner: \"mona\", name: \"x\") { id } }";
    mona.post("/graphql", json!({ "query": text })).await.expect(200);
    let text = "{ viewer { login } }";
    let response = mona.post("/graphql", json!({ "query": text })).await.expect(403);
    assert!(response.message().starts_with("API rate limit exceeded"), "{response:?}");
}

#[tokio::test]
async fn viewer_is_the_user_of_the_token_on_both_paths() {
    let fixture = fixture().await;
    for path in ["/graphql", "/api/graphql"] {
        let body =
            json!({ "query": "query who { viewer { login } } query other { viewer { id } }", "operationName": "who" });
        let found = fixture.user("hubot").post(path, body).await.expect(200).json();
        assert_eq!(found, json!({ "data": { "viewer": { "login": "hubot" } } }));
    }
}
