//! Collaborators, members and projects, which a state file changes.

use http::Method;
use serde_json::json;

use super::{Hooked, names};

#[tokio::test]
async fn collaborator_records_added_and_edited() {
    let hooked = Hooked::new().await;
    let apply = async |role: &str| {
        let collaborator = format!("collaborators: [{{ user: lisa, permission: {role} }}]");
        hooked.service.apply(&format!("repos: [{{ name: octo-org/other, private: true, {collaborator} }}]")).await;
        hooked.take().await
    };
    let added = apply("maintain").await;
    assert_eq!(names(&added), ["member added"]);
    assert_eq!(added[0].payload["member"]["login"], "lisa");
    assert_eq!(
        added[0].payload["changes"],
        json!({ "permission": { "to": "write" }, "role_name": { "to": "maintain" } })
    );
    assert!(apply("maintain").await.is_empty());
    let edited = apply("read").await;
    assert_eq!(names(&edited), ["member edited"]);
    assert_eq!(edited[0].payload["changes"], json!({ "permission": { "from": "write", "to": "read" } }));
}

#[tokio::test]
async fn request_for_collaborator_records_added_edited_and_removed() {
    let hooked = Hooked::new().await;
    let mona = hooked.service.with_token("ghp_monamona");
    let path = "/repos/octo-org/other/collaborators/lisa";
    mona.send(Method::PUT, path, json!({ "permission": "pull" }).to_string()).await.expect(204);
    mona.send(Method::PUT, path, json!({ "permission": "pull" }).to_string()).await.expect(204);
    mona.send(Method::PUT, path, json!({ "permission": "admin" }).to_string()).await.expect(204);
    mona.delete(path).await.expect(204);
    mona.delete(path).await.expect(204);
    let events = hooked.take().await;
    assert_eq!(names(&events), ["member added", "member edited", "member removed"]);
    for event in &events {
        assert_eq!(
            (&event.payload["member"]["login"], &event.payload["sender"]["login"]),
            (&json!("lisa"), &json!("mona"))
        );
    }
    assert_eq!(events[2].payload["changes"], json!(null));
}

#[tokio::test]
async fn member_records_member_added_and_member_removed() {
    let hooked = Hooked::new().await;
    hooked.service.apply("orgs: [{ login: octo-org, members: [{ user: lisa, role: member }] }]").await;
    let added = hooked.take().await;
    assert_eq!(names(&added), ["organization member_added"]);
    let membership = &added[0].payload["membership"];
    assert_eq!((&membership["user"]["login"], &membership["role"]), (&json!("lisa"), &json!("member")));
    hooked.service.apply("orgs: [{ login: octo-org, members: [{ user: lisa, role: admin }] }]").await;
    assert!(hooked.take().await.is_empty(), "GitHub has no event for another role");
    let removed = hooked.service.store.write(crate::support::Tester, hooked.service.app.clock.now(), |tx, now| {
        Box::pin(async move {
            let org = plinth_core::accounts::store::find_by_login(tx, "octo-org").await?.expect("it exists").id;
            let lisa = plinth_core::accounts::store::find_by_login(tx, "lisa").await?.expect("she exists").id;
            plinth_core::accounts::operations::remove_member(tx, org, lisa, *now).await
        })
    });
    assert!(removed.await.expect("the store accepts the change"));
    assert_eq!(names(&hooked.take().await), ["organization member_removed"]);
}

#[tokio::test]
async fn project_records_created_and_edited() {
    let hooked = Hooked::new().await;
    let apply = async |fields: &str| {
        hooked.service.apply(&format!("projects: [{{ owner: octo-org, creator: mona, {fields} }}]")).await;
        hooked.take().await
    };
    let created = apply("title: Plan").await;
    assert_eq!(names(&created), ["projects_v2 created"]);
    assert_eq!(
        (&created[0].payload["projects_v2"]["title"], &created[0].payload["sender"]["login"]),
        (&json!("Plan"), &json!("mona"))
    );
    let edited = apply("title: Road map, public: true, short_description: Ahead").await;
    assert_eq!(names(&edited), ["projects_v2 edited"]);
    let changes = json!({
        "title": { "from": "Plan", "to": "Road map" },
        "short_description": { "from": null, "to": "Ahead" },
        "public": { "from": false, "to": true },
    });
    assert_eq!(edited[0].payload["changes"], changes);
}

#[tokio::test]
async fn project_of_user_records_nothing() {
    let hooked = Hooked::new().await;
    hooked.service.apply("projects: [{ owner: mona, title: Own }]").await;
    assert!(hooked.take().await.is_empty());
}
