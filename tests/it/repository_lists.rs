//! Lists of repositories, and of the users who have a role in one.

use std::sync::LazyLock;

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::fixtures::StateFile;
use crate::support::{Client, Service};

const REPOS: [&str; 7] =
    ["acme/alpha", "acme/Beta", "acme/gamma", "mona/own", "mona/diary", "hubot/tool", "hubot/secret"];
const TOKENS: [&str; 9] = [
    "ghp_mona",
    "ghp_public",
    "ghp_hubot",
    "ghp_stranger",
    "github_pat_acme",
    "github_pat_one",
    "ghu_hubot",
    "ghs_allallall",
    "ghs_somesome",
];

static STATE: LazyLock<String> = LazyLock::new(|| {
    let private = "private: true";
    StateFile::default()
        .users(&["mona", "hubot", "stranger"])
        .org("acme", "{ user: mona, role: admin }, { user: hubot, role: member }")
        .repo("acme/alpha", "")
        .repo("acme/Beta", private)
        .repo("acme/gamma", "private: true, collaborators: [{ user: stranger, permission: triage }]")
        .repo("mona/own", "collaborators: [{ user: hubot, permission: write }]")
        .repo("mona/diary", private)
        .repo("hubot/tool", "")
        .repo("hubot/secret", "private: true, collaborators: [{ user: mona, permission: maintain }]")
        .app("helper", "acme", "contents: read, members: read", "")
        .app("narrow", "acme", "contents: read", "")
        .installation("helper", "acme", "all")
        .installation("narrow", "acme", "[acme/Beta]")
        .classic("mona", "repo, 'read:org'", "ghp_mona")
        .classic("mona", "public_repo", "ghp_public")
        .classic("mona", "", "ghp_unscoped")
        .classic("hubot", "repo, 'read:org'", "ghp_hubot")
        .classic("stranger", "repo, 'read:org'", "ghp_stranger")
        .fine_grained("mona", "acme", "contents: read", "github_pat_acme")
        .entry(
            "tokens",
            "kind: fine_grained, user: mona, owner: acme, permissions: { contents: read }, \
             repositories: [acme/gamma], token: github_pat_one",
        )
        .app_user("hubot", "narrow", "ghu_hubot")
        .installation_token("helper", "acme", "ghs_allallall")
        .installation_token("narrow", "acme", "ghs_somesome")
        .to_string()
});

async fn names(client: &Client<'_>, path: &str) -> Vec<String> {
    let list = client.get(path).await.expect(200).json();
    let items = list.as_array().expect("a list").iter();
    items.map(|repo| repo["full_name"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn list_of_organization_has_exactly_what_the_caller_can_get() {
    let service = Service::with(&STATE).await;
    let clients = TOKENS.iter().map(|token| (*token, service.with_token(token))).chain([("none", service.anonymous())]);
    for (token, client) in clients {
        let mut visible = Vec::new();
        for repo in REPOS.iter().filter(|repo| repo.starts_with("acme/")) {
            if client.get(&format!("/repos/{repo}")).await.status == 200 {
                visible.push((*repo).to_owned());
            }
        }
        assert_eq!(names(&client, "/orgs/acme/repos?sort=full_name").await, visible, "{token}");
        let private = names(&client, "/orgs/acme/repos?type=private&sort=full_name").await;
        assert_eq!(private, visible[1..], "{token}");
        assert_eq!(names(&client, "/orgs/acme/repos?type=public").await, ["acme/alpha"]);
        assert_eq!(names(&client, "/orgs/acme/repos?type=forks").await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn own_list_has_only_what_the_token_can_get() {
    let service = Service::with(&STATE).await;
    for token in TOKENS.iter().filter(|token| !token.starts_with("ghs_")) {
        let client = service.with_token(token);
        let listed = names(&client, "/user/repos?per_page=100").await;
        for repo in REPOS {
            let found = client.get(&format!("/repos/{repo}")).await;
            let is_visible = found.status == 200;
            let is_related = is_visible && {
                let login = client.get("/user").await.expect(200).json()["login"].as_str().unwrap().to_owned();
                let is_member = ["mona", "hubot"].contains(&login.as_str()) && repo.starts_with("acme/");
                let collaborates = [("hubot", "mona/own"), ("mona", "hubot/secret"), ("stranger", "acme/gamma")];
                is_member || repo.starts_with(&format!("{login}/")) || collaborates.contains(&(login.as_str(), repo))
            };
            assert_eq!(listed.contains(&repo.to_owned()), is_related, "{repo} of {token}");
        }
    }
    service.with_token("ghs_allallall").get("/user/repos").await.expect(403);
    service.anonymous().get("/user/repos").await.expect(401);
}

#[tokio::test]
async fn own_list_has_filters_and_orders() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_mona");
    let mut seen = String::new();
    for query in [
        "",
        "type=owner",
        "type=member",
        "type=public",
        "type=private",
        "visibility=private",
        "affiliation=collaborator",
        "affiliation=owner,organization_member&visibility=public",
        "sort=full_name&direction=desc",
        "sort=created&direction=asc",
        "sort=created",
        "sort=nonsense&direction=nonsense",
        "per_page=2&page=2",
        "since=2030-01-01T00:00:00Z",
        "before=2030-01-01",
    ] {
        seen += &format!("{query}: {}\n", names(&mona, &format!("/user/repos?{query}")).await.join(" "));
    }
    expect![[r#"
        : acme/alpha acme/Beta acme/gamma hubot/secret mona/diary mona/own
        type=owner: mona/diary mona/own
        type=member: acme/alpha acme/Beta acme/gamma hubot/secret
        type=public: acme/alpha mona/own
        type=private: acme/Beta acme/gamma hubot/secret mona/diary
        visibility=private: acme/Beta acme/gamma hubot/secret mona/diary
        affiliation=collaborator: hubot/secret
        affiliation=owner,organization_member&visibility=public: acme/alpha mona/own
        sort=full_name&direction=desc: mona/own mona/diary hubot/secret acme/gamma acme/Beta acme/alpha
        sort=created&direction=asc: acme/alpha acme/Beta acme/gamma mona/own mona/diary hubot/secret
        sort=created: hubot/secret mona/diary mona/own acme/gamma acme/Beta acme/alpha
        sort=nonsense&direction=nonsense: acme/alpha acme/Beta acme/gamma hubot/secret mona/diary mona/own
        per_page=2&page=2: acme/gamma hubot/secret
        since=2030-01-01T00:00:00Z: 
        before=2030-01-01: acme/alpha acme/Beta acme/gamma hubot/secret mona/diary mona/own
    "#]]
    .assert_eq(&seen);
    let wrong = mona.get("/user/repos?type=owner&visibility=all").await.expect(422);
    assert_eq!(wrong.message(), "If you specify visibility or affiliation, you cannot specify type.");
    let page = mona.get("/user/repos?per_page=2").await.expect(200);
    assert!(page.header("link").is_some_and(|link| link.contains("page=2>; rel=\"next\"")), "{page}");
    let permissions = &page.json()[0]["permissions"];
    assert_eq!(*permissions, json!({ "admin": true, "maintain": true, "push": true, "triage": true, "pull": true }));
}

#[tokio::test]
async fn list_of_user_is_public() {
    let service = Service::with(&STATE).await;
    for client in [service.with_token("ghp_mona"), service.with_token("ghp_hubot"), service.anonymous()] {
        assert_eq!(names(&client, "/users/mona/repos").await, ["mona/own"]);
        assert_eq!(names(&client, "/users/hubot/repos?type=all").await, ["acme/alpha", "hubot/tool", "mona/own"]);
        assert_eq!(names(&client, "/users/hubot/repos?type=member").await, ["acme/alpha", "mona/own"]);
        assert_eq!(names(&client, "/users/acme/repos").await, ["acme/alpha"]);
    }
    service.anonymous().get("/users/nobody/repos").await.expect(404);
    service.anonymous().get("/orgs/mona/repos").await.expect(404);
}

fn logins(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|user| user["login"].as_str().expect("a login")).collect()
}

#[tokio::test]
async fn members_are_visible_to_members() {
    let service = Service::with(&STATE).await;
    for token in ["ghp_mona", "ghp_hubot", "ghs_allallall"] {
        let client = service.with_token(token);
        assert_eq!(logins(&client.get("/orgs/acme/members").await.expect(200).json()), ["mona", "hubot"], "{token}");
        assert_eq!(logins(&client.get("/orgs/acme/members?role=admin").await.expect(200).json()), ["mona"]);
        assert_eq!(logins(&client.get("/orgs/acme/members?role=member").await.expect(200).json()), ["hubot"]);
        assert_eq!(logins(&client.get("/orgs/acme/members?per_page=1&page=2").await.expect(200).json()), ["hubot"]);
        client.get("/orgs/acme/members/HUBOT").await.expect(204);
        client.get("/orgs/acme/members/stranger").await.expect(404);
        client.get("/orgs/acme/members/nobody").await.expect(404);
    }
    for (token, status) in [("ghp_stranger", 404), ("ghp_public", 404), ("github_pat_acme", 403), ("ghs_somesome", 403)]
    {
        for path in ["/orgs/acme/members", "/orgs/acme/members/mona"] {
            service.with_token(token).get(path).await.expect(status);
        }
    }
    service.anonymous().get("/orgs/acme/members").await.expect(401);
}

#[tokio::test]
async fn collaborators_have_their_roles() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_mona");
    let roles = |path: &'static str| {
        let mona = mona.clone();
        async move {
            let list = mona.get(path).await.expect(200).json();
            let role =
                |user: &Value| format!("{} {}", user["login"].as_str().unwrap(), user["role_name"].as_str().unwrap());
            list.as_array().expect("a list").iter().map(role).collect::<Vec<_>>()
        }
    };
    assert_eq!(roles("/repos/acme/gamma/collaborators").await, ["mona admin", "hubot read", "stranger triage"]);
    assert_eq!(roles("/repos/acme/gamma/collaborators?affiliation=direct").await, ["stranger triage"]);
    assert_eq!(roles("/repos/acme/gamma/collaborators?affiliation=outside").await, ["stranger triage"]);
    assert_eq!(roles("/repos/acme/gamma/collaborators?per_page=1&page=2").await, ["hubot read"]);
    assert_eq!(roles("/repos/mona/own/collaborators").await, ["mona admin", "hubot write"]);
    for (path, permission, role) in [
        ("acme/gamma/collaborators/mona", "admin", "admin"),
        ("acme/gamma/collaborators/stranger", "read", "triage"),
        ("mona/own/collaborators/hubot", "write", "write"),
        ("mona/own/collaborators/stranger", "read", "read"),
        ("mona/diary/collaborators/stranger", "none", "none"),
    ] {
        let found = mona.get(&format!("/repos/{path}/permission")).await.expect(200).json();
        assert_eq!((&found["permission"], &found["role_name"]), (&json!(permission), &json!(role)), "{path}");
        let has_role = role != "none" && path != "mona/own/collaborators/stranger";
        mona.get(&format!("/repos/{path}")).await.expect(if has_role { 204 } else { 404 });
    }
    mona.get("/repos/mona/own/collaborators/nobody/permission").await.expect(404);
    mona.get("/repos/mona/own/collaborators/acme/permission").await.expect(404);
}

#[tokio::test]
async fn collaborators_are_visible_to_those_who_may_push() {
    let service = Service::with(&STATE).await;
    for path in ["collaborators", "collaborators/mona", "collaborators/mona/permission"] {
        let status = |token: &'static str, repo: &'static str| {
            let client = service.with_token(token);
            async move { client.get(&format!("/repos/{repo}/{path}")).await.status }
        };
        let ok = if path == "collaborators/mona" { 204 } else { 200 };
        assert_eq!(status("ghp_hubot", "mona/own").await, ok);
        // Both are tokens of the owner.
        assert_eq!(status("ghp_public", "mona/own").await, 404);
        assert_eq!(status("ghp_unscoped", "mona/own").await, 404);
        assert_eq!(status("ghs_allallall", "acme/gamma").await, ok);
        assert_eq!(status("ghp_hubot", "acme/gamma").await, 403);
        assert_eq!(status("ghp_stranger", "mona/own").await, 404);
        assert_eq!(status("ghp_stranger", "mona/diary").await, 404);
        service.anonymous().get(&format!("/repos/mona/own/{path}")).await.expect(401);
    }
}
