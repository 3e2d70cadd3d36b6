//! Adding repositories to an installation and removing them.

use super::{EXTRA, HELLO, OF_OTHER, ON_MONA, ON_ORG, OWN, SECRET, reached, repository, service};

/// Rule 5: an administrator of the repository can add it, also twice.
#[tokio::test]
async fn administrator_adds_repository() {
    let service = service().await;
    let mona = service.with_token("ghp_mona0000");
    for _ in 0..2 {
        let response = mona.put(&repository(ON_ORG, EXTRA)).await.expect(204);
        assert!(response.body.is_empty() && response.header("content-type").is_none());
    }
    assert_eq!(reached(&service).await, ["octo-org/hello", "octo-org/secret", "octo-org/extra"]);
}

#[tokio::test]
async fn repository_admin_changes_selection() {
    let service = service().await;
    service.with_token("ghp_nina0000").delete(&repository(ON_ORG, SECRET)).await.expect(204);
    assert_eq!(reached(&service).await, ["octo-org/hello"]);
}

#[tokio::test]
async fn reader_cannot_change_selection() {
    let service = service().await;
    let hubot = service.with_token("ghp_hubot000");
    for repo in [HELLO, SECRET, EXTRA] {
        let response = hubot.put(&repository(ON_ORG, repo)).await.expect(403);
        assert_eq!(response.message(), "Must have admin rights to Repository.");
        hubot.delete(&repository(ON_ORG, repo)).await.expect(403);
    }
    assert_eq!(reached(&service).await, ["octo-org/hello", "octo-org/secret"]);
}

#[tokio::test]
async fn selection_requires_repo_scope() {
    let service = service().await;
    let narrow = service.with_token("ghp_narrow00");
    for repo in [HELLO, SECRET, EXTRA] {
        let response = narrow.put(&repository(ON_ORG, repo)).await.expect(403);
        assert_eq!(response.message(), "Resource not accessible by personal access token");
        assert_eq!(response.header("x-accepted-oauth-scopes"), Some("repo"));
        narrow.delete(&repository(ON_ORG, repo)).await.expect(403);
    }
}

/// Invisible and missing resources have identical responses.
#[tokio::test]
async fn invisible_repository_equals_missing_one() {
    let service = service().await;
    let zoe = service.with_token("ghp_zoe00000");
    let absent = zoe.put(&repository(99, 99)).await.expect(404);
    for path in [
        repository(ON_ORG, HELLO),
        repository(ON_ORG, SECRET),
        repository(ON_ORG, 99),
        repository(99, HELLO),
        repository(ON_MONA, OWN),
    ] {
        assert_eq!(zoe.put(&path).await.comparable(), absent.comparable(), "{path}");
    }
    // A collaborator of one repository sees the installation, but not its other private repositories.
    let nina = service.with_token("ghp_nina0000");
    nina.put(&repository(ON_ORG, EXTRA)).await.expect(404);
    nina.put(&repository(ON_ORG, HELLO)).await.expect(403);
}

#[tokio::test]
async fn repository_of_other_account_cannot_be_added() {
    let service = service().await;
    let mona = service.with_token("ghp_mona0000");
    mona.put(&repository(ON_ORG, OWN)).await.expect(404);
    mona.put(&repository(ON_MONA, HELLO)).await.expect(404);
    mona.delete(&repository(ON_MONA, HELLO)).await.expect(404);
    mona.put("/user/installations/1/repositories/hello").await.expect(404);
    assert_eq!(reached(&service).await, ["octo-org/hello", "octo-org/secret"]);
}

/// Rule 6: only from a selection.
#[tokio::test]
async fn repository_cannot_be_removed_from_installation_on_all() {
    let service = service().await;
    let mona = service.with_token("ghp_mona0000");
    let response = mona.delete(&repository(OF_OTHER, HELLO)).await.expect(422);
    assert_eq!(response.message(), "This installation is on all repositories, please update in the Web UI.");
    assert_eq!(response.json().get("errors"), None);
    mona.put(&repository(OF_OTHER, HELLO)).await.expect(204);
    let all = service.with_token("ghs_other000").get("/installation/repositories").await.expect(200);
    assert_eq!(
        (all.json()["total_count"].as_i64(), all.json()["repository_selection"].as_str()),
        (Some(3), Some("all"))
    );
}

/// Rule 6: never the last one.
#[tokio::test]
async fn last_repository_cannot_be_removed() {
    let service = service().await;
    let mona = service.with_token("ghp_mona0000");
    mona.delete(&repository(ON_ORG, HELLO)).await.expect(204);
    let response = mona.delete(&repository(ON_ORG, SECRET)).await.expect(422);
    assert_eq!(
        response.message(),
        "This is the last repository of the installation: removing it would leave the app with no repository."
    );
    assert_eq!(reached(&service).await, ["octo-org/secret"]);
}

#[tokio::test]
async fn unselected_repository_cannot_be_removed() {
    let service = service().await;
    let mona = service.with_token("ghp_mona0000");
    mona.delete(&repository(ON_ORG, EXTRA)).await.expect(404);
    mona.delete(&repository(ON_ORG, HELLO)).await.expect(204);
    mona.delete(&repository(ON_ORG, HELLO)).await.expect(404);
}

/// Two concurrent removals of the last two repositories leave one.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_removals_leave_one_repository() {
    let service = service().await;
    let mona = service.with_token("ghp_mona0000");
    for _ in 0..12 {
        let (hello, secret) = (repository(ON_ORG, HELLO), repository(ON_ORG, SECRET));
        let (one, two) = tokio::join!(mona.delete(&hello), mona.delete(&secret));
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 422]);
        assert_eq!(reached(&service).await.len(), 1);
        mona.put(&hello).await.expect(204);
        mona.put(&secret).await.expect(204);
    }
}

/// The right is checked in the transaction that writes, so nothing changes after it is revoked.
#[tokio::test]
async fn revoked_right_applies_to_next_selection_change() {
    let service = service().await;
    service
        .apply("repos: [{ name: octo-org/secret, private: true, collaborators: [{ user: nina, permission: read }] }]")
        .await;
    service.with_token("ghp_nina0000").delete(&repository(ON_ORG, SECRET)).await.expect(403);
    assert_eq!(reached(&service).await, ["octo-org/hello", "octo-org/secret"]);
}

#[tokio::test]
async fn removed_repository_is_inaccessible_at_once() {
    let service = service().await;
    let helper = service.with_token("ghs_helper00");
    helper.get("/repos/octo-org/secret").await.expect(200);
    service.with_token("ghp_mona0000").delete(&repository(ON_ORG, SECRET)).await.expect(204);
    helper.get("/repos/octo-org/secret").await.expect(404);
    service.with_token("ghs_narrow00").get("/repos/octo-org/secret").await.expect(404);
    service.with_token("ghu_mona0000").get("/repos/octo-org/secret").await.expect(404);
}
