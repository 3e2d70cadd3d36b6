//! Drafts, and who sees them.

use super::*;
use crate::support::pull_request::acme;

#[tokio::test]
async fn draft_is_visible_only_to_those_who_may_push() {
    let fixture = fixture().await;
    let state = acme().fine_grained("hubot", "acme", "contents: write", "github_pat_write").fine_grained(
        "hubot",
        "acme",
        "contents: read",
        "github_pat_read",
    );
    fixture.service.apply(&state.to_string()).await;
    let draft = create(&fixture, json!({ "tag_name": "v1", "draft": true })).await;
    assert_eq!(json!([draft["published_at"], draft["tarball_url"]]), json!([null, null]));
    assert_eq!(draft["html_url"], "http://plinth.test/acme/rocket/releases/tag/untagged-1");
    assert_eq!(tag(&fixture, "v1").await, None);
    let asset = upload(&fixture, &draft, "name=a", "bytes").await.expect(201).json();
    let paths = [format!("{RELEASES}/1"), format!("{RELEASES}/1/assets"), format!("{RELEASES}/assets/{}", asset["id"])];
    for (token, sees) in [
        ("ghp_hubot", true),
        ("ghp_mona", true),
        ("github_pat_write", true),
        ("github_pat_read", false),
        ("ghp_guest", false),
        ("ghp_stranger", false),
        ("", false),
    ] {
        let client = if token.is_empty() { fixture.service.anonymous() } else { fixture.service.with_token(token) };
        for path in &paths {
            client.get(path).await.expect(if sees { 200 } else { 404 });
            let bytes = client.clone().header("accept", "application/octet-stream").get(path).await;
            assert_eq!(bytes.status == 200, sees, "{path} {token}");
        }
        let list = client.get(RELEASES).await.expect(200).json();
        assert_eq!(list.as_array().map(Vec::len), Some(usize::from(sees)), "{token}");
        client.get(&format!("{RELEASES}/tags/v1")).await.expect(404);
        client.get("/acme/rocket/releases/download/v1/a").await.expect(404);
    }
}

#[tokio::test]
async fn published_draft_gets_its_tag() {
    let fixture = fixture().await;
    let draft = create(&fixture, json!({ "tag_name": "v1", "target_commitish": fixture.head, "draft": true })).await;
    // Several drafts may have the same tag, but only one of them can be published.
    let other = create(&fixture, json!({ "tag_name": "v1", "draft": true })).await;
    fixture.service.advance(60);
    let published = update(&fixture, &draft, json!({ "draft": false })).await.expect(200).json();
    assert_eq!(json!([published["draft"], published["created_at"]]), json!([false, draft["created_at"]]));
    assert_ne!(published["published_at"], draft["created_at"]);
    assert_eq!(tag(&fixture, "v1").await.as_deref(), Some(fixture.head.as_str()));
    fixture.user("guest").get(&format!("{RELEASES}/tags/v1")).await.expect(200);
    update(&fixture, &other, json!({ "draft": false })).await.expect(422);
    let hidden = update(&fixture, &draft, json!({ "draft": true })).await.expect(200).json();
    assert_eq!(hidden["published_at"], Value::Null);
    fixture.user("guest").get(&format!("{RELEASES}/tags/v1")).await.expect(404);
}

#[tokio::test]
async fn releases_of_a_private_repository_are_hidden() {
    let fixture = fixture().await;
    let import = format!("private: true, import: {}", fixture.work.path().display());
    fixture.service.apply(&acme().repo("acme/hidden", &import).to_string()).await;
    let path = "/repos/acme/hidden/releases";
    let mona = fixture.user("mona");
    let release = mona.post(path, json!({ "tag_name": "v1" })).await.expect(201).json();
    let upload = format!("{path}/{}/assets?name=a", release["id"]);
    let asset = mona.send(Method::POST, &upload, "bytes").await.expect(201).json();
    let asset = format!("{path}/assets/{}", asset["id"]);
    for path in [path, &format!("{path}/latest"), &asset, "/acme/hidden/releases/download/v1/a"] {
        mona.get(path).await.expect(200);
        fixture.user("stranger").get(path).await.expect(404);
        fixture.service.anonymous().get(path).await.expect(404);
    }
    fixture.user("stranger").send(Method::POST, &upload, "bytes").await.expect(404);
    // An id of another repository names nothing here.
    let elsewhere = asset.replace("hidden", "rocket");
    mona.get(&elsewhere).await.expect(404);
    mona.delete(&elsewhere).await.expect(404);
    mona.delete(&format!("{RELEASES}/{}", release["id"])).await.expect(404);
    fixture.user("guest").post(RELEASES, json!({ "tag_name": "v1" })).await.expect(403);
}

#[tokio::test]
async fn release_cannot_bring_workflow_files_without_the_right_to_them() {
    let fixture = fixture().await;
    let workflow = fixture.commit_on(&fixture.base, &[(".github/workflows/ci.yml", Some("on: push\n"))]);
    fixture.bring_objects().await;
    let body = json!({ "tag_name": "v1", "target_commitish": workflow });
    // hubot's token lacks the scope `workflow`.
    fixture.user("hubot").post(RELEASES, body.clone()).await.expect(403);
    assert_eq!(tag(&fixture, "v1").await, None);
    fixture.user("mona").post(RELEASES, body).await.expect(201);
}
