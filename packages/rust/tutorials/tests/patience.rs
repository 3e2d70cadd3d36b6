mod support;

use std::sync::Mutex;
use std::time::Duration;

use plinth_test::Filter;
use plinth_test_tutorials::patience::patiently;
use serde_json::json;
use support::{client, server};

const COMMENTS: &str = "/repos/mona/hello/issues/1/comments";

async fn meet(rate_limit: &str, expected: i64) {
    let plinth = server();
    plinth.clock().freeze().unwrap();
    let fault = json!({ "match": { "operation": "issues/create-comment" }, "rate_limit": rate_limit });
    plinth.faults().add(&fault).unwrap();
    let (github, slept) = (client(&plinth, "ghp_hubot"), Mutex::new(Vec::new()));

    let comment = async || github._post(COMMENTS, Some(&json!({ "body": "Hello" }))).await;
    let sleep = async |seconds: i64| {
        slept.lock().unwrap().push(seconds);
        plinth.clock().advance(Duration::from_secs(seconds.unsigned_abs())).unwrap();
    };
    let response = patiently(comment, sleep).await.unwrap();
    assert_eq!(response.status(), 201);
    assert_eq!(*slept.lock().unwrap(), [expected]);
    let requests = plinth.requests().list(&Filter::default()).unwrap();
    assert_eq!(requests.iter().map(|request| request.status).collect::<Vec<_>>(), [Some(403), Some(201)]);
}

#[tokio::test]
async fn patiently_waits_for_the_end_of_a_secondary_rate_limit() {
    meet("secondary", 60).await;
}

#[tokio::test]
async fn patiently_waits_for_the_end_of_a_primary_rate_limit() {
    meet("primary", 3600).await;
}
