//! Items of projects.

use serde_json::json;

use super::{Hooked, ROCKET, names};

const ITEMS: &str = "/orgs/octo-org/projectsV2/1/items";
const STATE: &str = "
projects:
  - owner: octo-org
    title: Plan
    fields:
      - { name: Notes, data_type: text }
      - { name: Points, data_type: number }
      - { name: Sprint, data_type: iteration, iteration_configuration: { start_date: 2026-02-02, duration: 14,
          iterations: [{ title: One, start_date: 2026-02-02, duration: 14 }] } }
  - { owner: mona, title: Own }
apps:
  - { slug: listener, owner: mona, permissions: { organization_projects: read }, events: [projects_v2_item],
      webhook_url: 'http://receiver.test/' }
installations: [{ app: listener, account: mona, repositories: all }]
tokens: [{ kind: classic, user: mona, scopes: [repo, project], token: ghp_planner }]
";

#[tokio::test]
async fn item_records_created_edited_and_deleted() {
    let hooked = Hooked::new().await;
    hooked.service.apply(STATE).await;
    hooked.mona().post(&format!("{ROCKET}/issues"), json!({ "title": "Broken" })).await.expect(201);
    hooked.take().await;
    let mona = hooked.service.with_token("ghp_planner");
    let new = json!({ "type": "Issue", "owner": "octo-org", "repo": "rocket", "number": 1 });
    let item = mona.post(ITEMS, new.clone()).await.expect(201).json();
    mona.post(ITEMS, new.clone()).await.expect(201);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["projects_v2_item created"], "the second request changes nothing");
    let shown = &taken[0].payload["projects_v2_item"];
    assert_eq!((&shown["id"], &shown["node_id"]), (&item["id"], &item["node_id"]));
    assert_eq!((&shown["content_node_id"], &shown["content_type"]), (&item["content"]["node_id"], &json!("Issue")));
    assert_eq!((&shown["creator"]["login"], &taken[0].payload["sender"]["login"]), (&json!("mona"), &json!("mona")));
    let fields = mona.get("/orgs/octo-org/projectsV2/1/fields").await.expect(200).json();
    let find = |name: &str| fields.as_array().expect("a list").iter().find(|field| field["name"] == name).expect(name);
    let path = format!("{ITEMS}/{}", item["id"]);
    let sprint = &find("Sprint")["configuration"]["iterations"][0]["id"];
    for (name, value, expected) in [
        ("Notes", json!("Ask"), json!("Ask")),
        ("Points", json!(3), json!(3)),
        (
            "Status",
            json!("98236657"),
            json!({ "id": "98236657", "name": "Done", "color": "PURPLE", "description": "This has been completed" }),
        ),
        ("Sprint", sprint.clone(), json!({ "id": sprint, "title": "One", "start_date": "2026-02-02", "duration": 14 })),
    ] {
        let field = find(name);
        for (sent, from, to) in [(value, json!(null), expected.clone()), (json!(null), expected, json!(null))] {
            let body = json!({ "fields": [{ "id": field["id"], "value": sent }] });
            mona.patch(&path, body.clone()).await.expect(200);
            mona.patch(&path, body).await.expect(200);
            let taken = hooked.take().await;
            assert_eq!(names(&taken), ["projects_v2_item edited"]);
            let change = json!({ "field_node_id": field["node_id"], "field_type": field["data_type"], "field_name": name,
                                 "project_number": 1, "from": from, "to": to });
            assert_eq!(taken[0].payload["changes"], json!({ "field_value": change }));
        }
    }
    mona.delete(&path).await.expect(204);
    assert_eq!(names(&hooked.take().await), ["projects_v2_item deleted"]);
    mona.post("/users/mona/projectsV2/1/items", new).await.expect(201);
    assert!(hooked.take().await.is_empty(), "GitHub has no events for projects of users");
}
