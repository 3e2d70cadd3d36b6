//! Authors, committers and taggers of new objects.

use expect_test::expect;
use serde_json::json;

use super::{GIT, hubot, mona, rocket, sha_of, text};

#[tokio::test]
async fn create_commit_rejects_incomplete_people_and_bad_trees() {
    let service = rocket().await;
    let tree = text(&mona(&service).get(&format!("{GIT}/trees/main")).await.json()["sha"]);
    let mut seen = String::new();
    for extra in [
        json!({ "tree": "nonsense" }),
        json!({ "tree": "1".repeat(40) }),
        json!({ "tree": null }),
        json!({ "author": { "name": "", "email": "" } }),
        json!({ "author": { "name": "", "email": "bob@bob.bob" } }),
        json!({ "author": { "name": "Bob", "email": "" } }),
        json!({ "author": { "name": null, "email": null } }),
        json!({ "author": { "name": "Bob" } }),
        json!({ "author": { "name": "Bob", "email": "b", "date": "4728-11-02T15:05:10" } }),
        json!({ "committer": { "email": " " } }),
    ] {
        let mut body = json!({ "message": "m", "tree": tree });
        let keys = extra.as_object().expect("an object").clone();
        body.as_object_mut().expect("an object").extend(keys);
        let response = hubot(&service).post(&format!("{GIT}/commits"), body).await.expect(422);
        seen += &format!("{} {}\n", response.message(), response.json()["errors"]);
    }
    let main = sha_of(&service, "heads/main").await;
    let tagger = json!({ "name": "", "email": "" });
    let body = json!({ "tag": "t", "message": "m", "object": main, "type": "commit", "tagger": tagger });
    let response = hubot(&service).post(&format!("{GIT}/tags"), body).await.expect(422);
    seen += &format!("{} {}\n", response.message(), response.json()["errors"]);
    expect![[r#"
        The tree parameter must be exactly 40 characters and contain only [0-9a-f]. null
        Tree SHA does not exist null
        Invalid request.

        For 'properties/tree', nil is not a string. null
        Validation Failed [{"code":"missing_field","field":"name","resource":"author"},{"code":"missing_field","field":"email","resource":"author"}]
        Validation Failed [{"code":"missing_field","field":"name","resource":"author"}]
        Validation Failed [{"code":"missing_field","field":"email","resource":"author"}]
        Invalid request.

        For 'properties/email', nil is not a string.
        For 'properties/name', nil is not a string. null
        Invalid request.

        "email" wasn't supplied. null
        Invalid request.

        4728-11-02T15:05:10 is not a valid date-time. null
        Validation Failed [{"code":"missing_field","field":"email","resource":"committer"}]
        Validation Failed [{"code":"missing_field","field":"name","resource":"tagger"},{"code":"missing_field","field":"email","resource":"tagger"}]
    "#]].assert_eq(&seen);
}

#[tokio::test]
async fn dates_before_1970_become_1970() {
    let service = rocket().await;
    let tree = text(&mona(&service).get(&format!("{GIT}/trees/main")).await.json()["sha"]);
    let person = json!({ "name": "Bob", "email": "bob@example.org", "date": "1932-11-02T15:05:10+08:00" });
    let body = json!({ "message": "m", "tree": tree, "author": person });
    let commit = hubot(&service).post(&format!("{GIT}/commits"), body).await.expect(201).json();
    assert_eq!(commit["author"]["date"], "1970-01-01T00:00:00Z");
    let body = json!({ "tag": "t", "message": "m", "object": commit["sha"], "type": "commit", "tagger": person });
    let tag = hubot(&service).post(&format!("{GIT}/tags"), body).await.expect(201).json();
    assert_eq!(tag["tagger"]["date"], "1970-01-01T00:00:00Z");
}
