//! Installations.

use serde_json::{Value, json};

use super::{Hooked, names, state};
use crate::support::{Client, jwt};

impl Hooked {
    /// The app `helper`, by its key.
    fn helper(&self) -> Client<'_> {
        self.service.with_token(&jwt::sign(self.service.app_key(), &jwt::claims("Iv23helper")))
    }
}

fn repositories(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("it is a list").iter();
    list.map(|repository| repository["full_name"].as_str().expect("a repository has a name")).collect()
}

#[tokio::test]
async fn suspension_records_suspend_and_unsuspend() {
    let hooked = Hooked::new().await;
    for _ in 0..2 {
        hooked.helper().put("/app/installations/1/suspended").await.expect(204);
    }
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["installation suspend"], "the second one changes nothing");
    let payload = &taken[0].payload;
    assert_eq!(payload["installation"]["suspended_by"]["login"], "helper[bot]");
    assert_eq!(payload["sender"]["login"], "helper[bot]");
    assert_eq!(repositories(&payload["repositories"]), ["octo-org/rocket"]);
    hooked.helper().delete("/app/installations/1/suspended").await.expect(204);
    assert_eq!(names(&hooked.take().await), ["installation unsuspend"]);
}

#[tokio::test]
async fn deletion_records_installation_as_it_was() {
    let hooked = Hooked::new().await;
    hooked.helper().delete("/app/installations/1").await.expect(204);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["installation deleted"]);
    assert_eq!(taken[0].event.subject, Some(1), "the app is known without its installation");
    let payload = &taken[0].payload;
    assert_eq!((&payload["installation"]["id"], &payload["installation"]["app_slug"]), (&json!(1), &json!("helper")));
    assert_eq!(repositories(&payload["repositories"]), ["octo-org/rocket"]);
}

#[tokio::test]
async fn selection_records_added_and_removed_repositories() {
    let hooked = Hooked::new().await;
    let other = hooked.mona().get("/repos/octo-org/other").await.expect(200).json()["id"].clone();
    let path = format!("/user/installations/1/repositories/{other}");
    hooked.mona().put(&path).await.expect(204);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["installation_repositories added"]);
    let payload = &taken[0].payload;
    assert_eq!(repositories(&payload["repositories_added"]), ["octo-org/other"]);
    assert_eq!((&payload["repositories_removed"], &payload["sender"]["login"]), (&json!([]), &json!("mona")));
    hooked.mona().put(&path).await.expect(204);
    assert!(hooked.take().await.is_empty(), "it was selected already");
    hooked.mona().delete(&path).await.expect(204);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["installation_repositories removed"]);
    assert_eq!(repositories(&taken[0].payload["repositories_removed"]), ["octo-org/other"]);
}

#[tokio::test]
async fn state_file_records_created_and_new_permissions() {
    let hooked = Hooked::new().await;
    hooked.service.apply(&state().installation("helper", "mona", "all").to_string()).await;
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["installation created"]);
    assert_eq!(taken[0].payload["installation"]["account"]["login"], "mona");
    let narrower =
        "installations: [{ app: helper, account: mona, repositories: all, permissions: { contents: read } }]";
    hooked.service.apply(narrower).await;
    assert_eq!(names(&hooked.take().await), ["installation new_permissions_accepted"]);
}
