//! Installations as a user reads and changes them.

use octocrab::models::{Installation, InstallationId, RepositoryId};
use octocrab::{Octocrab, Page};
use serde_json::Value;

use crate::support::{
    HELPER, HUBOT, HUBOT_READS, MONA, MONA_THROUGH_APP, MONA_WITHOUT_SCOPE, anonymous, assert_rejected, rejection, with,
};

#[tokio::test]
async fn user_lists_installations_of_app() {
    let mona = with(MONA_THROUGH_APP);
    let first = mona.current().list_app_installations_accessible_to_user().per_page(1).send().await.unwrap();
    assert_eq!(first.items.len(), 1);
    let total = first.total_count.expect("how many there are");
    let all = mona.all_pages(first).await.unwrap();
    assert_eq!(all.len() as u64, total);
    let of_org = all.iter().find(|found| found.account.login == "octo-org").expect("the one of the organization");
    assert_eq!(of_org.target_type.as_deref(), Some("Organization"));
    assert_eq!(of_org.repository_selection.as_deref(), Some("all"));
    assert_eq!(of_org.events, ["push", "pull_request"]);
}

#[tokio::test]
async fn user_lists_installation_repositories_with_permissions() {
    let mona = with(MONA_THROUGH_APP);
    let id = on(&mona, "octo-org").await.id;
    let typed = mona.current().installation_repositories(id).per_page(100).send().await.unwrap();
    assert_eq!(typed.repositories.len(), typed.total_count);
    assert!(typed.repositories.iter().all(|repo| repo.permissions.as_ref().is_some_and(|may| may.admin)));

    let route = format!("/user/installations/{id}/repositories?per_page=10");
    let first: Page<Value> = mona.get(route, None::<&()>).await.unwrap();
    let all = mona.all_pages(first).await.unwrap();
    assert_eq!(all.len(), typed.total_count);
}

#[tokio::test]
async fn repository_is_added_and_removed() {
    let app_user = with(MONA_THROUGH_APP);
    let mona = with(MONA);
    let id = on(&app_user, "side-org").await.id;
    let three = repository(&mona, "side-org", "three").await;
    mona.current().add_repository_to_installation(id, three).await.unwrap();
    mona.current().add_repository_to_installation(id, three).await.unwrap();
    assert_eq!(names(&app_user, id).await, ["one", "two", "three"]);
    mona.current().remove_repository_from_installation(id, three).await.unwrap();
    assert_eq!(names(&app_user, id).await, ["one", "two"]);
    assert_rejected(mona.current().remove_repository_from_installation(id, three).await, 404, "Not Found");

    let (one, two) = (repository(&mona, "side-org", "one").await, repository(&mona, "side-org", "two").await);
    mona.current().remove_repository_from_installation(id, one).await.unwrap();
    let last = rejection(mona.current().remove_repository_from_installation(id, two).await);
    assert_eq!(last.status_code, 422, "{last:?}");
    mona.current().add_repository_to_installation(id, one).await.unwrap();
}

#[tokio::test]
async fn installation_on_all_repositories_rejects_removal() {
    let id = on(&with(MONA_THROUGH_APP), "octo-org").await.id;
    let mona = with(MONA);
    let hello = repository(&mona, "octo-org", "hello").await;
    let rejected = mona.current().remove_repository_from_installation(id, hello).await;
    assert_rejected(rejected, 422, "This installation is on all repositories, please update in the Web UI.");
}

#[tokio::test]
async fn other_token_kinds_are_rejected() {
    let only = "You must authenticate with an access token authorized to a GitHub App in order to list installations";
    assert_rejected(with(MONA).current().list_app_installations_accessible_to_user().send().await, 403, only);
    let nobody = anonymous().current().list_app_installations_accessible_to_user().send().await;
    assert_rejected(nobody, 401, "Requires authentication");
    let id = on(&with(MONA_THROUGH_APP), "octo-org").await.id;
    let hello = repository(&with(MONA), "octo-org", "hello").await;
    for token in [HUBOT_READS, HELPER, MONA_THROUGH_APP, MONA_WITHOUT_SCOPE] {
        let client = with(token);
        assert_eq!(
            rejection(client.current().add_repository_to_installation(id, hello).await).status_code,
            403,
            "{token}"
        );
    }
    assert_eq!(rejection(with(HUBOT_READS).current().installation_repositories(id).send().await).status_code, 403);
    let missing = InstallationId(4096);
    assert_rejected(with(MONA_THROUGH_APP).current().installation_repositories(missing).send().await, 404, "Not Found");
    assert_rejected(with(MONA).current().add_repository_to_installation(missing, hello).await, 404, "Not Found");
    let rejected = rejection(with(HUBOT).current().add_repository_to_installation(id, hello).await);
    assert!([403, 404].contains(&rejected.status_code.as_u16()), "{rejected:?}");
}

async fn on(client: &Octocrab, account: &str) -> Installation {
    let listed = client.current().list_app_installations_accessible_to_user().send().await.unwrap();
    listed.items.into_iter().find(|found| found.account.login == account).expect("an installation of the state file")
}

async fn repository(client: &Octocrab, owner: &str, name: &str) -> RepositoryId {
    client.repos(owner, name).get().await.unwrap().id
}

async fn names(client: &Octocrab, id: InstallationId) -> Vec<String> {
    let listed = client.current().installation_repositories(id).send().await.unwrap();
    listed.repositories.into_iter().map(|repo| repo.name).collect()
}
