//! Branches and tags that the API changes.

use expect_test::expect;
use plinth_core::events::EventName;
use serde_json::json;

use super::{Hooked, ROCKET, names, payload_of};

const ZEROS: &str = "0000000000000000000000000000000000000000";

#[tokio::test]
async fn create_ref_records_create_and_push() {
    let hooked = Hooked::new().await;
    let tip = hooked.tip("next").await;
    for (name, kind, short) in [("refs/heads/topic", "branch", "topic"), ("refs/tags/v1", "tag", "v1")] {
        hooked.mona().post(&format!("{ROCKET}/git/refs"), json!({ "ref": name, "sha": tip })).await.expect(201);
        let taken = hooked.take().await;
        assert_eq!(names(&taken), ["create", "push"]);
        let created = payload_of(&taken, EventName::Create);
        assert_eq!((&created["ref"], &created["ref_type"]), (&json!(short), &json!(kind)));
        assert_eq!((&created["master_branch"], &created["sender"]["login"]), (&json!("main"), &json!("mona")));
        let push = payload_of(&taken, EventName::Push);
        assert_eq!((&push["ref"], &push["before"], &push["after"]), (&json!(name), &json!(ZEROS), &json!(tip)));
        assert_eq!((&push["created"], &push["deleted"], &push["forced"]), (&json!(true), &json!(false), &json!(false)));
        assert_eq!(push["base_ref"], "refs/heads/next");
        assert_eq!(push["commits"].as_array().map(Vec::len), Some(1), "the commits of main are not new");
    }
}

#[tokio::test]
async fn update_ref_records_push_with_its_commits() {
    let hooked = Hooked::new().await;
    let before = hooked.tip("next").await;
    let after = hooked.commit("three", &[&before]).await;
    let next = format!("{ROCKET}/git/refs/heads/next");
    hooked.hubot().patch(&next, json!({ "sha": after })).await.expect(200);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["push"]);
    let push = payload_of(&taken, EventName::Push);
    assert_eq!((&push["before"], &push["after"], &push["forced"]), (&json!(before), &json!(after), &json!(false)));
    assert_eq!(
        push["compare"],
        format!("http://plinth.test/octo-org/rocket/compare/{}...{}", &before[..12], &after[..12])
    );
    assert_eq!((&push["head_commit"]["id"], &push["commits"][0]["message"]), (&json!(after), &json!("three")));
    assert_eq!((&push["pusher"]["name"], &push["sender"]["login"]), (&json!("hubot"), &json!("hubot")));
    assert_eq!(push["pusher"]["email"], json!(null), "e-mail addresses are private");
    assert_eq!(push["organization"]["login"], "octo-org");
    hooked.mona().patch(&next, json!({ "sha": before, "force": true })).await.expect(200);
    let taken = hooked.take().await;
    let push = payload_of(&taken, EventName::Push);
    assert_eq!((&push["forced"], &push["commits"]), (&json!(true), &json!([])));
    assert_eq!(push["head_commit"]["modified"], json!(["a"]));
}

#[tokio::test]
async fn update_ref_to_its_target_records_nothing() {
    let hooked = Hooked::new().await;
    let tip = hooked.tip("next").await;
    hooked.mona().patch(&format!("{ROCKET}/git/refs/heads/next"), json!({ "sha": tip })).await.expect(200);
    assert!(hooked.take().await.is_empty());
}

#[tokio::test]
async fn delete_ref_records_delete_and_push() {
    let hooked = Hooked::new().await;
    hooked.mona().delete(&format!("{ROCKET}/git/refs/heads/next")).await.expect(204);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["delete", "push"]);
    assert_eq!(payload_of(&taken, EventName::Delete)["ref"], "next");
    let push = payload_of(&taken, EventName::Push);
    assert_eq!((&push["after"], &push["deleted"]), (&json!(ZEROS), &json!(true)));
    assert_eq!((&push["head_commit"], &push["commits"]), (&json!(null), &json!([])));
}

#[tokio::test]
async fn push_payload_has_whole_commits() {
    let hooked = Hooked::new().await;
    let main = hooked.tip("main").await;
    hooked
        .mona()
        .patch(&format!("{ROCKET}/git/refs/heads/main"), json!({ "sha": hooked.tip("next").await }))
        .await
        .expect(200);
    let taken = hooked.take().await;
    let mut push = payload_of(&taken, EventName::Push).clone();
    assert_eq!(push["before"], main);
    let commit = push["commits"][0].take();
    expect![[r#"
        {
          "added": [],
          "author": {
            "date": "2020-01-01T00:01:00+00:00",
            "email": "mona@users.noreply.localhost",
            "name": "mona",
            "username": "mona"
          },
          "committer": {
            "date": "2020-01-01T00:01:00+00:00",
            "email": "mona@users.noreply.localhost",
            "name": "mona",
            "username": "mona"
          },
          "distinct": true,
          "id": "b6b573ad5cc92171c907bc721b1c39b076261a0d",
          "message": "two",
          "modified": [
            "a"
          ],
          "removed": [],
          "timestamp": "2020-01-01T00:01:00+00:00",
          "tree_id": "809eaf0960328ba69f8e6cd54c82ccba53ef15e5",
          "url": "http://plinth.test/octo-org/rocket/commit/b6b573ad5cc92171c907bc721b1c39b076261a0d"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&commit).expect("it is JSON"));
}
