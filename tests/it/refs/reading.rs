//! Reading refs.

use expect_test::expect;

use super::{GIT, hubot, mona, names, rocket, sha_of};
use crate::support::Service;

#[tokio::test]
async fn get_ref_returns_its_object() {
    let service = rocket().await;
    let response = service.anonymous().get(&format!("{GIT}/ref/heads/main")).await;
    expect![[r#"
        200
        {
          "node_id": "REF_kwABr3JlZnMvaGVhZHMvbWFpbg",
          "object": {
            "sha": "eef1bfddd3885abce41f3a5170474789ec515115",
            "type": "commit",
            "url": "http://plinth.test/repos/acme/rocket/git/commits/eef1bfddd3885abce41f3a5170474789ec515115"
          },
          "ref": "refs/heads/main",
          "url": "http://plinth.test/repos/acme/rocket/git/refs/heads/main"
        }"#]]
    .assert_eq(&response.to_string());
    assert_eq!(response.header("x-poll-interval"), Some("300"));
    assert_eq!(response.header("last-modified"), Some("Wed, 25 Feb 2026 06:13:20 GMT"));
    let tag = service.anonymous().get(&format!("{GIT}/ref/tags/v1")).await;
    expect![[r#"
        200
        {
          "node_id": "REF_kwABrHJlZnMvdGFncy92MQ",
          "object": {
            "sha": "de7cf8a2e93ddb051af1d365aa1704140ef69ee3",
            "type": "tag",
            "url": "http://plinth.test/repos/acme/rocket/git/tags/de7cf8a2e93ddb051af1d365aa1704140ef69ee3"
          },
          "ref": "refs/tags/v1",
          "url": "http://plinth.test/repos/acme/rocket/git/refs/tags/v1"
        }"#]]
    .assert_eq(&tag.to_string());
}

#[tokio::test]
async fn matching_refs_share_requested_prefix() {
    let service = rocket().await;
    let list = |path: &'static str| {
        let client = mona(&service);
        async move { names(&client.get(&format!("{GIT}/matching-refs{path}")).await.expect(200)).join(" ") }
    };
    let all = "refs/heads/feature refs/heads/main refs/heads/side refs/tags/light refs/tags/v1";
    for path in ["", "/", "/refs", "/refs/", "/refs%2F"] {
        assert_eq!(list(path).await, all, "{path}");
    }
    for path in ["/heads/", "/heads", "/refs/heads", "/heads%2F", "/refs%2Fheads%2F"] {
        assert_eq!(list(path).await, "refs/heads/feature refs/heads/main refs/heads/side", "{path}");
    }
    assert_eq!(list("/heads/f").await, "refs/heads/feature");
    assert_eq!(list("/heads/feature").await, "refs/heads/feature");
    assert_eq!(list("/heads/feature/").await, "");
    assert_eq!(list("/tags/v2").await, "");
    let whole = service.anonymous().get(&format!("{GIT}/matching-refs/tags/")).await;
    expect![[r#"
        200
        [
          {
            "node_id": "REF_kwABr3JlZnMvdGFncy9saWdodA",
            "object": {
              "sha": "eef1bfddd3885abce41f3a5170474789ec515115",
              "type": "commit",
              "url": "http://plinth.test/repos/acme/rocket/git/commits/eef1bfddd3885abce41f3a5170474789ec515115"
            },
            "ref": "refs/tags/light",
            "url": "http://plinth.test/repos/acme/rocket/git/refs/tags/light"
          },
          {
            "node_id": "REF_kwABrHJlZnMvdGFncy92MQ",
            "object": {
              "sha": "de7cf8a2e93ddb051af1d365aa1704140ef69ee3",
              "type": "tag",
              "url": "http://plinth.test/repos/acme/rocket/git/tags/de7cf8a2e93ddb051af1d365aa1704140ef69ee3"
            },
            "ref": "refs/tags/v1",
            "url": "http://plinth.test/repos/acme/rocket/git/refs/tags/v1"
          }
        ]"#]]
    .assert_eq(&whole.to_string());
}

#[tokio::test]
async fn matching_refs_lists_any_namespace() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    for name in ["refs/notes/commits", "refs/others/deep/er", "refs/stash/x"] {
        let body = serde_json::json!({ "ref": name, "sha": main });
        hubot(&service).post(&format!("{GIT}/refs"), body).await.expect(201);
    }
    let all = names(&mona(&service).get(&format!("{GIT}/matching-refs/")).await.expect(200));
    assert!(all.contains(&"refs/notes/commits".to_owned()) && all.contains(&"refs/others/deep/er".to_owned()));
    let mut sorted = all.clone();
    sorted.sort();
    assert_eq!(all, sorted);
    assert_eq!(all.len(), 8);
}

#[tokio::test]
async fn unknown_ref_returns_404() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    for name in ["heads/mai", "heads", "heads/main/", "main", "refs/heads/main", "tags/main", "", &main] {
        let response = mona(&service).get(&format!("{GIT}/ref/{name}")).await;
        assert_eq!((response.status, response.message().as_str()), (404, "Not Found"), "{name}");
    }
    expect![[r#"
        404
        {
          "documentation_url": "http://plinth.test/docs#git/get-ref",
          "message": "Not Found",
          "status": "404"
        }"#]]
    .assert_eq(&mona(&service).get(&format!("{GIT}/ref/heads/none")).await.to_string());
}

#[tokio::test]
async fn get_ref_of_empty_repository_returns_409() {
    let service = rocket().await;
    let git = "/repos/acme/empty/git";
    let response = mona(&service).get(&format!("{git}/matching-refs/heads")).await;
    expect![[r#"
        409
        {
          "documentation_url": "http://plinth.test/docs#git/list-matching-refs",
          "message": "Git Repository is empty.",
          "status": "409"
        }"#]]
    .assert_eq(&response.to_string());
    for path in ["matching-refs", "matching-refs/", "ref/heads/main", "refs", "refs/heads/main", "ref/bad..name"] {
        let response = mona(&service).get(&format!("{git}/{path}")).await;
        assert_eq!((response.status, response.message().as_str()), (409, "Git Repository is empty."), "{path}");
    }
}

#[tokio::test]
async fn get_ref_accepts_any_percent_encoding() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let body = serde_json::json!({ "ref": "refs/heads/test/#Ünï%2F&=", "sha": main });
    let made = hubot(&service).post(&format!("{GIT}/refs"), body).await.expect(201);
    let url = "http://plinth.test/repos/acme/rocket/git/refs/heads/test/%23%C3%9Cn%C3%AF%252F%26%3D";
    assert_eq!(made.json()["url"], url);
    assert_eq!(made.header("location"), Some(url));
    for encoded in ["heads/test/%23%C3%9Cn%C3%AF%252F%26%3D", "heads%2Ftest%2F%23%C3%9Cn%C3%AF%252F%26%3D"] {
        let found = mona(&service).get(&format!("{GIT}/ref/{encoded}")).await.expect(200);
        assert_eq!(found.json()["ref"], "refs/heads/test/#Ünï%2F&=");
        let matching = mona(&service).get(&format!("{GIT}/matching-refs/{encoded}")).await;
        assert_eq!(names(&matching), ["refs/heads/test/#Ünï%2F&="]);
    }
    let prefixed = service.anonymous().get("/api/v3/repos/ACME/Rocket/git/ref/heads%2Fmain").await.expect(200);
    assert_eq!(prefixed.json()["url"], "http://plinth.test/api/v3/repos/acme/rocket/git/refs/heads/main");
    hubot(&service).delete(&format!("{GIT}/refs/heads%2Ftest%2F%23%C3%9Cn%C3%AF%252F%26%3D")).await.expect(204);
}

#[tokio::test]
async fn unchanged_ref_list_returns_304() {
    let service = rocket().await;
    for path in ["matching-refs/heads/", "ref/heads/main"] {
        let first = hubot(&service).get(&format!("{GIT}/{path}")).await.expect(200);
        let tag = first.header("etag").expect("a tag").to_owned();
        let again = hubot(&service).header("if-none-match", &tag).get(&format!("{GIT}/{path}")).await.expect(304);
        assert_eq!(again.header("etag"), Some(tag.as_str()));
        assert!(again.body.is_empty());
        let since = first.header("last-modified").expect("a date").to_owned();
        hubot(&service).header("if-modified-since", &since).get(&format!("{GIT}/{path}")).await.expect(304);
        let other = mona(&service).header("if-none-match", &tag).get(&format!("{GIT}/{path}")).await;
        assert_eq!(other.status, 200, "the tag of one caller is nothing to another");
    }
    let list = hubot(&service).get(&format!("{GIT}/matching-refs/heads/")).await;
    let tag = list.header("etag").expect("a tag").to_owned();
    service.advance(5);
    let main = sha_of(&service, "heads/main").await;
    let body = serde_json::json!({ "ref": "refs/heads/more", "sha": main });
    hubot(&service).post(&format!("{GIT}/refs"), body).await.expect(201);
    let after = hubot(&service).header("if-none-match", &tag).get(&format!("{GIT}/matching-refs/heads/")).await;
    assert_eq!(after.expect(200).header("last-modified"), Some("Wed, 25 Feb 2026 06:13:25 GMT"));
}

#[tokio::test]
async fn older_ref_urls_are_served() {
    let service = rocket().await;
    let exact = mona(&service).get(&format!("{GIT}/refs/heads/main")).await.expect(200);
    assert_eq!(exact.json()["ref"], "refs/heads/main");
    let prefix = mona(&service).get(&format!("{GIT}/refs/heads")).await.expect(200);
    assert_eq!(names(&prefix), ["refs/heads/feature", "refs/heads/main", "refs/heads/side"]);
    mona(&service).get(&format!("{GIT}/refs/heads/none")).await.expect(404);
    let page = mona(&service).get(&format!("{GIT}/refs?per_page=2&page=2")).await.expect(200);
    assert_eq!(names(&page), ["refs/heads/side", "refs/tags/light"]);
    let link = page.header("link").expect("more pages");
    expect![[r#"<http://plinth.test/repos/acme/rocket/git/refs?per_page=2&page=1>; rel="prev", <http://plinth.test/repos/acme/rocket/git/refs?per_page=2&page=3>; rel="next", <http://plinth.test/repos/acme/rocket/git/refs?per_page=2&page=3>; rel="last", <http://plinth.test/repos/acme/rocket/git/refs?per_page=2&page=1>; rel="first""#]].assert_eq(link);
    assert_eq!(names(&mona(&service).get(&format!("{GIT}/refs/?page=9")).await.expect(200)).len(), 0);
}

#[tokio::test]
async fn ref_list_longer_than_batch_is_complete_and_sorted() {
    let service = Service::with(&super::STATE).await;
    let main = sha_of(&service, "heads/main").await;
    for number in 0..2_005 {
        let body = serde_json::json!({ "ref": format!("refs/many/{number:05}"), "sha": main });
        hubot(&service).post(&format!("{GIT}/refs"), body).await.expect(201);
    }
    for (path, count) in [("many", 2_005), ("many/00", 1_000), ("many/01", 1_000), ("many/02", 5), ("", 2_010)] {
        let list = names(&mona(&service).get(&format!("{GIT}/matching-refs/{path}")).await.expect(200));
        assert_eq!(list.len(), count, "{path}");
        assert!(list.is_sorted());
    }
}
