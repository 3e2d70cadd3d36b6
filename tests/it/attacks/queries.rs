//! Queries of GraphQL that are small to send and large to execute.

use serde_json::{Value, json};

use crate::support::pull_request::{PULL, PullRequestFixture};

async fn fixture() -> PullRequestFixture {
    let fixture = PullRequestFixture::new(&[("file", "1\n")], &[("file", Some("2\n"))]).await;
    fixture.service.settled().await;
    fixture
}

/// Sends a query that must not be executed, and returns why.
async fn rejected(fixture: &PullRequestFixture, query: &str, variables: Value) -> String {
    let body = json!({ "query": query, "variables": variables });
    let found = fixture.user("guest").post("/graphql", body).await.expect(200).json();
    assert_eq!(found.get("data"), None, "{}", &query[..query.len().min(200)]);
    let message = found["errors"][0]["message"].as_str().expect("an error has a message").to_owned();
    assert!(message.len() < 1_000, "a message repeats little of the query");
    message
}

fn in_repository(fields: &str) -> String {
    format!("{{ repository(owner: \"acme\", name: \"rocket\") {{ {fields} }} }}")
}

#[tokio::test]
async fn deeply_nested_documents_are_rejected_in_every_form() {
    let fixture = fixture().await;
    let around = |open: &str, inner: &str, close: &str, levels: usize| {
        format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
    };
    for levels in [60, 10_000, 30_000] {
        for query in [
            around("{ a ", "x", " }", levels),
            format!("{{ viewer(a: {}) {{ login }} }}", around("[", "1", "]", levels)),
            format!("{{ viewer(a: {}) {{ login }} }}", around("{a: ", "1", "}", levels)),
            format!("query($a: {}) {{ viewer {{ login }} }}", around("[", "Int", "]", levels)),
            format!("{{ {} }}", around("... on User { ", "login", " }", levels)),
            "{".repeat(levels),
            // Brackets that are closed only in strings and comments.
            format!("{{ viewer(a: \"{}\") {}", "}".repeat(levels), around("{ a ", "x", " }", levels)),
            format!("#{}\n{}", "}".repeat(levels), around("{ a ", "x", " }", levels)),
        ] {
            let message = rejected(&fixture, &query, json!({})).await;
            assert!(
                ["Query is nested too deeply", "Query has more than 262144 bytes"].contains(&message.as_str()),
                "{message}"
            );
        }
    }
}

#[tokio::test]
async fn fragments_that_include_each_other_are_rejected() {
    let fixture = fixture().await;
    let cycle = "{ viewer { ...a } } fragment a on User { ...b } fragment b on User { ...a }";
    assert_eq!(rejected(&fixture, cycle, json!({})).await, "Query has depth of more than 25");
    let own = "{ viewer { ...a } } fragment a on User { login ...a ...a }";
    assert_eq!(rejected(&fixture, own, json!({})).await, "Query has depth of more than 25");
    // Each fragment includes the next one twice: two to the power of twenty fields.
    let doubled = (0..20).map(|n| format!("fragment f{n} on User {{ ...f{0} ...f{0} }} ", n + 1)).collect::<String>();
    let doubled = format!("{{ viewer {{ ...f0 }} }} {doubled} fragment f20 on User {{ login }}");
    assert_eq!(rejected(&fixture, &doubled, json!({})).await, "Query has more than 20000 fields");
}

#[tokio::test]
async fn aliases_cannot_multiply_reads_or_results() {
    let fixture = fixture().await;
    let many = (0..600).map(|n| format!("p{n}: pullRequest(number: {n}) {{ id }} ")).collect::<String>();
    assert_eq!(rejected(&fixture, &in_repository(&many), json!({})).await, "Query needs more than 500 reads");
    fixture.user("mona").patch(PULL, json!({ "body": "x".repeat(60_000) })).await.expect(200);
    let bodies = (0..1_000).map(|n| format!("b{n}: body ")).collect::<String>();
    let bodies = in_repository(&format!("pullRequest(number: 1) {{ {bodies} }}"));
    assert_eq!(rejected(&fixture, &bodies, json!({})).await, "Query has a result that is too large");
    let pulls = (0..5_000).map(|n| format!("p{n}: pullRequest(number: 1) {{ number }} ")).collect::<String>();
    assert_eq!(rejected(&fixture, &in_repository(&pulls), json!({})).await, "Query takes too much work");
}

#[tokio::test]
async fn large_documents_and_variables_are_rejected() {
    let fixture = fixture().await;
    let wide = "login ".repeat(60_000);
    assert_eq!(
        rejected(&fixture, &format!("{{ viewer {{ {wide} }} }}"), json!({})).await,
        "Query has more than 262144 bytes"
    );
    let fields = "id ".repeat(30_000);
    assert_eq!(
        rejected(&fixture, &format!("{{ viewer {{ {fields} }} }}"), json!({})).await,
        "Query has more than 20000 fields"
    );
    let unfinished = format!("{{ viewer(a: \"{}", "x".repeat(100_000));
    assert!(rejected(&fixture, &unfinished, json!({})).await.starts_with("query parse error"));
    let uses = (0..5_000).map(|n| format!("v{n}: viewer(a: [$big, $big]) {{ id }} ")).collect::<String>();
    let query = format!("query($big: String) {{ {uses} }}");
    let message = rejected(&fixture, &query, json!({ "big": "x".repeat(500_000) })).await;
    assert_eq!(message, "Query uses large variables too often");
    // More than that is not read at all.
    let huge = json!({ "query": "x".repeat(2 * 1024 * 1024) });
    fixture.user("guest").post("/graphql", huge).await.expect(413);
}
