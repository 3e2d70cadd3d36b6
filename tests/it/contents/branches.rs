//! Branches and tags.

use expect_test::expect;
use serde_json::json;

use super::{Fixture, NewCommit, file, relations, values};

async fn fixture() -> Fixture {
    let commit = |branch, mark, parents| {
        let changes = file("a", &format!("{mark}\n"));
        NewCommit { branch, mark, parents, author: "mona", seconds: 1_700_000_000, changes }.write()
    };
    let tagger = "tagger mona <mona@example.com> 1700000000 +0000\ndata 2\nv\n";
    let mut stream = commit("main", 1, &[]) + &commit("main", 2, &[1]) + &commit("deep/er", 3, &[2]);
    stream += &commit("Zoo", 4, &[1]);
    stream += "blob\nmark :9\ndata 1\nx\n";
    stream += "reset refs/tags/light\nfrom :1\n\n";
    stream += &format!("tag v1\nmark :20\nfrom :2\n{tagger}tag v2\nmark :21\nfrom :20\n{tagger}");
    stream += &format!("tag v10\nfrom :3\n{tagger}tag blob\nfrom :9\n{tagger}");
    Fixture::new(&stream).await
}

#[tokio::test]
async fn branches_are_those_of_git() {
    let fixture = fixture().await;
    let list = fixture.get("/branches").await.expect(200);
    assert_eq!(list.header("link"), None);
    let list = list.json();
    let shown: Vec<String> = list
        .as_array()
        .expect("a list")
        .iter()
        .map(|branch| format!("{} {}", branch["commit"]["sha"].as_str().unwrap(), branch["name"].as_str().unwrap()))
        .collect();
    assert_eq!(shown, fixture.git(&["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"]));
    let main = fixture.sha("main");
    let url = format!("http://plinth.test/repos/acme/rocket/commits/{main}");
    assert_eq!(list[2], json!({ "name": "main", "commit": { "sha": main, "url": url }, "protected": false }));
}

#[tokio::test]
async fn branches_have_pages() {
    let fixture = fixture().await;
    let mut seen = Vec::new();
    for number in 1..=3 {
        let page = fixture.get(&format!("/branches?per_page=1&page={number}")).await.expect(200);
        assert_eq!(relations(&page).contains(&"next".to_owned()), number < 3, "{number}");
        seen.extend(values(&page.json(), "name"));
    }
    assert_eq!(seen, ["Zoo", "deep/er", "main"]);
    assert_eq!(fixture.get("/branches?page=2").await.expect(200).json(), json!([]));
    assert_eq!(fixture.get("/branches?protected=true").await.expect(200).json(), json!([]));
    assert_eq!(values(&fixture.get("/branches?protected=false").await.expect(200).json(), "name"), seen);
}

#[tokio::test]
async fn get_branch_returns_its_newest_commit() {
    let fixture = fixture().await;
    expect![[r#"
        200
        {
          "_links": {
            "html": "http://plinth.test/acme/rocket/tree/main",
            "self": "http://plinth.test/repos/acme/rocket/branches/main"
          },
          "commit": {
            "author": {
              "avatar_url": "http://plinth.test/avatars/1",
              "events_url": "http://plinth.test/users/mona/events{/privacy}",
              "followers_url": "http://plinth.test/users/mona/followers",
              "following_url": "http://plinth.test/users/mona/following{/other_user}",
              "gists_url": "http://plinth.test/users/mona/gists{/gist_id}",
              "gravatar_id": "",
              "html_url": "http://plinth.test/mona",
              "id": 1,
              "login": "mona",
              "node_id": "U_kgAB",
              "organizations_url": "http://plinth.test/users/mona/orgs",
              "received_events_url": "http://plinth.test/users/mona/received_events",
              "repos_url": "http://plinth.test/users/mona/repos",
              "site_admin": false,
              "starred_url": "http://plinth.test/users/mona/starred{/owner}{/repo}",
              "subscriptions_url": "http://plinth.test/users/mona/subscriptions",
              "type": "User",
              "url": "http://plinth.test/users/mona",
              "user_view_type": "public"
            },
            "comments_url": "http://plinth.test/repos/acme/rocket/commits/6806010b841d7d589e0e7730eeca8445bee41a47/comments",
            "commit": {
              "author": {
                "date": "2023-11-14T22:13:20Z",
                "email": "mona@example.com",
                "name": "mona"
              },
              "comment_count": 0,
              "committer": {
                "date": "2023-11-14T22:13:20Z",
                "email": "mona@example.com",
                "name": "mona"
              },
              "message": "commit 2",
              "tree": {
                "sha": "02439fb50f442f187d6db9a7b47287b9e3f5d49c",
                "url": "http://plinth.test/repos/acme/rocket/git/trees/02439fb50f442f187d6db9a7b47287b9e3f5d49c"
              },
              "url": "http://plinth.test/repos/acme/rocket/git/commits/6806010b841d7d589e0e7730eeca8445bee41a47",
              "verification": {
                "payload": null,
                "reason": "unsigned",
                "signature": null,
                "verified": false,
                "verified_at": null
              }
            },
            "committer": {
              "avatar_url": "http://plinth.test/avatars/1",
              "events_url": "http://plinth.test/users/mona/events{/privacy}",
              "followers_url": "http://plinth.test/users/mona/followers",
              "following_url": "http://plinth.test/users/mona/following{/other_user}",
              "gists_url": "http://plinth.test/users/mona/gists{/gist_id}",
              "gravatar_id": "",
              "html_url": "http://plinth.test/mona",
              "id": 1,
              "login": "mona",
              "node_id": "U_kgAB",
              "organizations_url": "http://plinth.test/users/mona/orgs",
              "received_events_url": "http://plinth.test/users/mona/received_events",
              "repos_url": "http://plinth.test/users/mona/repos",
              "site_admin": false,
              "starred_url": "http://plinth.test/users/mona/starred{/owner}{/repo}",
              "subscriptions_url": "http://plinth.test/users/mona/subscriptions",
              "type": "User",
              "url": "http://plinth.test/users/mona",
              "user_view_type": "public"
            },
            "html_url": "http://plinth.test/acme/rocket/commit/6806010b841d7d589e0e7730eeca8445bee41a47",
            "node_id": "C_kwAB2gAoNjgwNjAxMGI4NDFkN2Q1ODllMGU3NzMwZWVjYTg0NDViZWU0MWE0Nw",
            "parents": [
              {
                "html_url": "http://plinth.test/acme/rocket/commit/34db1d196bca467886b64aec0e009836bd753531",
                "sha": "34db1d196bca467886b64aec0e009836bd753531",
                "url": "http://plinth.test/repos/acme/rocket/commits/34db1d196bca467886b64aec0e009836bd753531"
              }
            ],
            "sha": "6806010b841d7d589e0e7730eeca8445bee41a47",
            "url": "http://plinth.test/repos/acme/rocket/commits/6806010b841d7d589e0e7730eeca8445bee41a47"
          },
          "name": "main",
          "protected": false,
          "protection": {
            "enabled": false,
            "required_status_checks": {
              "checks": [],
              "contexts": [],
              "enforcement_level": "off"
            }
          },
          "protection_url": "http://plinth.test/repos/acme/rocket/branches/main/protection"
        }"#]].assert_eq(&fixture.get("/branches/main").await.to_string());
    for name in ["deep/er", "deep%2Fer"] {
        let branch = fixture.get(&format!("/branches/{name}")).await.expect(200).json();
        assert_eq!((&branch["name"], &branch["commit"]["sha"]), (&json!("deep/er"), &json!(fixture.sha("deep/er"))));
    }
    for name in ["none", "deep", "v1", "heads/main", "refs/heads/main", "..", "%00"] {
        fixture.get(&format!("/branches/{name}")).await.expect(404);
    }
}

#[tokio::test]
async fn tags_have_their_commits() {
    let fixture = fixture().await;
    let list = fixture.get("/tags").await.expect(200).json();
    assert_eq!(values(&list, "name"), ["v2", "v10", "v1", "light"]);
    for tag in list.as_array().expect("a list") {
        let name = tag["name"].as_str().expect("a name");
        assert_eq!(tag["commit"]["sha"], json!(fixture.sha(&format!("{name}^{{commit}}"))), "{name}");
    }
    expect![[r#"
        {
          "commit": {
            "sha": "6806010b841d7d589e0e7730eeca8445bee41a47",
            "url": "http://plinth.test/repos/acme/rocket/commits/6806010b841d7d589e0e7730eeca8445bee41a47"
          },
          "name": "v1",
          "node_id": "REF_kwABrHJlZnMvdGFncy92MQ",
          "tarball_url": "http://plinth.test/repos/acme/rocket/tarball/refs/tags/v1",
          "zipball_url": "http://plinth.test/repos/acme/rocket/zipball/refs/tags/v1"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&list[2]).expect("JSON"));
    let page = fixture.get("/tags?per_page=2&page=2").await.expect(200);
    assert_eq!((values(&page.json(), "name"), relations(&page).len()), (vec!["v1".to_owned(), "light".to_owned()], 4));
}

#[tokio::test]
async fn empty_repository_has_no_branches_and_no_tags() {
    let fixture = fixture().await;
    for path in ["branches", "tags"] {
        let list = fixture.guest().get(&format!("/repos/acme/empty/{path}")).await.expect(200);
        assert_eq!(list.json(), json!([]));
    }
    fixture.guest().get("/repos/acme/empty/branches/main").await.expect(404);
}
