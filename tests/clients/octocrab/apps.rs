//! An app that signs with its own key and acts through its installations.

use http::header::{ETAG, HeaderMap, IF_NONE_MATCH};
use octocrab::models::apps::CreateInstallationAccessToken;
use octocrab::models::{Installation, InstallationId};
use octocrab::params::repos::Reference;
use octocrab::secrecy::ExposeSecret;
use octocrab::{Octocrab, Page};
use serde_json::Value;

use crate::support::{HELPER, HUBOT, MONA, app, assert_rejected, with};

#[tokio::test]
async fn app_finds_itself_and_its_installations() {
    let app = app();
    assert_eq!(app.apps().get().await.unwrap().slug.as_deref(), Some("helper"));
    let listed = app.apps().installations().send().await.unwrap();
    let mut accounts: Vec<&str> = listed.items.iter().map(|found| found.account.login.as_str()).collect();
    accounts.sort_unstable();
    assert_eq!(accounts, ["mona", "octo-org", "side-org"]);

    let of_org = app.apps().get_org_installation("octo-org").await.unwrap();
    assert_eq!(app.apps().get_repository_installation("octo-org", "hello").await.unwrap(), of_org);
    assert_eq!(app.apps().installation(of_org.id).await.unwrap(), of_org);
    assert_eq!(app.apps().get_user_installation("mona").await.unwrap().account.login, "mona");
    assert_rejected(app.apps().get_org_installation("nobody").await, 404, "Not Found");
}

#[tokio::test]
async fn installation_client_requests_its_token() {
    let app = app();
    let installation = on(&app, "octo-org").await;
    let helper = app.installation(installation.id).unwrap();
    let repos = helper.apps().installation_repositories().per_page(100).send().await.unwrap();
    assert_eq!(repos.repositories.len(), repos.total_count);
    assert_eq!(repos.repository_selection.as_deref(), Some("all"));
    let secret = helper.git("octo-org", "secret").get_ref(&Reference::Branch("main".into())).await.unwrap();
    assert_eq!(secret.ref_field, "refs/heads/main");
    let fields = helper.projects_v2().org("octo-org").list_fields(2).per_page(2).send().await.unwrap();
    assert_eq!(fields.len(), 2);
}

#[tokio::test]
async fn installation_repositories_are_listed_page_by_page() {
    let helper = with(HELPER);
    let first: Page<Value> = helper.get("/installation/repositories?per_page=7", None::<&()>).await.unwrap();
    let total = first.total_count.expect("how many there are");
    assert_eq!(first.number_of_pages().map(u64::from), Some(total.div_ceil(7)));
    let all = helper.all_pages(first).await.unwrap();
    assert_eq!(all.len() as u64, total);
}

/// octocrab's installation client follows links with its token only on `api.github.com`, so elsewhere it requests pages by
/// number.
#[tokio::test]
async fn installation_client_requests_pages_by_number() {
    let app = app();
    let helper = app.installation(on(&app, "octo-org").await.id).unwrap();
    let first: Page<Value> = helper.get("/installation/repositories?per_page=15", None::<&()>).await.unwrap();
    let linked: octocrab::Result<Option<Page<Value>>> = helper.get_page(&first.next).await;
    assert_rejected(linked, 401, "Requires authentication");
    let mut names = Vec::new();
    for page in 1..=first.number_of_pages().expect("more than one page") {
        let listed = helper.apps().installation_repositories().per_page(15).page(page).send().await.unwrap();
        names.extend(listed.repositories.into_iter().map(|repo| repo.name));
    }
    assert_eq!(Some(names.len() as u64), first.total_count);
}

#[tokio::test]
async fn unchanged_repositories_return_304() {
    let app = app();
    let id = on(&app, "octo-org").await.id;
    let narrow = app.installation_builder(id).repositories(vec!["part-01".into()]).build().unwrap();
    let first = narrow._get("/installation/repositories").await.unwrap();
    let known = HeaderMap::from_iter([(IF_NONE_MATCH, first.headers()[ETAG].clone())]);
    let second = narrow._get_with_headers("/installation/repositories", Some(known)).await.unwrap();
    assert_eq!(second.status(), 304);
}

#[tokio::test]
async fn token_can_be_narrowed() {
    let app = app();
    let installation = on(&app, "octo-org").await;
    let narrow = app.installation_builder(installation.id).repositories(vec!["hello".into()]).build().unwrap();
    let repos = narrow.apps().installation_repositories().send().await.unwrap();
    let names: Vec<&str> = repos.repositories.iter().map(|repo| repo.name.as_str()).collect();
    assert_eq!(names, ["hello"]);
    let hidden = narrow.git("octo-org", "secret").get_ref(&Reference::Branch("main".into())).await;
    assert_rejected(hidden, 404, "Not Found");

    let repositories = Some(vec!["nothing-like-it".into()]);
    let wanted = CreateInstallationAccessToken { repositories, ..Default::default() };
    let rejected = app.apps().create_installation_access_token(installation.id, &wanted).await;
    let there = "There is at least one repository that does not exist or is not accessible to the parent installation.";
    assert_rejected(rejected, 422, there);
}

#[tokio::test]
async fn revoked_token_is_rejected_and_next_one_works() {
    let app = app();
    let installation = on(&app, "octo-org").await;
    let (helper, token) = app.installation_and_token(installation.id).await.unwrap();
    let holder = with(token.expose_secret());
    holder.apps().installation_repositories().send().await.unwrap();
    holder.apps().revoke_installation_token().await.unwrap();
    assert_rejected(holder.apps().installation_repositories().send().await, 401, "Bad credentials");
    assert_rejected(holder.apps().revoke_installation_token().await, 401, "Bad credentials");
    // The installation client gets the same error, and requests a new token.
    helper.apps().installation_repositories().send().await.unwrap();
}

#[tokio::test]
async fn other_credentials_cannot_act_as_installation() {
    let only =
        "You must authenticate with an installation access token in order to list repositories for an installation.";
    assert_rejected(with(MONA).apps().installation_repositories().send().await, 403, only);
    assert!(with(HUBOT).current().revoke_installation_token().await.is_err());
    let suspended = on(&app(), "mona").await;
    let rejected = app().installation(suspended.id).unwrap().apps().installation_repositories().send().await;
    assert_rejected(rejected, 403, "This installation has been suspended");
    let none = app().installation(InstallationId(4096)).unwrap().apps().installation_repositories().send().await;
    assert_rejected(none, 404, "Not Found");
}

async fn on(app: &Octocrab, account: &str) -> Installation {
    let listed = app.apps().installations().send().await.unwrap();
    listed.items.into_iter().find(|found| found.account.login == account).expect("an installation of the state file")
}
