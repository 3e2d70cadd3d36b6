//! Files of releases: what is shown, changed and deleted.

use expect_test::expect;

use super::*;
use plinth_core::releases::assets::remove_leftovers;

#[tokio::test]
async fn uploaded_file_has_every_field() {
    let fixture = fixture().await;
    let release = create(&fixture, json!({ "tag_name": "v1/x" })).await;
    let created = upload(&fixture, &release, "name=my%20tool.tar.gz&label=The+tool", "hello").await.expect(201);
    let mut shown = created.json();
    assert_eq!(created.header("location"), shown["url"].as_str());
    assert_eq!(shown["uploader"]["login"], "hubot");
    let guest = fixture.user("guest");
    let found = guest.get(&format!("{RELEASES}/assets/1")).await.expect(200).json();
    assert_eq!(found, shown);
    assert_eq!(guest.get(&format!("{RELEASES}/1/assets")).await.expect(200).json(), json!([shown]));
    assert_eq!(guest.get(&format!("{RELEASES}/1")).await.expect(200).json()["assets"], json!([shown]));
    assert_eq!(guest.get(RELEASES).await.expect(200).json()[0]["assets"], json!([shown]));
    shown["uploader"] = Value::Null;
    expect![[r#"
        {
          "browser_download_url": "http://plinth.test/acme/rocket/releases/download/v1/x/my.tool.tar.gz",
          "content_type": "application/gzip",
          "created_at": "2026-02-25T06:13:20Z",
          "digest": "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
          "download_count": 0,
          "id": 1,
          "label": "The tool",
          "name": "my.tool.tar.gz",
          "node_id": "RA_kwABAQ",
          "size": 5,
          "state": "uploaded",
          "updated_at": "2026-02-25T06:13:20Z",
          "uploader": null,
          "url": "http://plinth.test/repos/acme/rocket/releases/assets/1"
        }"#]]
    .assert_eq(&format!("{shown:#}"));
}

#[tokio::test]
async fn file_is_downloaded_as_an_attachment() {
    let fixture = fixture().await;
    let release = create(&fixture, json!({ "tag_name": "v1/x" })).await;
    // More than one chunk, and not a whole number of them.
    let bytes: Vec<u8> = (0..700_001u32).map(|number| (number % 251) as u8).collect();
    let asset = upload(&fixture, &release, "name=page.html", bytes.clone()).await.expect(201).json();
    assert_eq!(asset["size"], bytes.len());
    let by_id = fixture.user("guest").header("accept", "application/octet-stream");
    let by_id = by_id.get(&format!("{RELEASES}/assets/{}", asset["id"])).await.expect(200);
    let by_name = fixture.service.anonymous().get("/acme/rocket/releases/download/v1/x/page.html").await.expect(200);
    for response in [by_id, by_name] {
        assert!(response.body == bytes, "the same bytes");
        assert_eq!(response.header("content-type"), Some("application/octet-stream"));
        assert_eq!(response.header("content-disposition"), Some("attachment; filename=page.html"));
    }
    let head = fixture.service.anonymous().head("/acme/rocket/releases/download/v1/x/page.html").await.expect(200);
    assert!(head.body.is_empty());
    for path in ["v1/x/nothing", "v1/page.html", "x"] {
        fixture.service.anonymous().get(&format!("/acme/rocket/releases/download/{path}")).await.expect(404);
    }
}

#[tokio::test]
async fn file_can_be_renamed_and_labelled() {
    let fixture = fixture().await;
    let release = create(&fixture, json!({ "tag_name": "v1" })).await;
    let asset = upload(&fixture, &release, "name=a", "bytes").await.expect(201).json();
    upload(&fixture, &release, "name=b", "bytes").await.expect(201);
    let path = format!("{RELEASES}/assets/{}", asset["id"]);
    let hubot = fixture.user("hubot");
    let updated = hubot.patch(&path, json!({ "name": "c", "label": "C" })).await.expect(200).json();
    assert_eq!(json!([updated["name"], updated["label"]]), json!(["c", "C"]));
    let updated = hubot.patch(&path, json!({ "label": null })).await.expect(200).json();
    assert_eq!(json!([updated["name"], updated["label"]]), json!(["c", "C"]));
    let taken = hubot.patch(&path, json!({ "name": "b" })).await;
    assert_eq!(
        errors(&taken),
        json!([422, [{ "resource": "ReleaseAsset", "code": "already_exists", "field": "name" }]])
    );
    fixture.user("guest").patch(&path, json!({ "name": "d" })).await.expect(403);
}

#[tokio::test]
async fn deleted_files_and_those_of_deleted_releases_are_removed() {
    let fixture = fixture().await;
    let release = create(&fixture, json!({ "tag_name": "v1" })).await;
    let asset = upload(&fixture, &release, "name=a", vec![0; 300_000]).await.expect(201).json();
    upload(&fixture, &release, "name=b", "bytes").await.expect(201);
    let path = format!("{RELEASES}/assets/{}", asset["id"]);
    fixture.user("guest").delete(&path).await.expect(403);
    fixture.user("hubot").delete(&path).await.expect(204);
    fixture.user("hubot").get(&path).await.expect(404);
    fixture.user("hubot").delete(&path).await.expect(404);
    // The name is free at once.
    upload(&fixture, &release, "name=a", "again").await.expect(201);
    let chunks = "select count(*) from release_asset_chunk";
    assert_eq!(count(&fixture, chunks).await, 4);
    remove_leftovers(&fixture.service.app).await.expect("the store accepts it");
    assert_eq!(count(&fixture, chunks).await, 2);
    fixture.user("hubot").delete(&format!("{RELEASES}/{}", release["id"])).await.expect(204);
    remove_leftovers(&fixture.service.app).await.expect("the store accepts it");
    assert_eq!(count(&fixture, chunks).await + count(&fixture, "select count(*) from release_asset").await, 0);
}
