//! Statuses and releases of a state file.

use plinth::state_file::State;
use serde_json::json;

use crate::support::Service;

const ACCOUNTS: &str = "\
users: [{ login: mona }, { login: hubot }]
tokens: [{ kind: classic, user: mona, scopes: [repo], token: ghp_monamona }]
";

/// A repository with a branch, a lightweight and an annotated tag, and these further lines.
fn state(lines: &str) -> String {
    format!(
        "{ACCOUNTS}\
repos:
  - name: mona/tool
    commits: [{{ branch: main, author: mona, message: first, files: {{ a: one }} }}]
    tags: [{{ name: v1, target: main }}, {{ name: v2, target: main, message: Second }}]
{lines}"
    )
}

const STATUSES: &str = "    statuses:
      - { target: main, state: success, context: ci, description: All good, target_url: 'https://ci.test/1', creator: hubot }
      - { target: v1, state: pending, creator: mona }
";

const RELEASES: &str = "    releases:
      - { tag: v1, name: One, body: The first, author: mona, assets: [{ name: tool.txt, label: The tool, content_type: text/plain, content: one }] }
      - { tag: v2, author: hubot, prerelease: true }
      - { tag: v3, author: mona, draft: true }
";

/// Applies a file, and returns the lines of the report.
async fn apply(service: &Service, text: &str) -> String {
    let state = State::parse(text, service.directory()).expect("the file is good");
    let report = state.apply(&service.store, &service.app.repositories, service.app.clock.now()).await;
    report.expect("it applies").to_string()
}

#[tokio::test]
async fn statuses_are_created_once() {
    let service = Service::with("").await;
    apply(&service, &state(STATUSES)).await;
    let again = apply(&service, &state(STATUSES)).await;
    assert!(again.contains("0 created, 0 changed"), "{again}");
    let mona = service.with_token("ghp_monamona");
    let combined = mona.get("/repos/mona/tool/commits/main/status").await.expect(200).json();
    assert_eq!((&combined["state"], &combined["total_count"]), (&json!("pending"), &json!(2)));
    let all = mona.get("/repos/mona/tool/commits/main/statuses").await.expect(200).json();
    assert_eq!(all.as_array().map(Vec::len), Some(2));
    let ci = &all[1];
    assert_eq!(
        (&ci["context"], &ci["state"], &ci["creator"]["login"]),
        (&json!("ci"), &json!("success"), &json!("hubot"))
    );
    assert_eq!((&ci["description"], &ci["target_url"]), (&json!("All good"), &json!("https://ci.test/1")));
    assert_eq!(all[0]["context"], "default");
}

#[tokio::test]
async fn changed_status_supersedes_the_former_one() {
    let service = Service::with("").await;
    apply(&service, &state(STATUSES)).await;
    apply(&service, &state(&STATUSES.replace("pending", "failure"))).await;
    let mona = service.with_token("ghp_monamona");
    let combined = mona.get("/repos/mona/tool/commits/main/status").await.expect(200).json();
    assert_eq!((&combined["state"], &combined["total_count"]), (&json!("failure"), &json!(2)));
    let all = mona.get("/repos/mona/tool/commits/main/statuses").await.expect(200).json();
    assert_eq!(all.as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn releases_are_created_once_with_their_files() {
    let service = Service::with("").await;
    apply(&service, &state(RELEASES)).await;
    let mona = service.with_token("ghp_monamona");
    let list = mona.get("/repos/mona/tool/releases").await.expect(200).json();
    let again = apply(&service, &state(RELEASES)).await;
    assert!(again.contains("0 created, 0 changed"), "{again}");
    assert_eq!(mona.get("/repos/mona/tool/releases").await.expect(200).json(), list);
    let shown: Vec<_> = list
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| (&found["tag_name"], &found["draft"], &found["prerelease"]))
        .collect();
    let expected = [("v3", true, false), ("v2", false, true), ("v1", false, false)]
        .map(|(tag, draft, prerelease)| (json!(tag), json!(draft), json!(prerelease)));
    assert_eq!(shown, expected.iter().map(|(tag, draft, prerelease)| (tag, draft, prerelease)).collect::<Vec<_>>());
    let first = mona.get("/repos/mona/tool/releases/latest").await.expect(200).json();
    assert_eq!(
        (&first["name"], &first["body"], &first["author"]["login"]),
        (&json!("One"), &json!("The first"), &json!("mona"))
    );
    let asset = &first["assets"][0];
    assert_eq!((&asset["name"], &asset["label"], &asset["size"]), (&json!("tool.txt"), &json!("The tool"), &json!(3)));
    assert_eq!(asset["content_type"], "text/plain");
    let file = mona.get("/mona/tool/releases/download/v1/tool.txt").await.expect(200);
    assert_eq!(file.body, "one");
}

#[tokio::test]
async fn changed_release_and_file_replace_the_former_ones() {
    let service = Service::with("").await;
    apply(&service, &state(RELEASES)).await;
    let changed = RELEASES.replace("name: One", "name: Changed").replace("content: one", "content: two!");
    let report = apply(&service, &state(&changed)).await;
    assert!(report.contains("0 created, 2 changed"), "{report}");
    let mona = service.with_token("ghp_monamona");
    let first = mona.get("/repos/mona/tool/releases/tags/v1").await.expect(200).json();
    assert_eq!((&first["name"], first["assets"].as_array().map(Vec::len)), (&json!("Changed"), Some(1)));
    assert_eq!(mona.get("/mona/tool/releases/download/v1/tool.txt").await.expect(200).body, "two!");
    // A published release does not become a draft again.
    let draft = apply(&service, &state(&changed.replace("prerelease: true", "prerelease: true, draft: true"))).await;
    assert!(draft.contains("0 created, 0 changed"), "{draft}");
}

#[tokio::test]
async fn content_that_is_not_valid_is_reported_with_its_line() {
    let service = Service::with("").await;
    for (lines, error) in [
        (
            "    statuses: [{ target: gone, state: success, creator: mona }]",
            "line 7, repos.statuses.target: there is no branch or lightweight tag \"gone\"",
        ),
        (
            "    statuses: [{ target: v2, state: success, creator: mona }]",
            "line 7, repos.statuses.target: there is no branch",
        ),
        (
            "    statuses: [{ target: main, state: good, creator: mona }]",
            "line 7, repos.statuses.state: a state is error",
        ),
        (
            "    statuses: [{ target: main, state: success, creator: nobody }]",
            "line 7, repos.statuses.creator: there is no user",
        ),
        (
            "    statuses: [{ target: main, state: success, creator: mona, target_url: 'ftp://x' }]",
            "line 7, repos.statuses: ",
        ),
        ("    releases: [{ tag: v9, author: mona }]", "line 7, repos.releases: there is no tag \"v9\""),
        ("    releases: [{ tag: a..b, author: mona }]", "line 7, repos.releases: "),
        ("    releases: [{ tag: v1, author: nobody }]", "line 7, repos.releases.author: there is no user"),
        (
            "    releases: [{ tag: v1, author: mona, assets: [{ name: '..', content: x }] }]",
            "line 7, repos.releases.assets: ",
        ),
        ("    releases: [{ tag: v1, author: mona, file: x }]", "line 7"),
    ] {
        let found = service.try_apply(&state(lines)).await.expect_err("the file is not valid");
        assert!(found.contains(error), "{lines}: {found}");
    }
    assert!(service.try_apply(&state("")).await.is_ok());
}
