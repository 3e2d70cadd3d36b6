//! Lists of the issues of several repositories.

use std::sync::LazyLock;

use serde_json::Value;

use crate::support::fixtures::{StateFile, two_branches};
use crate::support::{Client, Service};

/// `acme` has a public and a private repository; mona and stranger have their own.
static STATE: LazyLock<String> = LazyLock::new(|| {
    let issue = |repo: &str, title: &str, author: &str, more: &str| {
        format!("repo: {repo}, title: {title}, author: {author}{more}")
    };
    StateFile::default()
        .users(&["mona", "hubot", "stranger"])
        .org("acme", "{ user: mona, role: admin }, { user: hubot, role: member }")
        .repo("acme/open", &two_branches(""))
        .repo("acme/secret", "private: true")
        .repo("mona/own", "private: true")
        .repo("stranger/tool", "")
        .pull("acme/open", "mona", "title: Change, head: next, base: main")
        .entry("issues", &issue("acme/open", "Open one", "mona", ", labels: [bug, later], assignees: [hubot]"))
        .entry("issues", &issue("acme/open", "Open two", "hubot", ", labels: [Bug], closed: true"))
        .entry("issues", &issue("acme/secret", "Secret", "mona", ", assignees: [hubot, mona]"))
        .entry("issues", &issue("mona/own", "Own", "mona", ", labels: [bug]"))
        .entry("issues", &issue("stranger/tool", "Tool", "hubot", ", body: Ask @mona"))
        .app("helper", "acme", "issues: read", "")
        .app("narrow", "acme", "contents: read", "")
        .installation("helper", "acme", "all")
        .installation("narrow", "acme", "all")
        .classic("mona", "repo", "ghp_mona")
        .classic("hubot", "repo", "ghp_hubot")
        .classic("hubot", "", "ghp_unscoped")
        .classic("stranger", "repo", "ghp_stranger")
        .fine_grained("hubot", "acme", "issues: read", "github_pat_issues")
        .fine_grained("hubot", "acme", "contents: read", "github_pat_contents")
        .app_user("hubot", "helper", "ghu_issues")
        .app_user("hubot", "narrow", "ghu_contents")
        .installation_token("helper", "acme", "ghs_issues")
        .installation_token("narrow", "acme", "ghs_contents")
        .to_string()
});

async fn titles(client: &Client<'_>, path: &str) -> Vec<String> {
    let list = client.get(path).await.expect(200).json();
    let title = |issue: &Value| issue["title"].as_str().expect("a title").to_owned();
    list.as_array().expect("a list").iter().map(title).collect()
}

#[tokio::test]
async fn lists_are_filtered_by_involvement() {
    let service = Service::with(&STATE).await;
    for (token, path, expected) in [
        ("ghp_hubot", "/issues", vec!["Secret", "Open one"]),
        ("ghp_hubot", "/issues?filter=nonsense", vec!["Secret", "Open one"]),
        ("ghp_hubot", "/issues?filter=created", vec!["Tool"]),
        ("ghp_hubot", "/issues?filter=created&state=all", vec!["Tool", "Open two"]),
        ("ghp_hubot", "/issues?filter=subscribed&state=all", vec!["Tool", "Secret", "Open two", "Open one"]),
        ("ghp_hubot", "/issues?filter=all", vec!["Secret", "Open one", "Change"]),
        ("ghp_hubot", "/issues?filter=repos&state=closed", vec!["Open two"]),
        ("ghp_mona", "/issues?filter=mentioned", vec!["Tool"]),
        ("ghp_mona", "/issues?filter=created", vec!["Own", "Secret", "Open one", "Change"]),
        ("ghp_hubot", "/user/issues?filter=created&state=all", vec!["Open two"]),
        ("ghp_mona", "/user/issues?filter=mentioned", vec![]),
        ("ghp_mona", "/user/issues?filter=all", vec!["Own", "Secret", "Open one", "Change"]),
        ("ghp_stranger", "/user/issues?filter=all", vec!["Tool"]),
        ("ghp_hubot", "/orgs/acme/issues", vec!["Secret", "Open one"]),
        ("ghp_mona", "/orgs/acme/issues?filter=created", vec!["Secret", "Open one", "Change"]),
        ("ghp_mona", "/orgs/acme/issues?filter=all&state=all", vec!["Secret", "Open two", "Open one", "Change"]),
        ("ghp_mona", "/orgs/acme/issues?filter=all&state=all&labels=BUG", vec!["Open two", "Open one"]),
        ("ghp_mona", "/issues?filter=all&state=all&labels=bug,later", vec!["Open one"]),
        ("ghp_mona", "/issues?filter=all&labels=bug,missing", vec![]),
        ("ghp_mona", "/issues?filter=all&direction=asc&labels=bug", vec!["Open one", "Own"]),
        ("ghp_mona", "/issues?filter=all&since=2100-01-01", vec![]),
    ] {
        assert_eq!(titles(&service.with_token(token), path).await, expected, "{token} {path}");
    }
    let mona = service.with_token("ghp_mona");
    mona.get("/issues?since=never").await.expect(422);
    let many = (0..17).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    mona.get(&format!("/user/issues?labels={many}")).await.expect(422);
    mona.get("/orgs/nobody/issues").await.expect(404);
}

#[tokio::test]
async fn lists_show_what_the_token_can_read() {
    let service = Service::with(&STATE).await;
    for (token, expected) in [
        ("ghp_hubot", vec!["Secret", "Open one", "Change"]),
        ("ghp_unscoped", vec!["Open one", "Change"]),
        ("github_pat_issues", vec!["Secret", "Open one", "Change"]),
        ("github_pat_contents", vec!["Open one", "Change"]),
        ("ghu_issues", vec!["Secret", "Open one", "Change"]),
        ("ghu_contents", vec!["Open one", "Change"]),
        ("ghs_issues", vec!["Secret", "Open one", "Change"]),
        ("ghs_contents", vec!["Open one", "Change"]),
        ("ghp_stranger", vec!["Open one", "Change"]),
    ] {
        let client = service.with_token(token);
        assert_eq!(titles(&client, "/orgs/acme/issues?filter=all").await, expected, "{token}");
        let own = client.get("/issues").await;
        assert_eq!(own.status, if token.starts_with("ghs_") { 403 } else { 200 }, "{token}");
    }
    // Nobody sees an assignment in a repository without a role in it any more.
    let mona = service.with_token("ghp_mona");
    let hubot = service.with_token("ghp_hubot");
    assert_eq!(titles(&hubot, "/issues").await, ["Secret", "Open one"]);
    mona.patch("/repos/acme/open", serde_json::json!({ "private": true })).await.expect(200);
    assert_eq!(titles(&service.with_token("ghp_unscoped"), "/issues?filter=subscribed&state=all").await, ["Tool"]);
    service.with_token("ghp_mona").delete("/repos/acme/secret").await.expect(403);
    for path in ["/issues", "/user/issues", "/orgs/acme/issues"] {
        service.anonymous().get(path).await.expect(401);
    }
}

#[tokio::test]
async fn list_has_repositories_and_pages() {
    let service = Service::with(&STATE).await;
    service.settled().await;
    let mona = service.with_token("ghp_mona");
    let list = mona.get("/issues?filter=created").await.expect(200).json();
    let names: Vec<_> =
        list.as_array().expect("a list").iter().map(|issue| &issue["repository"]["full_name"]).collect();
    assert_eq!(names, ["mona/own", "acme/secret", "acme/open", "acme/open"]);
    let repos = mona.get("/user/repos?affiliation=owner").await.expect(200).json();
    assert_eq!(list[0]["repository"], repos[0], "as in a list of repositories");
    assert_eq!(list[3]["pull_request"]["url"], "http://plinth.test/repos/acme/open/pulls/1");
    let mut one = list[2].clone();
    one.as_object_mut().expect("an object").remove("repository");
    assert_eq!(one, mona.get("/repos/acme/open/issues/2").await.expect(200).json(), "as one by one");
    let page = mona.get("/issues?filter=created&per_page=3&page=2").await.expect(200);
    assert_eq!(page.json().as_array().map(Vec::len), Some(1));
    assert!(page.header("link").expect("a link").contains("page=1>; rel=\"first\""));
    let html = mona.clone().header("accept", "application/vnd.github.html+json");
    let found = html.get("/issues?filter=mentioned").await.expect(200).json();
    assert_eq!(
        found[0]["body_html"],
        "<p>Ask <a class=\"user-mention\" href=\"http://plinth.test/mona\" rel=\"nofollow\">@mona</a></p>"
    );
}

#[tokio::test]
async fn list_is_sorted_over_repositories() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_mona");
    service.advance(60);
    mona.post("/repos/acme/secret/issues/1/comments", serde_json::json!({ "body": "Hm" })).await.expect(201);
    assert_eq!(titles(&mona, "/user/issues?filter=all&sort=comments&per_page=1").await, ["Secret"]);
    assert_eq!(titles(&mona, "/user/issues?filter=all&sort=updated&per_page=1").await, ["Secret"]);
    let up = titles(&mona, "/user/issues?filter=all&sort=updated&direction=asc").await;
    assert_eq!(up.last().map(String::as_str), Some("Secret"));
}
