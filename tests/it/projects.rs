//! Projects, from which clients get the numbers that requests for fields need.

use std::sync::LazyLock;

use expect_test::expect;

use crate::project_fields::link;
use crate::support::Service;
use crate::support::fixtures::octo_org;

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona", "hubot"])
        .project("octo-org", "Roadmap", "short_description: Where we go, creator: hubot, public: true")
        .project("mona", "Chores", "")
        .project("octo-org", "Secrets", "")
        .classic("mona", "read:project", "ghp_mona0000")
        .to_string()
});

#[tokio::test]
async fn get_project_returns_owner_and_creator() {
    let service = Service::with(&STATE).await;
    let response = service.anonymous().get("/orgs/octo-org/projectsV2/1").await.expect(200);
    let mut project = response.json();
    assert_eq!(project["owner"]["login"], "octo-org");
    assert_eq!(project["owner"]["type"], "Organization");
    assert_eq!(project["creator"]["login"], "hubot");
    for account in ["owner", "creator"] {
        project[account] = project[account]["login"].clone();
    }
    expect![[r#"
        {
          "closed_at": null,
          "created_at": "2026-02-25T06:13:20Z",
          "creator": "hubot",
          "deleted_at": null,
          "deleted_by": null,
          "description": null,
          "id": 1,
          "is_template": false,
          "latest_status_update": null,
          "node_id": "PVT_kwADAQ",
          "number": 1,
          "owner": "octo-org",
          "public": true,
          "short_description": "Where we go",
          "state": "open",
          "title": "Roadmap",
          "updated_at": "2026-02-25T06:13:20Z"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&project).unwrap());
}

#[tokio::test]
async fn project_numbers_count_per_owner() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_mona0000");
    let listed = mona.get("/orgs/octo-org/projectsV2").await.expect(200).json();
    let shown: Vec<_> =
        listed.as_array().unwrap().iter().map(|project| (&project["number"], &project["title"])).collect();
    assert_eq!(format!("{shown:?}"), r#"[(Number(1), String("Roadmap")), (Number(2), String("Secrets"))]"#);
    let own = mona.get("/users/mona/projectsV2/1").await.expect(200).json();
    assert_eq!(own["title"], "Chores");
    assert_eq!(own["creator"]["login"], "mona", "the owner, where nobody else is known");
    assert_eq!(mona.get("/users/mona/projectsV2").await.json().as_array().unwrap().len(), 1);
    mona.get("/orgs/octo-org/projectsV2/3").await.expect(404);
    mona.get("/users/octo-org/projectsV2").await.expect(404);
    mona.get("/orgs/mona/projectsV2").await.expect(404);
    assert_eq!(service.anonymous().get("/orgs/octo-org/projectsV2").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn list_projects_pages_both_ways() {
    let service = Service::with(&STATE).await;
    let more: String =
        (0..5).map(|number| format!("  - {{ owner: hubot, title: P{number}, public: true }}\n")).collect();
    service.apply(&format!("projects:\n{more}")).await;
    let mona = service.with_token("ghp_mona0000");
    let titles = |response: &crate::support::Response| -> Vec<String> {
        response
            .json()
            .as_array()
            .unwrap()
            .iter()
            .map(|project| project["title"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = mona.get("/users/hubot/projectsV2?per_page=2").await.expect(200);
    assert_eq!(titles(&first), ["P0", "P1"]);
    assert_eq!(link(&first, "prev"), None);
    let second = mona.get(&link(&first, "next").unwrap()).await.expect(200);
    assert_eq!(titles(&second), ["P2", "P3"]);
    let third = mona.get(&link(&second, "next").unwrap()).await.expect(200);
    assert_eq!(titles(&third), ["P4"]);
    assert_eq!(link(&third, "next"), None);
    let back = mona.get(&link(&third, "prev").unwrap()).await.expect(200);
    assert_eq!(titles(&back), ["P2", "P3"]);
    let back = mona.get(&link(&back, "prev").unwrap()).await.expect(200);
    assert_eq!(titles(&back), ["P0", "P1"]);
    assert_eq!(link(&back, "prev"), None);
    mona.get("/users/hubot/projectsV2?after=x").await.expect(422);
}

#[tokio::test]
async fn unchanged_project_returns_304() {
    let service = Service::with(&STATE).await;
    let first = service.anonymous().get("/orgs/octo-org/projectsV2/1").await.expect(200);
    let tag = first.header("etag").unwrap();
    service.anonymous().header("if-none-match", tag).get("/orgs/octo-org/projectsV2/1").await.expect(304);
}

#[tokio::test]
async fn project_url_of_field_resolves() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_mona0000");
    for owner in ["/orgs/octo-org", "/users/mona"] {
        let project = mona.get(&format!("{owner}/projectsV2/1")).await.expect(200).json();
        let field = mona.get(&format!("{owner}/projectsV2/1/fields")).await.expect(200).json()[0].clone();
        let url = field["project_url"].as_str().unwrap().strip_prefix("http://plinth.test").unwrap().to_owned();
        assert_eq!(mona.get(&url).await.expect(200).json(), project);
    }
}

#[tokio::test]
async fn project_by_id_has_visibility_of_project_by_number() {
    let service = Service::with(&STATE).await;
    service
        .apply(
            "apps: [{ slug: helper, owner: octo-org, permissions: { organization_projects: read } }]
installations:
  - { app: helper, account: octo-org, repositories: all }
  - { app: helper, account: mona, repositories: all }
projects:
  - { owner: hubot, title: Shown, public: true }
tokens:
  - { kind: classic, user: hubot, scopes: [project], token: ghp_hubot000 }
  - { kind: installation, app: helper, account: octo-org, token: ghs_org00000 }
  - { kind: installation, app: helper, account: mona, token: ghs_mona0000 }
  - { kind: fine_grained, user: mona, owner: mona, permissions: { organization_projects: read }, token: github_pat_mona }
",
        )
        .await;
    // Roadmap (public) and Secrets of octo-org, Chores of mona (private), Shown of hubot (public).
    for (token, statuses) in [
        ("ghp_mona0000", [200, 200, 200, 200]),
        ("ghp_hubot000", [200, 404, 404, 200]),
        ("ghs_org00000", [200, 200, 404, 404]),
        ("ghs_mona0000", [200, 404, 404, 404]),
        ("github_pat_mona", [200, 404, 404, 404]),
        ("", [200, 404, 404, 404]),
    ] {
        let client = if token.is_empty() { service.anonymous() } else { service.with_token(token) };
        for (id, status) in [1, 3, 2, 4].into_iter().zip(statuses) {
            assert_eq!(client.get(&format!("/projects/{id}")).await.status, status, "{token} gets project {id}");
        }
    }
    for id in ["0", "9", "x"] {
        service.anonymous().get(&format!("/projects/{id}")).await.expect(404);
    }
}
