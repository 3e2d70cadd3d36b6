//! Every link to a page, in every object that the API shows, opens.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::browser::Browser;
use crate::support::jwt;
use crate::support::pull_request::{COMMENTS, PULL, PullRequestFixture};

const BASE: &str = "http://plinth.test";

/// The URLs of pages in a response, each with the key that it was found at.
fn collect(value: &Value, key: &str, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let name = if key == "_links" && name == "html" { "_links.html" } else { name };
                collect(value, if key == "_links.html" { key } else { name }, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, key, found)),
        Value::String(text) => {
            let is_page = key.ends_with("html_url") || key == "_links.html" || PAGES.contains(&key);
            let own = text.strip_prefix(BASE).filter(|_| is_page);
            if let Some(path) = own {
                found.entry(path.to_owned()).or_insert_with(|| key.to_owned());
            }
        }
        _ => {}
    }
}

/// Other keys that lead to pages.
const PAGES: &[&str] = &[
    "blob_url",
    "diff_url",
    "download_url",
    "external_url",
    "patch_url",
    "permalink_url",
    "raw_url",
    "verification_uri",
];

async fn fixture(private: bool) -> (PullRequestFixture, Vec<String>) {
    let fixture = PullRequestFixture::new(
        &[("a.txt", "1\n2\n"), ("dir/b.md", "# b\n"), ("README.md", "# Rocket\n")],
        &[("a.txt", Some("1\ntwo\n"))],
    )
    .await;
    let state = "apps: [{ slug: helper, owner: acme, permissions: { contents: write, pull_requests: write, issues: write }, client_id: Iv23helper, private_key_file: helper.pem }]\n\
                 installations: [{ app: helper, account: acme, repositories: all }]\n\
                 issue_fields: [{ org: acme, name: Level, data_type: text }]\n\
                 projects: [{ owner: acme, title: Plan, public: true }]\n\
                 tokens: [{ kind: classic, user: mona, scopes: [repo, 'admin:org', project, user, notifications], token: ghp_allallall }, \
                 { kind: installation, app: helper, account: acme, token: ghs_helperhelper }, { kind: app_user, app: helper, user: mona, token: ghu_helperhelper }]";
    fixture.service.write_app_key("helper.pem");
    fixture.service.apply(state).await;
    let mona = fixture.service.with_token("ghp_allallall");
    let rocket = "/repos/acme/rocket";
    let post = async |path: &str, body: Value| mona.post(path, body).await.expect(201).json();
    let line = json!({ "body": "Why?", "commit_id": fixture.head, "path": "a.txt", "line": 2 });
    let comment = fixture.user("hubot").post(COMMENTS, line).await.expect(201).json();
    post(&format!("{COMMENTS}/{}/replies", comment["id"]), json!({ "body": "So." })).await;
    fixture.user("hubot").post(&format!("{PULL}/reviews"), json!({ "event": "APPROVE" })).await.expect(200);
    let bot = fixture.service.with_token("ghs_helperhelper");
    bot.post(&format!("{rocket}/issues/1/comments"), json!({ "body": "From a bot" })).await.expect(201);
    post(&format!("{rocket}/issues"), json!({ "title": "Issue" })).await;
    post(&format!("{rocket}/issues/2/comments"), json!({ "body": "Comment" })).await;
    post(&format!("{rocket}/git/refs"), json!({ "ref": "refs/heads/a/branch", "sha": fixture.head })).await;
    post(&format!("{rocket}/git/refs"), json!({ "ref": "refs/tags/v1", "sha": fixture.head })).await;
    post(&format!("{rocket}/releases"), json!({ "tag_name": "v1", "name": "One" })).await;
    post(&format!("{rocket}/releases"), json!({ "tag_name": "v2", "draft": true })).await;
    if private {
        mona.patch(rocket, json!({ "private": true })).await.expect(200);
    }
    fixture.service.settled().await;
    let head = fixture.head.clone();
    let places = [
        "/user",
        "/users/hubot",
        "/orgs/acme",
        "/user/repos",
        "/orgs/acme/repos",
        "/orgs/acme/members",
        "/issues",
        "/notifications",
        "/orgs/acme/projectsV2",
        "/orgs/acme/projectsV2/1/items",
    ];
    let below = [
        "",
        "/pulls",
        "/pulls/1",
        "/pulls/1/files",
        "/pulls/1/commits",
        "/pulls/1/comments",
        "/pulls/1/reviews",
        "/pulls/comments",
        "/issues",
        "/issues/1",
        "/issues/2",
        "/issues/comments",
        "/issues/1/comments",
        "/branches",
        "/branches/a/branch",
        "/tags",
        "/commits",
        "/commits/main",
        "/compare/main...feature",
        "/compare/main...a/branch",
        "/contents",
        "/contents/a.txt",
        "/contents/dir",
        "/contents/a.txt?ref=a/branch",
        "/readme",
        "/releases",
        "/releases/latest",
        "/collaborators",
        "/assignees",
    ];
    let mut all: Vec<String> = places.map(str::to_owned).to_vec();
    all.extend(below.iter().map(|path| format!("{rocket}{path}")));
    all.push(format!("{rocket}/commits/{head}"));
    all.push(format!("{rocket}/git/commits/{head}"));
    (fixture, all)
}

async fn links(fixture: &PullRequestFixture, paths: &[String]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mona = fixture.service.with_token("ghp_allallall");
    for path in paths {
        collect(&mona.get(path).await.expect(200).json(), "", &mut found);
    }
    let of_app = fixture.service.with_token("ghu_helperhelper").get("/user/installations").await.expect(200);
    collect(&of_app.json(), "", &mut found);
    let signed = jwt::sign(fixture.service.app_key(), &jwt::claims("Iv23helper"));
    let app = fixture.service.with_token(&signed).get("/app").await.expect(200);
    collect(&app.json(), "", &mut found);
    let device = fixture.service.anonymous().header("accept", "application/json");
    let device = device.post("/login/device/code", json!({ "client_id": "Iv23helper" })).await.expect(200);
    collect(&device.json(), "", &mut found);
    found
}

/// Fragments must exist on their pages, too.
async fn check(browser: &Browser<'_>, links: &BTreeMap<String, String>) {
    let mut wrong = BTreeSet::new();
    for (path, key) in links {
        let response = browser.get(path).await;
        let text = String::from_utf8_lossy(&response.body).into_owned();
        if response.status != 200 {
            wrong.insert(format!("{key} {path}: {}", response.status));
        } else if let Some((_, anchor)) = path.split_once('#')
            && !text.contains(&format!("id=\"{anchor}\""))
        {
            wrong.insert(format!("{key} {path}: no such place on its page"));
        }
    }
    assert!(wrong.is_empty(), "links that do not open:\n{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

#[tokio::test]
async fn links_of_public_objects_open_for_everyone() {
    let (fixture, paths) = fixture(false).await;
    let links = links(&fixture, &paths).await;
    assert!(links.len() > 40, "{} links are not all", links.len());
    let is_own = |path: &str| path.contains("/settings/installations/") || path.contains("untagged-");
    let (own, public): (BTreeMap<_, _>, BTreeMap<_, _>) = links.into_iter().partition(|(path, _)| is_own(path));
    check(&Browser::new(&fixture.service), &public).await;
    check(&Browser::signed_in(&fixture.service, "ghp_allallall").await, &own).await;
}

#[tokio::test]
async fn links_of_private_objects_open_for_who_has_signed_in() {
    let (fixture, paths) = fixture(true).await;
    let links = links(&fixture, &paths).await;
    check(&Browser::signed_in(&fixture.service, "ghp_allallall").await, &links).await;
    let anonymous = Browser::new(&fixture.service);
    for path in links.keys().filter(|path| path.starts_with("/acme/rocket")) {
        anonymous.get(path).await.expect(404);
    }
}
