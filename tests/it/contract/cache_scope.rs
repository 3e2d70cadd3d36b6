//! A write invalidates the cached responses of its own repository or organization, and no others.

use serde_json::{Value, json};

use crate::support::{Client, Service};

const STATE: &str = "
users: [{ login: mona }, { login: hubot }]
orgs: [{ login: octo-org, members: [{ user: mona, role: admin }] }, { login: other-org, members: [{ user: mona, role: admin }] }]
repos:
  - name: octo-org/a
    default_branch: main
    commits: &commits
      - { branch: main, author: mona, message: one, files: { a: one } }
      - { branch: next, from: main, author: mona, message: two, files: { a: two } }
  - { name: octo-org/b, default_branch: main, commits: *commits }
pulls:
  - { repo: octo-org/a, title: Two, author: hubot, head: next, base: main, comments: [{ author: mona, path: a, line: 1, body: first }] }
  - { repo: octo-org/b, title: Two, author: hubot, head: next, base: main, comments: [{ author: mona, path: a, line: 1, body: first }] }
projects: [{ owner: octo-org, title: Roadmap }, { owner: other-org, title: Roadmap }]
issue_fields: [{ org: octo-org, name: Notes, data_type: text }]
tokens:
  - { kind: classic, user: mona, scopes: [repo, project, 'admin:org', delete_repo], token: ghp_monamona }
  - { kind: classic, user: hubot, scopes: [repo], token: ghp_hubothubot }
";
const LIST_B: &str = "/repos/octo-org/b/pulls/1/comments";
const REF_B: &str = "/repos/octo-org/b/git/ref/heads/main";
const FIELDS: &str = "/orgs/octo-org/projectsV2/1/fields";
const OTHER_FIELDS: &str = "/orgs/other-org/projectsV2/1/fields";

fn response_cache_hits(service: &Service) -> u64 {
    let page = service.app.metrics.render(&service.app);
    let line = page.lines().find(|line| line.starts_with("plinth_response_cache_hits_total "));
    line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).expect("the figure is on the page")
}

/// Whether a request is a cache hit.
async fn is_hit(service: &Service, client: &Client<'_>, path: &str) -> bool {
    let before = response_cache_hits(service);
    client.get(path).await.expect(200);
    response_cache_hits(service) > before
}

/// Puts responses into the cache.
async fn fill(service: &Service, client: &Client<'_>, paths: &[&str]) {
    for path in paths {
        is_hit(service, client, path).await;
        assert!(is_hit(service, client, path).await, "{path} is cached");
    }
}

async fn comment(client: &Client<'_>, repo: &str) {
    let next = client.get(&format!("/repos/octo-org/{repo}/git/ref/heads/next")).await.expect(200).json();
    let new = json!({ "body": "new", "commit_id": next["object"]["sha"], "path": "a", "line": 1 });
    client.post(&format!("/repos/octo-org/{repo}/pulls/1/comments"), new).await.expect(201);
}

async fn create_ref(client: &Client<'_>, repo: &str, name: &str) {
    let main = client.get(&format!("/repos/octo-org/{repo}/git/ref/heads/main")).await.expect(200).json();
    let new = json!({ "ref": format!("refs/heads/{name}"), "sha": main["object"]["sha"] });
    client.post(&format!("/repos/octo-org/{repo}/git/refs"), new).await.expect(201);
}

async fn create_field(client: &Client<'_>, path: &str, name: &str) {
    client.post(path, json!({ "name": name, "data_type": "text" })).await.expect(201);
}

#[tokio::test]
async fn write_keeps_cached_responses_of_other_repositories_and_organizations() {
    let service = Service::with(STATE).await;
    if service.app.generations().await.is_none() {
        // Nothing is cached on this database.
        return;
    }
    let mona = service.with_token("ghp_monamona");
    fill(&service, &mona, &[LIST_B, REF_B, FIELDS, OTHER_FIELDS]).await;
    comment(&mona, "a").await;
    create_ref(&mona, "a", "new").await;
    mona.patch("/repos/octo-org/a/pulls/1", json!({ "title": "changed" })).await.expect(200);
    create_field(&mona, OTHER_FIELDS, "New").await;
    for path in [LIST_B, REF_B, FIELDS] {
        assert!(is_hit(&service, &mona, path).await, "{path}");
    }
    assert!(!is_hit(&service, &mona, OTHER_FIELDS).await);
}

#[tokio::test]
async fn write_invalidates_cached_responses_of_its_own_scope() {
    let service = Service::with(STATE).await;
    if service.app.generations().await.is_none() {
        return;
    }
    let mona = service.with_token("ghp_monamona");
    fill(&service, &mona, &[LIST_B, REF_B]).await;
    comment(&mona, "b").await;
    assert!(!is_hit(&service, &mona, LIST_B).await);
    assert_eq!(mona.get(LIST_B).await.expect(200).json().as_array().map(Vec::len), Some(2));
    fill(&service, &mona, &[LIST_B, REF_B]).await;
    create_ref(&mona, "b", "new").await;
    assert!(!is_hit(&service, &mona, REF_B).await);
    fill(&service, &mona, &[FIELDS, "/orgs/octo-org/issue-fields"]).await;
    mona.patch("/orgs/octo-org/issue-fields/1", json!({ "name": "Renamed" })).await.expect(200);
    for path in [FIELDS, "/orgs/octo-org/issue-fields"] {
        assert!(!is_hit(&service, &mona, path).await, "{path}");
    }
}

#[tokio::test]
async fn change_of_rights_or_names_invalidates_cached_responses() {
    let service = Service::with(STATE).await;
    if service.app.generations().await.is_none() {
        return;
    }
    let (mona, hubot) = (service.with_token("ghp_monamona"), service.with_token("ghp_hubothubot"));
    fill(&service, &hubot, &[LIST_B]).await;
    service.apply("repos: [{ name: octo-org/b, private: true }]").await;
    hubot.get(LIST_B).await.expect(404);
    service.apply("repos: [{ name: octo-org/b, private: false }]").await;
    fill(&service, &hubot, &[LIST_B]).await;
    service.apply("users: [{ login: mona, name: Mona Lisa }]").await;
    assert!(!is_hit(&service, &hubot, LIST_B).await, "responses show accounts");
    fill(&service, &hubot, &[LIST_B]).await;
    mona.send(http::Method::DELETE, "/repos/octo-org/b", String::new()).await.expect(204);
    hubot.get(LIST_B).await.expect(404);
}

#[tokio::test]
async fn commit_of_another_process_invalidates_cached_responses() {
    let service = Service::with(STATE).await;
    if service.app.generations().await.is_none() {
        return;
    }
    let mona = service.with_token("ghp_monamona");
    fill(&service, &mona, &[LIST_B, FIELDS]).await;
    let elsewhere = service.store_elsewhere().await;
    let written = elsewhere.write(crate::support::Tester, (), |tx, ()| {
        Box::pin(async move {
            let found = plinth_core::repos::store::find(tx, "octo-org", "a", None).await?.expect("it is there");
            Ok(plinth_core::repos::store::update_archived(tx, found.repo.id, true).await?)
        })
    });
    written.await.expect("the store takes the change");
    for path in [LIST_B, FIELDS] {
        assert!(!is_hit(&service, &mona, path).await, "{path}");
    }
    let archived: Value = mona.get("/repos/octo-org/a").await.expect(200).json();
    assert_eq!(archived["archived"], json!(true));
}

#[tokio::test]
async fn only_changes_of_rights_invalidate_a_list_of_installations() {
    const INSTALLATIONS: &str = "/user/installations";
    let service = Service::with(STATE).await;
    if service.app.generations().await.is_none() {
        return;
    }
    let apps = "
apps: [{ slug: helper, owner: octo-org, permissions: { contents: read }, events: [] }]
installations: [{ app: helper, account: octo-org, repositories: all }]
tokens: [{ kind: app_user, app: helper, user: mona, token: ghu_monamona }]
";
    service.apply(apps).await;
    let (mona, user) = (service.with_token("ghp_monamona"), service.with_token("ghu_monamona"));
    fill(&service, &user, &[INSTALLATIONS]).await;
    comment(&mona, "a").await;
    create_ref(&mona, "b", "new").await;
    mona.patch("/repos/octo-org/a/pulls/1", json!({ "title": "changed" })).await.expect(200);
    create_field(&mona, FIELDS, "New").await;
    assert!(is_hit(&service, &user, INSTALLATIONS).await);
    service.apply("installations: [{ app: helper, account: other-org, repositories: all }]").await;
    assert!(!is_hit(&service, &user, INSTALLATIONS).await);
    assert_eq!(user.get(INSTALLATIONS).await.expect(200).json()["total_count"], 2);
}
