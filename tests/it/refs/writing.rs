//! Creating, updating and deleting refs.

use expect_test::expect;
use serde_json::json;

use super::{GIT, first_commit, hubot, mona, names, rocket, sha_of, text};

const UNKNOWN: &str = "0123456789abcdef0123456789abcdef01234567";

#[tokio::test]
async fn create_ref_returns_new_ref() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let made =
        hubot(&service).post(&format!("{GIT}/refs"), json!({ "ref": "refs/heads/new/branch", "sha": main })).await;
    expect![[r#"
        201
        {
          "node_id": "REF_kwABtXJlZnMvaGVhZHMvbmV3L2JyYW5jaA",
          "object": {
            "sha": "eef1bfddd3885abce41f3a5170474789ec515115",
            "type": "commit",
            "url": "http://plinth.test/repos/acme/rocket/git/commits/eef1bfddd3885abce41f3a5170474789ec515115"
          },
          "ref": "refs/heads/new/branch",
          "url": "http://plinth.test/repos/acme/rocket/git/refs/heads/new/branch"
        }"#]]
    .assert_eq(&made.to_string());
    assert_eq!(made.header("location"), Some("http://plinth.test/repos/acme/rocket/git/refs/heads/new/branch"));
    assert_eq!(sha_of(&service, "heads/new/branch").await, main);
}

#[tokio::test]
async fn create_ref_rejects_invalid_input_with_message() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let commit = mona(&service).get(&format!("{GIT}/commits/{main}")).await.json();
    let tree = text(&commit["tree"]["sha"]);
    let mut seen = String::new();
    for body in [
        json!({}),
        json!({ "ref": 1, "sha": null }),
        json!({ "ref": "refs/heads/x", "sha": "abcdef0" }),
        json!({ "ref": "refs/heads/x", "sha": format!("{main}0") }),
        json!({ "ref": "heads/x", "sha": main }),
        json!({ "ref": "refs/nonsense", "sha": main }),
        json!({ "ref": "refs/heads/", "sha": main }),
        json!({ "ref": "refs//refs/heads/x", "sha": main }),
        json!({ "ref": "refs/pull/1/head", "sha": main }),
        json!({ "ref": "refs/heads/x", "sha": UNKNOWN }),
        json!({ "ref": "refs/heads/x", "sha": "0".repeat(40) }),
        json!({ "ref": "refs/heads/x", "sha": "g".repeat(40) }),
        json!({ "ref": "refs/heads/x", "sha": tree }),
        json!({ "ref": "refs/heads/main", "sha": main }),
        json!({ "ref": "refs/tags/v1", "sha": main }),
        json!({ "ref": "refs/heads/main/below", "sha": main }),
        json!({ "ref": "refs/heads", "sha": main }),
    ] {
        let response = hubot(&service).post(&format!("{GIT}/refs"), body).await;
        assert!(response.json().get("errors").is_none(), "clients match the bare message");
        seen += &format!("{} {}\n", response.status, response.message());
    }
    expect![[r#"
        422 Invalid request.

        "ref", "sha" weren't supplied.
        422 Invalid request.

        For 'properties/ref', 1 is not a string.
        For 'properties/sha', nil is not a string.
        422 Invalid request.

        At least 40 characters are required; only 7 were supplied.
        422 Invalid request.

        Only 40 characters are allowed; 41 were supplied.
        422 Reference name must start with 'refs/'.
        422 Reference name must contain at least three slash-separated components.
        422 refs/heads/ is not a valid ref name.
        422 refs//refs/heads/x is not a valid ref name.
        422 refs/pull/1/head is in a reserved namespace.
        422 Object does not exist
        422 Object does not exist
        422 Object does not exist
        422 Reference update failed
        422 Reference already exists
        422 Reference already exists
        422 Reference update failed
        422 Reference name must contain at least three slash-separated components.
    "#]]
    .assert_eq(&seen);
    hubot(&service).post(&format!("{GIT}/refs"), json!({ "ref": "refs/others/tree", "sha": tree })).await.expect(201);
    assert_eq!(names(&mona(&service).get(&format!("{GIT}/matching-refs/")).await).len(), 6);
}

#[tokio::test]
async fn create_ref_in_empty_repository_returns_409() {
    let service = rocket().await;
    let body = json!({ "ref": "nonsense", "sha": UNKNOWN });
    let response = mona(&service).post("/repos/acme/empty/git/refs", body).await;
    expect![[r#"
        409
        {
          "documentation_url": "http://plinth.test/docs#git/create-ref",
          "message": "Git Repository is empty.",
          "status": "409"
        }"#]]
    .assert_eq(&response.to_string());
    let move_it = mona(&service).patch("/repos/acme/empty/git/refs/heads/main", json!({ "sha": UNKNOWN })).await;
    let delete_it = mona(&service).delete("/repos/acme/empty/git/refs/heads/main").await;
    for response in [move_it, delete_it] {
        assert_eq!((response.status, response.message().as_str()), (409, "Git Repository is empty."));
    }
}

#[tokio::test]
async fn update_ref_requires_force_unless_fast_forward() {
    let service = rocket().await;
    let (main, feature) = (sha_of(&service, "heads/main").await, sha_of(&service, "heads/feature").await);
    let moved = hubot(&service).patch(&format!("{GIT}/refs/heads/main"), json!({ "sha": feature })).await;
    expect![[r#"
        200
        {
          "node_id": "REF_kwABr3JlZnMvaGVhZHMvbWFpbg",
          "object": {
            "sha": "edd314b01011f73c97144778d14850207b33e50f",
            "type": "commit",
            "url": "http://plinth.test/repos/acme/rocket/git/commits/edd314b01011f73c97144778d14850207b33e50f"
          },
          "ref": "refs/heads/main",
          "url": "http://plinth.test/repos/acme/rocket/git/refs/heads/main"
        }"#]]
    .assert_eq(&moved.to_string());
    let back = hubot(&service).patch(&format!("{GIT}/refs/heads/main"), json!({ "sha": main })).await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#git/update-ref",
          "message": "Update is not a fast forward",
          "status": "422"
        }"#]]
    .assert_eq(&back.to_string());
    let same =
        hubot(&service).patch(&format!("{GIT}/refs/heads/main"), json!({ "sha": feature, "force": false })).await;
    assert_eq!(same.expect(200).json()["object"]["sha"], feature.as_str());
    let forced =
        hubot(&service).patch(&format!("{GIT}/refs/heads%2Fmain"), json!({ "sha": main, "force": true })).await;
    assert_eq!(forced.expect(200).json()["object"]["sha"], main.as_str());
    assert_eq!(sha_of(&service, "heads/main").await, main);
}

#[tokio::test]
async fn update_ref_rejects_invalid_input_with_message() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let tag = sha_of(&service, "tags/v1").await;
    let side = sha_of(&service, "heads/side").await;
    let mut seen = String::new();
    for (name, body) in [
        ("heads/main", json!({})),
        ("heads/main", json!({ "sha": "abc", "force": "yes" })),
        ("heads/none", json!({ "sha": main })),
        ("refs/heads/main", json!({ "sha": main })),
        ("heads/bad..name", json!({ "sha": main })),
        ("pull/1/head", json!({ "sha": main })),
        ("heads/main", json!({ "sha": UNKNOWN })),
        ("heads/main", json!({ "sha": UNKNOWN, "force": true })),
        ("heads/main", json!({ "sha": tag, "force": true })),
        ("heads/main", json!({ "sha": side })),
        ("tags/light", json!({ "sha": side })),
        ("tags/v1", json!({ "sha": main })),
    ] {
        let response = hubot(&service).patch(&format!("{GIT}/refs/{name}"), body).await;
        seen += &format!("{} {}\n", response.status, response.message());
    }
    expect![[r#"
        422 Invalid request.

        "sha" wasn't supplied.
        422 Invalid request.

        At least 40 characters are required; only 3 were supplied.
        For 'properties/force', yes is not a boolean.
        422 Reference does not exist
        422 Reference does not exist
        422 Reference does not exist
        422 refs/pull/1/head is in a reserved namespace.
        422 Object does not exist
        422 Object does not exist
        422 Object is not a commit
        422 Update is not a fast forward
        422 Update is not a fast forward
        422 Update is not a fast forward
    "#]]
    .assert_eq(&seen);
    assert_eq!(sha_of(&service, "heads/main").await, main);
    assert_eq!(sha_of(&service, "tags/v1").await, tag);
    let forced = json!({ "sha": main, "force": true });
    hubot(&service).patch(&format!("{GIT}/refs/tags/v1"), forced).await.expect(200);
}

#[tokio::test]
async fn refs_outside_heads_accept_any_object_and_move_freely() {
    let service = rocket().await;
    let make = |content: &'static str| {
        let client = hubot(&service);
        async move { text(&client.post(&format!("{GIT}/blobs"), json!({ "content": content })).await.json()["sha"]) }
    };
    let (one, two) = (make("one").await, make("two").await);
    let made =
        hubot(&service).post(&format!("{GIT}/refs"), json!({ "ref": "refs/others/x", "sha": one })).await.expect(201);
    assert_eq!(made.json()["object"]["type"], "blob");
    hubot(&service).patch(&format!("{GIT}/refs/others/x"), json!({ "sha": two })).await.expect(200);
    let (light, first) = (sha_of(&service, "tags/light").await, first_commit(&service).await);
    hubot(&service).patch(&format!("{GIT}/refs/tags/light"), json!({ "sha": first })).await.expect(422);
    hubot(&service).patch(&format!("{GIT}/refs/tags/light"), json!({ "sha": first, "force": true })).await.expect(200);
    hubot(&service).patch(&format!("{GIT}/refs/tags/light"), json!({ "sha": light })).await.expect(200);
}

#[tokio::test]
async fn delete_ref_removes_ref_but_not_default_branch() {
    let service = rocket().await;
    let gone = hubot(&service).delete(&format!("{GIT}/refs/heads/feature")).await.expect(204);
    assert!(gone.body.is_empty());
    hubot(&service).get(&format!("{GIT}/ref/heads/feature")).await.expect(404);
    let again = hubot(&service).delete(&format!("{GIT}/refs/heads/feature")).await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#git/delete-ref",
          "message": "Reference does not exist",
          "status": "422"
        }"#]]
    .assert_eq(&again.to_string());
    let default = hubot(&service).delete(&format!("{GIT}/refs/heads/main")).await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#git/delete-ref",
          "message": "Cannot delete the default branch",
          "status": "422"
        }"#]]
    .assert_eq(&default.to_string());
    hubot(&service).delete(&format!("{GIT}/refs/tags/v1")).await.expect(204);
    for name in ["refs/tags/light", "tags", "heads/", "tags/x..y"] {
        let response = hubot(&service).delete(&format!("{GIT}/refs/{name}")).await;
        assert_eq!((response.status, response.message().as_str()), (422, "Reference does not exist"), "{name}");
    }
}

#[tokio::test]
async fn directory_file_conflict_ends_when_ref_is_deleted() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let make = |name: &'static str| {
        let (client, main) = (hubot(&service), main.clone());
        async move { client.post(&format!("{GIT}/refs"), json!({ "ref": name, "sha": main })).await }
    };
    make("refs/heads/a/b").await.expect(201);
    assert_eq!(make("refs/heads/a").await.expect(422).message(), "Reference update failed");
    assert_eq!(make("refs/heads/a/b/c").await.expect(422).message(), "Reference update failed");
    make("refs/heads/a-b").await.expect(201);
    make("refs/heads/d/1/2/3/4/5").await.expect(201);
    for name in ["refs/heads/d", "refs/heads/d/1/2/3/4", "refs/heads/d/1/2/3/4/5/6", "refs/heads/d/1/2/3/4/5/6/7/8/9"] {
        assert_eq!(make(name).await.expect(422).message(), "Reference update failed", "{name}");
    }
    hubot(&service).delete(&format!("{GIT}/refs/heads/a/b")).await.expect(204);
    make("refs/heads/a").await.expect(201);
}

#[tokio::test]
async fn create_ref_rejects_object_of_another_repository() {
    let service = rocket().await;
    let hidden = mona(&service).get("/repos/acme/hidden/git/ref/heads/main").await.expect(200);
    let secret = text(&hidden.json()["object"]["sha"]);
    let post = |sha: String| {
        let client = hubot(&service);
        async move { client.post(&format!("{GIT}/refs"), json!({ "ref": "refs/heads/stolen", "sha": sha })).await }
    };
    assert_eq!(post(secret.clone()).await.comparable(), post(UNKNOWN.into()).await.comparable());
    let patch = |sha: String| {
        let client = hubot(&service);
        async move { client.patch(&format!("{GIT}/refs/heads/main"), json!({ "sha": sha, "force": true })).await }
    };
    assert_eq!(patch(secret.clone()).await.comparable(), patch(UNKNOWN.into()).await.comparable());
    for kind in ["commits", "trees", "blobs", "tags"] {
        let real = hubot(&service).get(&format!("{GIT}/{kind}/{secret}")).await;
        let unknown = hubot(&service).get(&format!("{GIT}/{kind}/{UNKNOWN}")).await;
        assert_eq!(real.comparable(), unknown.comparable());
    }
}
