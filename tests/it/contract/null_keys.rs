//! Null for an optional key of a body means the same as its absence.

use serde_json::{Value, json};

use crate::refs::{GIT, hubot, mona, rocket, sha_of, text};
use crate::support::Service;

/// Sends a body with null for all its optional keys.
async fn post(service: &Service, path: &str, body: Value) -> Value {
    mona(service).post(path, body).await.expect(201).json()
}

#[tokio::test]
async fn null_counts_as_absent_when_git_objects_and_refs_are_written() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let blob = post(&service, &format!("{GIT}/blobs"), json!({ "content": "x", "encoding": null })).await;
    let entry = json!({ "path": "a", "mode": "100644", "type": null, "sha": blob["sha"], "content": null });
    let written = json!({ "path": "b", "mode": "100644", "type": null, "sha": null, "content": "b" });
    let body = json!({ "base_tree": null, "tree": [entry, written] });
    let tree = post(&service, &format!("{GIT}/trees"), body).await;
    assert_eq!(tree["tree"].as_array().map(Vec::len), Some(2), "{tree}");
    let body = json!({
        "message": "m", "tree": tree["sha"], "parents": null, "author": null, "signature": null,
        "committer": { "name": null, "email": null, "date": null },
    });
    let commit = post(&service, &format!("{GIT}/commits"), body).await;
    assert_eq!((&commit["author"]["name"], &commit["parents"]), (&json!("Mona Lisa"), &json!([])));
    let body = json!({ "tag": "t", "message": "m", "object": main, "type": "commit", "tagger": null });
    assert_eq!(post(&service, &format!("{GIT}/tags"), body).await["tagger"]["name"], "Mona Lisa");
    let feature = sha_of(&service, "heads/feature").await;
    let body = json!({ "sha": feature, "force": null });
    let moved = hubot(&service).patch(&format!("{GIT}/refs/heads/main"), body).await.expect(200).json();
    assert_eq!(text(&moved["object"]["sha"]), feature);
}
