//! Reading: which requests get pages, what they show, and what nobody sees.

use serde_json::json;

use super::browser::Browser;
use crate::support::Service;
use crate::support::fixtures::mona;
use crate::support::pull_request::{COMMENTS, PullRequestFixture};
use crate::support::wait::wait_until_async;

const BASE: &str = "fn main() {\n    one();\n    two();\n}\n";
const HEAD: &str = "fn main() {\n    one();\n    2();\n}\n";

async fn fixture() -> PullRequestFixture {
    PullRequestFixture::new(
        &[("src/main.rs", BASE), ("README.md", "# Rocket\n\nSee [the code](src/main.rs) <script>alert(1)</script>\n")],
        &[("src/main.rs", Some(HEAD))],
    )
    .await
}

#[tokio::test]
async fn clients_of_the_api_get_json_as_before() {
    let service = Service::with(&mona().repo("mona/open", "").to_string()).await;
    for accept in ["*/*", "application/json", "application/vnd.github+json", "application/json, text/html"] {
        let client = service.anonymous().header("accept", accept);
        assert!(client.get("/").await.expect(200).json()["current_user_url"].is_string());
        assert_eq!(client.get("/mona/open").await.expect(404).json()["message"], "Not Found");
        client.get("/repos/mona/open").await.expect(200);
    }
    let browser = Browser::new(&service);
    let json = |path: &'static str| {
        let client = browser.client();
        async move { client.get(path).await.header("content-type").expect("a type").to_owned() }
    };
    for path in [
        "/repos/mona/open",
        "/api/v3/repos/mona/open",
        "/repos/mona/open/nothing",
        "/api/v3/mona/open",
        "/notifications",
    ] {
        assert_eq!(json(path).await, "application/json; charset=utf-8", "{path}");
    }
    assert_eq!(json("/mona/open").await, "text/html; charset=utf-8");
}

#[tokio::test]
async fn browser_gets_a_page_for_a_path_without_one() {
    let service = Service::with(&mona().repo("mona/open", "").to_string()).await;
    let browser = Browser::new(&service);
    for path in
        ["/mona/open/wiki", "/mona/open/pull/99999999999999999999", "/mona/open/pull/x", "/-/nothing", "/mona/a/b/c"]
    {
        let response = browser.get(path).await.expect(404);
        assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        let client = service.anonymous().header("accept", "application/json");
        if !path.starts_with("/-/") {
            assert_eq!(client.get(path).await.expect(404).json()["message"], "Not Found");
        }
    }
}

#[tokio::test]
async fn first_page_lists_public_repositories_to_everyone() {
    let state = mona().repo("mona/open", "description: For all").repo("mona/secret", "private: true");
    let service = Service::with(&state.to_string()).await;
    let page = Browser::new(&service).page("/").await;
    assert!(page.contains("href=\"/mona/open\"") && page.contains("For all"), "{page}");
    assert!(!page.contains("secret"), "{page}");
}

#[tokio::test]
async fn private_and_absent_pages_are_the_same() {
    let state =
        mona().users(&["hubot"]).repo("mona/secret", "private: true").classic("hubot", "repo", "ghp_hubothubot");
    let service = Service::with(&state.to_string()).await;
    let signed_in = Browser::signed_in(&service, "ghp_hubothubot").await;
    for browser in [Browser::new(&service), signed_in] {
        for place in [
            "",
            "/tree/main",
            "/blob/main/a",
            "/raw/main/a",
            "/commits",
            "/branches",
            "/pulls",
            "/pull/1",
            "/issues",
            "/issues/1",
            "/releases",
        ] {
            let hidden = browser.client().get(&format!("/mona/secret{place}")).await;
            let absent = browser.client().get(&format!("/mona/nothing{place}")).await;
            assert_eq!(hidden.status, 404, "{place}");
            assert_eq!(hidden.comparable(), absent.comparable(), "{place}");
        }
    }
}

#[tokio::test]
async fn pages_have_a_strict_policy() {
    let fixture = fixture().await;
    let browser = Browser::new(&fixture.service);
    for path in ["/", "/acme", "/acme/rocket", "/acme/rocket/pull/1", "/nobody"] {
        let response = browser.get(path).await;
        let policy = response.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        let page = String::from_utf8_lossy(&response.body).to_lowercase();
        assert!(!page.contains(" style=") && !page.contains(" onclick=") && !page.contains("<style"), "{path}");
        assert_eq!(page.matches("<script").count(), 1, "{path} has its own script and no other");
    }
    let raw = fixture.service.anonymous().get("/acme/rocket/raw/main/README.md").await.expect(200);
    assert_eq!(raw.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(raw.header("content-security-policy").is_some_and(|policy| policy.contains("sandbox")));
}

#[tokio::test]
async fn repository_shows_files_readme_and_history() {
    let fixture = fixture().await;
    let browser = Browser::new(&fixture.service);
    let page = browser.page("/acme/rocket").await;
    assert!(page.contains("/acme/rocket/tree/main/src") && page.contains("Rocket"));
    assert!(page.contains("href=\"/acme/rocket/blob/main/src/main.rs\""), "links of the README lead to files");
    assert!(!page.contains("alert(1)</script>"));
    // A file is shown plain while others are highlighted.
    wait_until_async("the file is highlighted", async || {
        let file = browser.page("/acme/rocket/blob/feature/src/main.rs").await;
        assert!(file.contains("id=\"L3\""), "{file}");
        file.contains("<i class=k>fn</i>")
    })
    .await;
    assert!(browser.page("/acme/rocket/commits/feature").await.contains(&fixture.head[..7]));
    let commit = browser.page(&format!("/acme/rocket/commit/{}", fixture.head)).await;
    assert!(commit.contains("    2();") && commit.contains("class=\"d\""));
    let compared = browser.page("/acme/rocket/compare/main...feature").await;
    assert!(compared.contains("1 commit ahead"), "{compared}");
    for path in ["branches", "tags", "pulls", "issues", "releases", "tree/feature/src", "pull/1/commits"] {
        browser.get(&format!("/acme/rocket/{path}")).await.expect(200);
    }
    let diff = fixture.service.anonymous().get("/acme/rocket/pull/1.diff").await.expect(200);
    assert!(diff.body.starts_with(b"diff --git"), "diff_url leads to a diff");
}

#[tokio::test]
async fn pull_request_shows_threads_at_their_lines_and_outdated_ones_with_their_hunk() {
    let fixture = fixture().await;
    let body = json!({ "body": "Why?\n\n```suggestion\n    three();\n```", "commit_id": fixture.head, "path": "src/main.rs", "line": 3 });
    let made = fixture.user("hubot").post(COMMENTS, body).await.expect(201).json();
    let reply = format!("{COMMENTS}/{}/replies", made["id"]);
    let reply = fixture.user("mona").post(&reply, json!({ "body": "Because." })).await.expect(201).json();
    let browser = Browser::new(&fixture.service);
    let files = browser.page("/acme/rocket/pull/1/files").await;
    let anchor = format!("id=\"discussion_r{}\"", made["id"]);
    let (before, after) = files.split_once(&anchor).expect("the comment is there");
    assert!(before.contains("    2();") && after.contains("Because."), "it is below its line");
    assert!(files.contains("three();") && files.contains("Suggested change"));
    let conversation = browser.page("/acme/rocket/pull/1").await;
    for comment in [&made, &reply] {
        let url = comment["html_url"].as_str().expect("a URL");
        let (page, anchor) =
            url.strip_prefix("http://plinth.test").and_then(|url| url.split_once('#')).expect("an anchor");
        assert_eq!(page, "/acme/rocket/pull/1");
        assert!(conversation.contains(&format!("id=\"{anchor}\"")), "{anchor}");
    }
    let moved = fixture.commit_on(&fixture.head, &[("src/main.rs", Some("fn main() {}\n"))]);
    fixture.push("feature", &moved).await;
    fixture.service.settled().await;
    let files = browser.page("/acme/rocket/pull/1/files").await;
    assert!(files.contains("Outdated") && files.contains("    2();"), "{files}");
}

#[tokio::test]
async fn page_of_many_files_loads_them_when_opened() {
    let content = |word: &str| (0..40).map(|line| format!("{word} {line}\n")).collect::<String>();
    let names: Vec<String> = (0..60).map(|number| format!("f{number:02}")).collect();
    let (old, new) = (content("old"), content("new"));
    let base: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), old.as_str())).collect();
    let head: Vec<(&str, Option<&str>)> = names.iter().map(|name| (name.as_str(), Some(new.as_str()))).collect();
    let fixture = PullRequestFixture::new(&base, &head).await;
    let browser = Browser::new(&fixture.service);
    let page = browser.page("/acme/rocket/pull/1/files").await;
    assert_eq!(page.matches("class=\"file box\"").count(), 60);
    assert_eq!(page.matches("<table").count(), 12, "a thousand changed lines are open");
    let commit = format!("/acme/rocket/commit/{}", fixture.head);
    assert_eq!(browser.page(&commit).await.matches("<table").count(), 25, "two thousand for a commit");
    assert_eq!(browser.page(&format!("{commit}?only=f59")).await.matches("<table").count(), 1);
    let alone = browser.page("/acme/rocket/pull/1/files?page=1&only=f59").await;
    assert!(alone.contains("new 39") && alone.matches("<table").count() == 1);
}
