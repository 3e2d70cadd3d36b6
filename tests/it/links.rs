//! Every link in a user, an organization, a repository, an issue and a pull request leads to something, or is listed in
//! docs/differences.md.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::pull_request::PullRequestFixture;

const BASE: &str = "http://plinth.test";
const DIFFERENCES: &str = include_str!("../../docs/differences.md");
/// Begins the table of links that lead nowhere, by object.
const HEADING: &str = "## Links that lead nowhere";
/// Links of pages and of git, which are not links to the API.
const NOT_API: &[&str] =
    &["avatar_url", "clone_url", "diff_url", "git_url", "html_url", "patch_url", "ssh_url", "svn_url"];

fn objects() -> [(&'static str, &'static str); 5] {
    [
        ("User", "/users/hubot"),
        ("Organization", "/orgs/acme"),
        ("Repository", "/repos/acme/rocket"),
        ("Issue", "/repos/acme/rocket/issues/2"),
        ("Pull request", "/repos/acme/rocket/pulls/1"),
    ]
}

/// The links of an object itself, not of those inside it.
fn links(object: &Value) -> Vec<(String, String)> {
    let fields = object.as_object().expect("an object");
    let own = fields.iter().map(|(key, value)| (key.clone(), value));
    let more = object["_links"].as_object().into_iter().flatten();
    let more = more.map(|(key, value)| (format!("_links.{key}"), &value["href"]));
    let is_link = |key: &str| (key.ends_with("url") || key.starts_with("_links.")) && key != "_links.html";
    let links = own.chain(more).filter(|(key, _)| is_link(key) && !NOT_API.contains(&key.as_str()));
    links.filter_map(|(key, value)| Some((key, value.as_str()?.strip_prefix(BASE)?.to_owned()))).collect()
}

/// A template with values that exist, if it has variables.
fn expand(fixture: &PullRequestFixture, key: &str, template: &str, [tree, blob, tag]: &[String; 3]) -> String {
    let sha = match key {
        "trees_url" => tree,
        "blobs_url" => blob,
        "git_tags_url" => tag,
        _ => &fixture.head,
    };
    let values = [
        ("{/sha}", if key == "git_refs_url" { "/heads/main".to_owned() } else { format!("/{sha}") }),
        ("{sha}", sha.clone()),
        ("{base}", "main".into()),
        ("{head}", "feature".into()),
        ("{+path}", "a".into()),
        ("{/branch}", "/main".into()),
        ("{archive_format}{/ref}", "tarball/main".into()),
    ];
    let expanded = values.iter().fold(template.to_owned(), |text, (name, value)| text.replace(name, value));
    expanded.split('{').next().unwrap_or_default().to_owned()
}

/// The links that the documentation lists for an object.
fn listed(object: &str) -> BTreeSet<String> {
    let (_, section) = DIFFERENCES.split_once(HEADING).expect("the section exists");
    let row = section.lines().find_map(|line| line.strip_prefix(&format!("| {object} | ")));
    let cell = row.and_then(|row| row.split('|').next()).unwrap_or_default();
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[tokio::test]
async fn links_lead_to_something_or_are_listed() {
    let fixture = PullRequestFixture::new(&[("a", "1\n")], &[("a", Some("2\n"))]).await;
    let admin = "tokens: [{ kind: classic, user: mona, scopes: [repo, 'admin:org', 'admin:org_hook', user, notifications], token: ghp_allallall }]";
    fixture.service.apply(admin).await;
    let mona = fixture.service.with_token("ghp_allallall");
    mona.post("/repos/acme/rocket/issues", json!({ "title": "Issue" })).await.expect(201);
    let commit = mona.get(&format!("/repos/acme/rocket/git/commits/{}", fixture.head)).await.expect(200).json();
    let blob = mona.post("/repos/acme/rocket/git/blobs", json!({ "content": "b" })).await.expect(201).json();
    let tag = json!({ "tag": "v1", "message": "one", "object": fixture.head, "type": "commit" });
    let tag = mona.post("/repos/acme/rocket/git/tags", tag).await.expect(201).json();
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    let ids = [text(&commit["tree"]["sha"]), text(&blob["sha"]), text(&tag["sha"])];
    for (name, path) in objects() {
        let object = mona.get(path).await.expect(200).json();
        let mut nowhere = BTreeSet::new();
        for (key, template) in links(&object) {
            let target = expand(&fixture, &key, &template, &ids);
            // The only one that is made for POST.
            let response = match key.as_str() {
                "merges_url" => mona.post(&target, json!({ "base": "main", "head": "main" })).await,
                _ => mona.get(&target).await,
            };
            if response.status == 404 {
                nowhere.insert(key);
            } else {
                assert!((200..300).contains(&response.status), "{key} of {name}, {target}: {}", response.status);
            }
        }
        assert_eq!(nowhere, listed(name), "{name}");
    }
}
