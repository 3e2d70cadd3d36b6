//! Comments that are new: every form, and what is refused.

use expect_test::expect;
use serde_json::json;

use super::story;
use crate::support::story::COMMENTS;

#[tokio::test]
async fn a_comment_on_a_line_is_answered_in_full() {
    let story = story().await;
    let answer = story.comment(json!({ "line": 4, "side": "RIGHT", "body": "Why **four**?" })).await;
    assert_eq!(answer.header("location"), Some("http://plinth.test/repos/acme/rocket/pulls/comments/1"));
    let text = answer.to_string().replace(&story.head, "HEAD");
    expect![[r#"
        201
        {
          "_links": {
            "html": {
              "href": "http://plinth.test/acme/rocket/pull/1#discussion_r1"
            },
            "pull_request": {
              "href": "http://plinth.test/repos/acme/rocket/pulls/1"
            },
            "self": {
              "href": "http://plinth.test/repos/acme/rocket/pulls/comments/1"
            }
          },
          "author_association": "MEMBER",
          "body": "Why **four**?",
          "commit_id": "HEAD",
          "created_at": "2026-02-25T06:13:20Z",
          "diff_hunk": "@@ -1,7 +1,8 @@\n line 1\n line 2\n-line 3\n-line 4\n+three\n+four",
          "html_url": "http://plinth.test/acme/rocket/pull/1#discussion_r1",
          "id": 1,
          "line": 4,
          "node_id": "PRRC_kwABAQ",
          "original_commit_id": "HEAD",
          "original_line": 4,
          "original_position": 6,
          "original_start_line": null,
          "path": "file",
          "position": 6,
          "pull_request_review_id": 1,
          "pull_request_url": "http://plinth.test/repos/acme/rocket/pulls/1",
          "reactions": {
            "+1": 0,
            "-1": 0,
            "confused": 0,
            "eyes": 0,
            "heart": 0,
            "hooray": 0,
            "laugh": 0,
            "rocket": 0,
            "total_count": 0,
            "url": "http://plinth.test/repos/acme/rocket/pulls/comments/1/reactions"
          },
          "side": "RIGHT",
          "start_line": null,
          "start_side": null,
          "subject_type": "line",
          "updated_at": "2026-02-25T06:13:20Z",
          "url": "http://plinth.test/repos/acme/rocket/pulls/comments/1",
          "user": {
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
          }
        }"#]]
    .assert_eq(&text);
    let again = story.user("mona").get("/repos/acme/rocket/pulls/comments/1").await.expect(200);
    assert_eq!(again.json(), answer.json());
    let listed = story.user("mona").get(COMMENTS).await.expect(200);
    assert_eq!(listed.json()[0], answer.json());
}
