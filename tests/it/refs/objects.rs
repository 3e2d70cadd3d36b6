//! Reading git objects.

use expect_test::expect;

use super::{GIT, mona, rocket, sha_of, text};

#[tokio::test]
async fn get_object_returns_every_field() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let commit = mona(&service).get(&format!("{GIT}/commits/{main}")).await;
    expect![[r#"
        200
        {
          "author": {
            "date": "2020-01-01T00:01:00Z",
            "email": "hubot@users.noreply.localhost",
            "name": "hubot"
          },
          "committer": {
            "date": "2020-01-01T00:01:00Z",
            "email": "hubot@users.noreply.localhost",
            "name": "hubot"
          },
          "html_url": "http://plinth.test/acme/rocket/commit/eef1bfddd3885abce41f3a5170474789ec515115",
          "message": "second",
          "node_id": "C_kwAB2gAoZWVmMWJmZGRkMzg4NWFiY2U0MWYzYTUxNzA0NzQ3ODllYzUxNTExNQ",
          "parents": [
            {
              "html_url": "http://plinth.test/acme/rocket/commit/79685e4d39dc92e9ad0f105c55951370fbb940e5",
              "sha": "79685e4d39dc92e9ad0f105c55951370fbb940e5",
              "url": "http://plinth.test/repos/acme/rocket/git/commits/79685e4d39dc92e9ad0f105c55951370fbb940e5"
            }
          ],
          "sha": "eef1bfddd3885abce41f3a5170474789ec515115",
          "tree": {
            "sha": "8752898f48d40f13d4cc175784f279ee7d13d2e3",
            "url": "http://plinth.test/repos/acme/rocket/git/trees/8752898f48d40f13d4cc175784f279ee7d13d2e3"
          },
          "url": "http://plinth.test/repos/acme/rocket/git/commits/eef1bfddd3885abce41f3a5170474789ec515115",
          "verification": {
            "payload": null,
            "reason": "unsigned",
            "signature": null,
            "verified": false,
            "verified_at": null
          }
        }"#]]
    .assert_eq(&commit.to_string());
    let tag = mona(&service).get(&format!("{GIT}/tags/{}", sha_of(&service, "tags/v1").await)).await;
    expect![[r#"
        200
        {
          "message": "Version one\n",
          "node_id": "TA_kwAB2gAoZGU3Y2Y4YTJlOTNkZGIwNTFhZjFkMzY1YWExNzA0MTQwZWY2OWVlMw",
          "object": {
            "sha": "eef1bfddd3885abce41f3a5170474789ec515115",
            "type": "commit",
            "url": "http://plinth.test/repos/acme/rocket/git/commits/eef1bfddd3885abce41f3a5170474789ec515115"
          },
          "sha": "de7cf8a2e93ddb051af1d365aa1704140ef69ee3",
          "tag": "v1",
          "tagger": {
            "date": "2020-01-01T00:01:00Z",
            "email": "hubot@users.noreply.localhost",
            "name": "hubot"
          },
          "url": "http://plinth.test/repos/acme/rocket/git/tags/de7cf8a2e93ddb051af1d365aa1704140ef69ee3",
          "verification": {
            "payload": null,
            "reason": "unsigned",
            "signature": null,
            "verified": false,
            "verified_at": null
          }
        }"#]]
    .assert_eq(&tag.to_string());
    let tree = text(&commit.json()["tree"]["sha"]);
    let flat = mona(&service).get(&format!("{GIT}/trees/{tree}")).await;
    expect![[r#"
        200
        {
          "sha": "8752898f48d40f13d4cc175784f279ee7d13d2e3",
          "tree": [
            {
              "mode": "100644",
              "path": "README.md",
              "sha": "ce013625030ba8dba906f756967f9e9ca394464a",
              "size": 6,
              "type": "blob",
              "url": "http://plinth.test/repos/acme/rocket/git/blobs/ce013625030ba8dba906f756967f9e9ca394464a"
            },
            {
              "mode": "040000",
              "path": "src",
              "sha": "6bb557a5ba248fcc3395a047abf10da845058941",
              "type": "tree",
              "url": "http://plinth.test/repos/acme/rocket/git/trees/6bb557a5ba248fcc3395a047abf10da845058941"
            }
          ],
          "truncated": false,
          "url": "http://plinth.test/repos/acme/rocket/git/trees/8752898f48d40f13d4cc175784f279ee7d13d2e3"
        }"#]]
    .assert_eq(&flat.to_string());
    let blob = text(&flat.json()["tree"][0]["sha"]);
    expect![[r#"
        200
        {
          "content": "aGVsbG8K\n",
          "encoding": "base64",
          "node_id": "B_kwAB2gAoY2UwMTM2MjUwMzBiYThkYmE5MDZmNzU2OTY3ZjllOWNhMzk0NDY0YQ",
          "sha": "ce013625030ba8dba906f756967f9e9ca394464a",
          "size": 6,
          "url": "http://plinth.test/repos/acme/rocket/git/blobs/ce013625030ba8dba906f756967f9e9ca394464a"
        }"#]]
    .assert_eq(&mona(&service).get(&format!("{GIT}/blobs/{blob}")).await.to_string());
    let deep = mona(&service).get(&format!("{GIT}/trees/main?recursive=1")).await.expect(200);
    let paths: Vec<String> =
        deep.json()["tree"].as_array().expect("entries").iter().map(|e| text(&e["path"])).collect();
    assert_eq!(paths, ["README.md", "src", "src/a.txt"]);
    assert_eq!(deep.json()["sha"], tree.as_str());
    mona(&service).get(&format!("{GIT}/commits/{tree}")).await.expect(404);
    mona(&service).get(&format!("{GIT}/blobs/short")).await.expect(422);
}
