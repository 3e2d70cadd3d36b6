//! Who may read and change items, for each kind of token, in public and private projects.

use std::sync::LazyLock;

use serde_json::json;

use crate::support::fixtures::{apps_with_permission, two_branches};
use crate::support::{Client, Service};

static STATE: LazyLock<String> = LazyLock::new(|| {
    apps_with_permission("organization_projects", "contents: write, issue_fields: write")
        .repo("octo-org/hello", &two_branches(""))
        .entry("issues", "repo: octo-org/hello, title: One, author: mona")
        .entry("issues", "repo: octo-org/hello, title: Two, author: mona")
        .project("octo-org", "Open", "public: true, items: [{ content: 'octo-org/hello#1' }]")
        .project("octo-org", "Closed", "items: [{ content: 'octo-org/hello#1' }]")
        .project("mona", "Open", "public: true, items: [{ content: 'octo-org/hello#1' }]")
        .project("mona", "Closed", "items: [{ content: 'octo-org/hello#1' }]")
        .classic("mona", "project", "ghp_mona_project")
        .classic("mona", "read:project", "ghp_mona_read")
        .classic("mona", "repo, admin:org", "ghp_mona_blind")
        .classic("hubot", "project", "ghp_hubot_project")
        .classic("stranger", "project", "ghp_stranger")
        .oauth("mona", "read:project", "gho_mona_read")
        .fine_grained("mona", "octo-org", "organization_projects: write", "github_pat_write")
        .fine_grained("mona", "octo-org", "organization_projects: read", "github_pat_read")
        .fine_grained("mona", "octo-org", "issue_fields: write", "github_pat_blind")
        .fine_grained("mona", "other-org", "organization_projects: write", "github_pat_elsewhere")
        .to_string()
});

/// What a caller gets for reading and for writing in the public project, then in the private one; an empty token is no
/// credential. Writes that are allowed have statuses of their own.
type Line = (&'static str, (u16, u16), (u16, u16));
const ALLOWED: u16 = 200;

const IN_ORG: &[Line] = &[
    ("", (200, 401), (404, 404)),
    ("ghp_mona_project", (200, ALLOWED), (200, ALLOWED)),
    ("ghp_mona_read", (200, 403), (200, 403)),
    ("ghp_mona_blind", (200, 403), (404, 404)),
    ("ghp_hubot_project", (200, ALLOWED), (200, ALLOWED)),
    ("ghp_stranger", (200, 403), (404, 404)),
    ("gho_mona_read", (200, 403), (200, 403)),
    ("github_pat_write", (200, ALLOWED), (200, ALLOWED)),
    ("github_pat_read", (200, 403), (200, 403)),
    ("github_pat_blind", (200, 403), (404, 404)),
    ("github_pat_elsewhere", (200, 403), (404, 404)),
    ("ghu_mona_writer", (200, ALLOWED), (200, ALLOWED)),
    ("ghu_mona_reader", (200, 403), (200, 403)),
    ("ghu_stranger", (200, 403), (404, 404)),
    ("ghs_writer00", (200, ALLOWED), (200, ALLOWED)),
    ("ghs_reader00", (200, 403), (200, 403)),
    ("ghs_blind000", (200, 403), (404, 404)),
    ("ghs_elsewhere", (200, 403), (404, 404)),
];

const OF_USER: &[Line] = &[
    ("", (401, 401), (401, 401)),
    ("ghp_mona_project", (200, ALLOWED), (200, ALLOWED)),
    ("ghp_mona_read", (200, 403), (200, 403)),
    ("ghp_mona_blind", (200, 403), (404, 404)),
    ("ghp_hubot_project", (200, 403), (404, 404)),
    ("github_pat_write", (403, 403), (403, 403)),
    ("ghu_mona_writer", (403, 403), (403, 403)),
    ("ghs_writer00", (403, 403), (403, 403)),
];

async fn check(owner: &str, lines: &[Line], ids: [i64; 2]) {
    let service = Service::with(&STATE).await;
    for (token, in_public, in_private) in lines {
        let client = if token.is_empty() { service.anonymous() } else { service.with_token(token) };
        for (number, (see, write), id) in [(1, in_public, ids[0]), (2, in_private, ids[1])] {
            let items = format!("{owner}/projectsV2/{number}/items");
            let item = format!("{items}/{id}");
            assert_eq!(client.get(&items).await.status, *see, "{token} lists {items}");
            assert_eq!(client.get(&item).await.status, *see, "{token} gets {item}");
            let expected = |allowed: u16| if *write == ALLOWED { allowed } else { *write };
            let patched = client.patch(&item, json!({ "fields": [] })).await;
            assert_eq!(patched.status, expected(200), "{token} updates {item}");
            let new = json!({ "type": "Issue", "owner": "octo-org", "repo": "hello", "number": 2 });
            let added = client.post(&items, new).await;
            assert_eq!(added.status, expected(201), "{token} adds to {items}");
            let added = if added.status == 201 { added.json()["id"].to_string() } else { id.to_string() };
            let deleted = client.delete(&format!("{items}/{added}")).await;
            assert_eq!(deleted.status, expected(204), "{token} removes {added} from {items}");
        }
    }
}

#[tokio::test]
async fn organization_project_items_match_rights_of_token_kind() {
    check("/orgs/octo-org", IN_ORG, [1, 2]).await;
}

#[tokio::test]
async fn user_project_items_require_scoped_token() {
    check("/users/mona", OF_USER, [3, 4]).await;
}

#[tokio::test]
async fn item_is_found_only_in_its_project() {
    let service = Service::with(&STATE).await;
    let mona: Client<'_> = service.with_token("ghp_mona_project");
    for path in [
        "/orgs/octo-org/projectsV2/1/items/2",
        "/users/mona/projectsV2/1/items/1",
        "/orgs/octo-org/projectsV2/1/items/x",
    ] {
        mona.get(path).await.expect(404);
        mona.patch(path, json!({ "fields": [] })).await.expect(404);
        mona.delete(path).await.expect(404);
    }
}
