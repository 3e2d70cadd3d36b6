//! Releases from their creation to their deletion.

use expect_test::expect;

use super::*;

#[tokio::test]
async fn created_release_has_every_field_and_its_tag() {
    let fixture = fixture().await;
    let body = json!({ "tag_name": "v1.0", "target_commitish": "feature", "name": "One", "body": "**Bold**" });
    let created = fixture.user("hubot").post(RELEASES, body).await.expect(201);
    let mut shown = created.json();
    assert_eq!(created.header("location"), shown["url"].as_str());
    assert_eq!(tag(&fixture, "v1.0").await.as_deref(), Some(fixture.head.as_str()));
    assert_eq!(shown["author"]["login"], "hubot");
    shown["author"] = Value::Null;
    expect![[r#"
        {
          "assets": [],
          "assets_url": "http://plinth.test/repos/acme/rocket/releases/1/assets",
          "author": null,
          "body": "**Bold**",
          "created_at": "2026-02-25T06:13:20Z",
          "draft": false,
          "html_url": "http://plinth.test/acme/rocket/releases/tag/v1.0",
          "id": 1,
          "immutable": false,
          "name": "One",
          "node_id": "RE_kwABAQ",
          "prerelease": false,
          "published_at": "2026-02-25T06:13:20Z",
          "tag_name": "v1.0",
          "tarball_url": "http://plinth.test/repos/acme/rocket/tarball/v1.0",
          "target_commitish": "feature",
          "updated_at": "2026-02-25T06:13:20Z",
          "upload_url": "http://plinth.test/repos/acme/rocket/releases/1/assets{?name,label}",
          "url": "http://plinth.test/repos/acme/rocket/releases/1",
          "zipball_url": "http://plinth.test/repos/acme/rocket/zipball/v1.0"
        }"#]]
    .assert_eq(&format!("{shown:#}"));
    let guest = fixture.user("guest");
    for path in ["/1", "/latest", "/tags/v1.0"] {
        let found = guest.get(&format!("{RELEASES}{path}")).await.expect(200).json();
        assert_eq!(found["id"], 1, "{path}");
    }
    let full =
        guest.header("accept", "application/vnd.github.full+json").get(&format!("{RELEASES}/1")).await.expect(200);
    let full = full.json();
    assert_eq!(json!([full["body"], full["body_text"]]), json!(["**Bold**", "Bold"]));
    assert_eq!(full["body_html"], "<p><strong>Bold</strong></p>");
}

#[tokio::test]
async fn existing_tag_is_not_moved() {
    let fixture = fixture().await;
    let body = json!({ "ref": "refs/tags/deep/v1", "sha": fixture.base });
    fixture.user("mona").post(&format!("{ROCKET}/git/refs"), body).await.expect(201);
    // The target does not matter, because the tag exists.
    create(&fixture, json!({ "tag_name": "deep/v1", "target_commitish": "nothing" })).await;
    assert_eq!(tag(&fixture, "deep/v1").await.as_deref(), Some(fixture.base.as_str()));
    fixture.user("guest").get(&format!("{RELEASES}/tags/deep/v1")).await.expect(200);
    fixture.user("guest").get(&format!("{RELEASES}/tags/deep%2Fv1")).await.expect(200);
}

#[tokio::test]
async fn invalid_releases_are_rejected_and_leave_nothing() {
    let fixture = fixture().await;
    create(&fixture, json!({ "tag_name": "v1" })).await;
    let mut seen = String::new();
    for body in [
        json!({}),
        json!({ "tag_name": "a..b" }),
        json!({ "tag_name": "v1" }),
        json!({ "tag_name": "v2", "target_commitish": "nothing" }),
        json!({ "tag_name": "v2", "target_commitish": "0000000000000000000000000000000000000000" }),
        json!({ "tag_name": "v1/x" }),
        json!({ "tag_name": "v2", "make_latest": "maybe" }),
    ] {
        let response = fixture.user("hubot").post(RELEASES, body).await.expect(422);
        seen += &format!("{:?} {}\n", response.message(), response.json()["errors"]);
    }
    expect![[r#"
        "Invalid request.\n\n\"tag_name\" wasn't supplied." null
        "Validation Failed" [{"code":"custom","field":"tag_name","message":"tag_name is not a valid tag","resource":"Release"}]
        "Validation Failed" [{"code":"already_exists","field":"tag_name","resource":"Release"}]
        "Validation Failed" [{"code":"invalid","field":"target_commitish","resource":"Release"}]
        "Validation Failed" [{"code":"invalid","field":"target_commitish","resource":"Release"}]
        "Reference update failed" null
        "Invalid request.\n\nFor 'properties/make_latest', maybe is not a member of [\"true\", \"false\", \"legacy\"]." null
    "#]]
    .assert_eq(&seen);
    assert_eq!(count(&fixture, "select count(*) from release").await, 1);
    assert_eq!(tag(&fixture, "v2").await, None);
    let empty = fixture.user("mona").post("/user/repos", json!({ "name": "empty" })).await.expect(201).json();
    let path = format!("/repos/{}/releases", empty["full_name"].as_str().expect("a name"));
    let response = fixture.user("mona").post(&path, json!({ "tag_name": "v1" })).await.expect(422);
    assert_eq!(response.message(), "Repository is empty.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_releases_of_one_tag_succeed_once() {
    let fixture = fixture().await;
    let client = fixture.user("hubot");
    let requests = (0..6).map(|_| client.post(RELEASES, json!({ "tag_name": "v1" })));
    let statuses: Vec<u16> =
        futures_util::future::join_all(requests).await.iter().map(|response| response.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [201, 422].contains(status)), "{statuses:?}");
}

#[tokio::test]
async fn latest_release_is_the_full_one_that_was_published_or_marked_last() {
    let fixture = fixture().await;
    let latest = async || {
        let found = fixture.user("guest").get(&format!("{RELEASES}/latest")).await;
        if found.status == 200 { found.json()["tag_name"].clone() } else { json!(found.status) }
    };
    assert_eq!(latest().await, 404);
    let first = create(&fixture, json!({ "tag_name": "v1" })).await;
    let mut seen = vec![latest().await];
    for (tag, more) in [
        ("v2-rc", json!({ "prerelease": true })),
        ("v2-draft", json!({ "draft": true })),
        ("v2", json!({})),
        ("v1.1", json!({ "make_latest": "false" })),
    ] {
        fixture.service.advance(1);
        let mut body = json!({ "tag_name": tag });
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        create(&fixture, body).await;
        seen.push(latest().await);
    }
    fixture.service.advance(1);
    update(&fixture, &first, json!({ "make_latest": "true" })).await.expect(200);
    seen.push(latest().await);
    assert_eq!(json!(seen), json!(["v1", "v1", "v1", "v2", "v2", "v1"]));
    let list = fixture.user("guest").get(&format!("{RELEASES}?per_page=2&page=2")).await.expect(200);
    assert_eq!(tags(&list.json()), ["v2-rc", "v1"]);
    assert!(list.header("link").is_some_and(|link| link.contains("rel=\"prev\"")));
}

#[tokio::test]
async fn update_changes_what_is_there_and_not_null() {
    let fixture = fixture().await;
    let release = create(&fixture, json!({ "tag_name": "v1", "name": "One", "body": "Text" })).await;
    let body = json!({ "name": "Two", "body": null, "prerelease": true });
    let updated = update(&fixture, &release, body).await.expect(200).json();
    assert_eq!(json!([updated["name"], updated["body"], updated["prerelease"]]), json!(["Two", "Text", true]));
    assert_eq!(updated["published_at"], release["published_at"]);
    let updated = update(&fixture, &release, json!({ "tag_name": "v2" })).await.expect(200).json();
    assert_eq!(
        (updated["tag_name"].as_str(), tag(&fixture, "v2").await.as_deref()),
        (Some("v2"), Some(fixture.base.as_str()))
    );
    assert!(tag(&fixture, "v1").await.is_some(), "the tag of the release before stays");
    let other = create(&fixture, json!({ "tag_name": "v3" })).await;
    let response = update(&fixture, &other, json!({ "tag_name": "v2" })).await;
    assert_eq!(
        errors(&response),
        json!([422, [{ "resource": "Release", "code": "already_exists", "field": "tag_name" }]])
    );
}

#[tokio::test]
async fn delete_leaves_the_tag() {
    let fixture = fixture().await;
    let release = create(&fixture, json!({ "tag_name": "v1" })).await;
    upload(&fixture, &release, "name=a", "bytes").await.expect(201);
    let path = format!("{RELEASES}/{}", release["id"]);
    fixture.user("guest").delete(&path).await.expect(403);
    fixture.user("hubot").delete(&path).await.expect(204);
    fixture.user("hubot").get(&path).await.expect(404);
    fixture.user("hubot").delete(&path).await.expect(404);
    assert!(tag(&fixture, "v1").await.is_some());
    create(&fixture, json!({ "tag_name": "v1" })).await;
}

#[tokio::test]
async fn notes_link_to_the_comparison() {
    let fixture = fixture().await;
    let page = "http://plinth.test/acme/rocket";
    let notes = async |body: Value| {
        let path = format!("{RELEASES}/generate-notes");
        fixture.user("hubot").post(&path, body).await.expect(200).json()["body"].clone()
    };
    let first = notes(json!({ "tag_name": "v1" })).await;
    assert_eq!(first, format!("**Full Changelog**: {page}/commits/v1"));
    let body = json!({ "tag_name": "v1", "generate_release_notes": true, "body": "Mine" });
    let release = create(&fixture, body).await;
    assert_eq!(
        json!([release["name"], release["body"]]),
        json!(["v1", format!("Mine\n\n**Full Changelog**: {page}/commits/v1")])
    );
    let second = notes(json!({ "tag_name": "v2" })).await;
    assert_eq!(second, format!("**Full Changelog**: {page}/compare/v1...v2"));
    let path = format!("{RELEASES}/generate-notes");
    fixture.user("guest").post(&path, json!({ "tag_name": "v2" })).await.expect(404);
    let body = json!({ "tag_name": "v2", "previous_tag_name": "nothing" });
    fixture.user("hubot").post(&path, body).await.expect(422);
}
