//! Hooks with deliveries.

use super::fixture::PERMISSIONS;
use super::requests::Objects;
use crate::hooks::deliveries::deliver;
use crate::support::Service;

const HOOKS: &str = r#"
orgs: [{ login: octo-org, hooks: [{ url: "http://192.0.2.1/1" }, { url: "http://192.0.2.1/2" }] }]
repos: [{ name: octo-org/hello, private: true, hooks: [{ url: "http://192.0.2.1/1" }, { url: "http://192.0.2.1/2" }] }]
apps: [{ slug: helper, owner: octo-org, permissions: { PERMISSIONS }, webhook_url: "http://192.0.2.1/app" }]
"#;

/// Adds hooks of the repository, the organization and the app, and a delivery to the first of each.
pub async fn add_hooks(service: &Service, objects: &mut Objects) {
    service.apply(&HOOKS.replace("PERMISSIONS", PERMISSIONS)).await;
    let mut db = service.store.read().await.expect("the store can be read");
    let sql = "select id from webhook order by repo_id is null, org_id is null, id";
    let hooks = db.all::<(i64,)>(sql, &[]).await.expect("the store can be read");
    drop(db);
    let [(repo,), (repo_2,), (org,), (org_2,), (app,)] = hooks[..] else { panic!("{hooks:?}") };
    (objects.repo_hooks, objects.org_hooks) = ([repo, repo_2], [org, org_2]);
    for (delivery, hook) in objects.deliveries.iter_mut().zip([repo, org, app]) {
        *delivery = deliver(service, hook, "push", Some(200)).await;
    }
}
