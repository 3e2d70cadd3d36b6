//! A valid request for every writing operation.

use serde_json::{Value, json};

use plinth_api::policy::Row;
use plinth_api::policy::table::TABLE;

/// The objects that the requests name.
pub struct Objects {
    pub main: String,
    pub next: String,
    pub pushed: String,
    pub tree: String,
    /// The file `a` of `main`.
    pub blob: String,
    pub release: i64,
    pub asset: i64,
    pub comments: [i64; 3],
    /// On the issue 6: one to change, and one to delete.
    pub issue_comments: [i64; 2],
    pub pending_reviews: [i64; 2],
    pub issue_fields: [i64; 2],
    pub installation: i64,
    pub spare: i64,
    pub unselected: i64,
    pub notification: i64,
    pub device_code: String,
    pub user_code: String,
    pub confirmation: String,
    /// Of the repository: one to change, and one to delete.
    pub repo_hooks: [i64; 2],
    pub org_hooks: [i64; 2],
    /// To the first hook of the repository, to that of the organization, and to that of the app.
    pub deliveries: [i64; 3],
}

/// Operations that remove what others need, which therefore run last.
const LAST: [&str; 3] = ["repos/delete", "apps/delete-installation", "apps/revoke-installation-access-token"];

/// The operations, each once, in an order in which each finds what it needs.
pub fn in_order(mut rows: Vec<&'static Row>) -> Vec<&'static Row> {
    let last = |row: &Row| LAST.iter().position(|last| *last == row.operation).map_or(0, |position| position + 1);
    let index = |row: &Row| TABLE.iter().position(|known| known.operation == row.operation);
    rows.sort_by_key(|row| (last(row), index(row)));
    rows.dedup_by_key(|row| row.operation);
    rows
}

/// The path and the body.
pub fn of(row: &Row, objects: &Objects) -> (String, Vec<u8>) {
    let hello = "/repos/octo-org/hello";
    let pull = |number: i64| format!("{hello}/pulls/{number}");
    let installation = format!("/app/installations/{}", objects.installation);
    let selected = |repo: i64| format!("/user/installations/{}/repositories/{repo}", objects.installation);
    let field = json!({ "name": "New", "data_type": "text" });
    let repo_hook = |more: &str| format!("{hello}/hooks/{}{more}", objects.repo_hooks[0]);
    let org_hook = |more: &str| format!("/orgs/octo-org/hooks/{}{more}", objects.org_hooks[0]);
    let release = |more: &str| format!("{hello}/releases/{}{more}", objects.release);
    let asset = format!("{hello}/releases/assets/{}", objects.asset);
    let attempts = |number: usize| format!("/deliveries/{}/attempts", objects.deliveries[number]);
    let issue = |more: &str| format!("{hello}/issues/6{more}");
    let issue_comment = |number: usize| format!("{hello}/issues/comments/{}", objects.issue_comments[number]);
    let values = json!({ "issue_field_values": [{ "field_id": objects.issue_fields[0], "value": "text" }] });
    let item = json!({ "type": "PullRequest", "owner": "octo-org", "repo": "hello", "number": 1 });
    let status = |field: i64| json!({ "fields": [{ "id": field, "value": "47fc9ee4" }] });
    let hook = json!({ "name": "web", "config": { "url": "http://192.0.2.1/new" } });
    let (path, body) = match row.operation {
        "projects/add-field-for-org" => ("/orgs/octo-org/projectsV2/1/fields".to_owned(), field),
        "projects/add-field-for-user" => ("/users/carol/projectsV2/1/fields".to_owned(), field),
        "orgs/create-issue-field" => ("/orgs/octo-org/issue-fields".to_owned(), field),
        "orgs/update-issue-field" => {
            (format!("/orgs/octo-org/issue-fields/{}", objects.issue_fields[0]), json!({ "name": "Changed" }))
        }
        "orgs/delete-issue-field" => (format!("/orgs/octo-org/issue-fields/{}", objects.issue_fields[1]), Value::Null),
        "pulls/update-review-comment" => {
            (format!("{hello}/pulls/comments/{}", objects.comments[0]), json!({ "body": "changed" }))
        }
        "pulls/delete-review-comment" => (format!("{hello}/pulls/comments/{}", objects.comments[1]), Value::Null),
        "pulls/create-review-comment" => (
            format!("{}/comments", pull(1)),
            json!({ "body": "new", "commit_id": objects.next, "path": "a", "line": 1 }),
        ),
        "pulls/create-reply-for-review-comment" => {
            (format!("{}/comments/{}/replies", pull(1), objects.comments[2]), json!({ "body": "new" }))
        }
        "git/create-ref" => (format!("{hello}/git/refs"), json!({ "ref": "refs/heads/new", "sha": objects.main })),
        "git/update-ref" => (format!("{hello}/git/refs/heads/moving"), json!({ "sha": objects.next })),
        "git/delete-ref" => (format!("{hello}/git/refs/heads/deleted"), Value::Null),
        "git/receive-pack" => return ("/octo-org/hello.git/git-receive-pack".to_owned(), deletion(&objects.pushed)),
        "git/create-blob" => (format!("{hello}/git/blobs"), json!({ "content": "blob" })),
        "git/create-tree" => (
            format!("{hello}/git/trees"),
            json!({ "tree": [{ "path": "x", "mode": "100644", "type": "blob", "content": "tree" }] }),
        ),
        "git/create-commit" => (format!("{hello}/git/commits"), json!({ "message": "m", "tree": objects.tree })),
        "git/create-tag" => (
            format!("{hello}/git/tags"),
            json!({ "tag": "v1", "message": "m", "object": objects.main, "type": "commit" }),
        ),
        "repos/create-or-update-file-contents" => {
            (format!("{hello}/contents/new"), json!({ "message": "m", "content": "bmV3" }))
        }
        "repos/create-commit-status" => (format!("{hello}/statuses/{}", objects.main), json!({ "state": "success" })),
        "repos/create-release" => (format!("{hello}/releases"), json!({ "tag_name": "new" })),
        "repos/update-release" => (release(""), json!({ "name": "changed" })),
        "repos/upload-release-asset" => return (release("/assets?name=new"), b"new".to_vec()),
        "repos/update-release-asset" => (asset, json!({ "label": "changed" })),
        "repos/delete-release-asset" => (asset, Value::Null),
        "repos/delete-release" => (release(""), Value::Null),
        "repos/delete-file" => (format!("{hello}/contents/a"), json!({ "message": "m", "sha": objects.blob })),
        "repos/create-for-authenticated-user" => ("/user/repos".to_owned(), json!({ "name": "own" })),
        "repos/create-in-org" => ("/orgs/octo-org/repos".to_owned(), json!({ "name": "new", "private": true })),
        "repos/update" => (hello.to_owned(), json!({ "description": "changed" })),
        "repos/replace-all-topics" => (format!("{hello}/topics"), json!({ "names": ["new"] })),
        "repos/add-collaborator" => (format!("{hello}/collaborators/mona"), json!({ "permission": "triage" })),
        "repos/remove-collaborator" => (format!("{hello}/collaborators/mona"), Value::Null),
        "repos/delete" => (hello.to_owned(), Value::Null),
        "pulls/create" => (format!("{hello}/pulls"), json!({ "title": "new", "head": "fourth", "base": "main" })),
        "pulls/update" => (pull(1), json!({ "title": "changed" })),
        "pulls/merge" => (format!("{}/merge", pull(4)), json!({ "merge_method": "squash" })),
        "pulls/update-branch" => (format!("{}/update-branch", pull(5)), json!({})),
        "pulls/request-reviewers" => (format!("{}/requested_reviewers", pull(1)), json!({ "reviewers": ["mona"] })),
        "pulls/remove-requested-reviewers" => {
            (format!("{}/requested_reviewers", pull(1)), json!({ "reviewers": ["mona"] }))
        }
        "repos/merge" => (format!("{hello}/merges"), json!({ "base": "base", "head": "fourth" })),
        "pulls/create-review" => (format!("{}/reviews", pull(1)), json!({ "body": "new", "event": "COMMENT" })),
        "pulls/submit-review" => (
            format!("{}/reviews/{}/events", pull(2), objects.pending_reviews[0]),
            json!({ "body": "new", "event": "COMMENT" }),
        ),
        "pulls/add-comment-to-pending-review" => (
            format!("{}/reviews/{}/comments", pull(2), objects.pending_reviews[0]),
            json!({ "body": "new", "path": "a", "line": 1 }),
        ),
        "pulls/resolve-review-thread" | "pulls/unresolve-review-thread" => {
            (format!("{hello}/pulls/comments/{}/resolution", objects.comments[2]), Value::Null)
        }
        "pulls/delete-pending-review" => (format!("{}/reviews/{}", pull(3), objects.pending_reviews[1]), Value::Null),
        "projects/add-item-for-org" => ("/orgs/octo-org/projectsV2/1/items".to_owned(), item),
        "projects/update-item-for-org" => ("/orgs/octo-org/projectsV2/1/items/1".to_owned(), status(3)),
        "projects/delete-item-for-org" => ("/orgs/octo-org/projectsV2/1/items/1".to_owned(), Value::Null),
        "projects/add-item-for-user" => ("/users/carol/projectsV2/1/items".to_owned(), item),
        "projects/update-item-for-user" => ("/users/carol/projectsV2/1/items/2".to_owned(), status(14)),
        "projects/delete-item-for-user" => ("/users/carol/projectsV2/1/items/2".to_owned(), Value::Null),
        "issues/create" => (format!("{hello}/issues"), json!({ "title": "new" })),
        "issues/update" => (issue(""), json!({ "title": "changed" })),
        "issues/update-comment" => (issue_comment(0), json!({ "body": "changed" })),
        "issues/delete-comment" => (issue_comment(1), Value::Null),
        "issues/create-comment" => (issue("/comments"), json!({ "body": "new" })),
        "issues/create-label" => (format!("{hello}/labels"), json!({ "name": "new" })),
        "issues/update-label" => (format!("{hello}/labels/bug"), json!({ "color": "000000" })),
        "issues/delete-label" => (format!("{hello}/labels/gone"), Value::Null),
        "issues/add-labels" => (issue("/labels"), json!({ "labels": ["more"] })),
        "issues/set-labels" => (issue("/labels"), json!({ "labels": ["only"] })),
        "issues/remove-label" => (issue("/labels/only"), Value::Null),
        "issues/remove-all-labels" => (issue("/labels"), Value::Null),
        "issues/add-assignees" | "issues/remove-assignees" => (issue("/assignees"), json!({ "assignees": ["mona"] })),
        "issues/add-issue-field-values" | "issues/set-issue-field-values" => (issue("/issue-field-values"), values),
        "issues/delete-issue-field-value" => {
            (issue(&format!("/issue-field-values/{}", objects.issue_fields[0])), Value::Null)
        }
        "activity/mark-thread-as-read" => (format!("/notifications/threads/{}", objects.notification), Value::Null),
        "apps/add-repo-to-installation-for-authenticated-user" => (selected(objects.unselected), Value::Null),
        "apps/remove-repo-from-installation-for-authenticated-user" => (selected(objects.spare), Value::Null),
        "apps/revoke-installation-access-token" => ("/installation/token".to_owned(), Value::Null),
        "apps/delete-installation" => (installation, Value::Null),
        "apps/create-installation-access-token" => (format!("{installation}/access_tokens"), json!({})),
        "apps/suspend-installation" | "apps/unsuspend-installation" => {
            (format!("{installation}/suspended"), Value::Null)
        }
        "repos/create-webhook" => (format!("{hello}/hooks"), hook),
        "repos/update-webhook" => (repo_hook(""), json!({ "active": false })),
        "repos/delete-webhook" => (format!("{hello}/hooks/{}", objects.repo_hooks[1]), Value::Null),
        "repos/update-webhook-config-for-repo" => (repo_hook("/config"), json!({ "insecure_ssl": "1" })),
        "repos/ping-webhook" => (repo_hook("/pings"), Value::Null),
        "repos/test-push-webhook" => (repo_hook("/tests"), Value::Null),
        "repos/redeliver-webhook-delivery" => (repo_hook(&attempts(0)), Value::Null),
        "orgs/create-webhook" => ("/orgs/octo-org/hooks".to_owned(), hook),
        "orgs/update-webhook" => (org_hook(""), json!({ "active": false })),
        "orgs/delete-webhook" => (format!("/orgs/octo-org/hooks/{}", objects.org_hooks[1]), Value::Null),
        "orgs/update-webhook-config-for-org" => (org_hook("/config"), json!({ "insecure_ssl": "1" })),
        "orgs/ping-webhook" => (org_hook("/pings"), Value::Null),
        "orgs/redeliver-webhook-delivery" => (org_hook(&attempts(1)), Value::Null),
        "apps/update-webhook-config-for-app" => ("/app/hook/config".to_owned(), json!({ "insecure_ssl": "1" })),
        "apps/redeliver-webhook-delivery" => (format!("/app/hook{}", attempts(2)), Value::Null),
        "oauth/create-device-code" => ("/login/device/code".to_owned(), json!({ "client_id": "178c6fc778ccc68e1d6a" })),
        "oauth/create-access-token" => (
            "/login/oauth/access_token".to_owned(),
            json!({ "client_id": "178c6fc778ccc68e1d6a", "device_code": objects.device_code,
                    "grant_type": "urn:ietf:params:oauth:grant-type:device_code" }),
        ),
        "oauth/approve-device" => (
            "/login/device/approve".to_owned(),
            json!({ "user_code": objects.user_code, "confirmation": objects.confirmation }),
        ),
        other => panic!("{other} writes and has no request here"),
    };
    (path, if body.is_null() { Vec::new() } else { body.to_string().into_bytes() })
}

/// A push that deletes the branch `pushed`.
fn deletion(sha: &str) -> Vec<u8> {
    let line = format!("{sha} {} refs/heads/pushed\0report-status", "0".repeat(40));
    format!("{:04x}{line}0000", line.len() + 4).into_bytes()
}
