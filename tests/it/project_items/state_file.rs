//! Items in state files.

use serde_json::json;

use super::{ITEMS, fixture, get_with, mona, value};

const PLAN: &str = "owner: acme, title: Plan, public: true";

#[tokio::test]
async fn state_file_adds_items_and_sets_values() {
    let fixture = fixture().await;
    let item = |content: &str, values: &str| {
        format!("projects: [{{ {PLAN}, items: [{{ content: '{content}', creator: hubot, values: {{ {values} }} }}] }}]")
    };
    fixture.service.apply(&item("acme/rocket#2", "Status: Done, Sprint: One, Points: 2, Due: '2026-03-01'")).await;
    let path = format!("{ITEMS}/1");
    let names = ["Status", "Sprint", "Points", "Due"];
    let first = get_with(&fixture, &path, &names).await;
    assert_eq!((&first["creator"]["login"], &first["content"]["number"]), (&json!("hubot"), &json!(2)));
    assert_eq!(value(&first, "Status")["id"], "98236657");
    assert_eq!(value(&first, "Sprint")["title"]["raw"], "One");
    assert_eq!((value(&first, "Points"), value(&first, "Due")), (json!(2), json!("2026-03-01")));
    fixture.service.advance(60);
    fixture.service.apply(&item("acme/rocket#2", "Status: Done")).await;
    assert_eq!(get_with(&fixture, &path, &names).await, first, "values that the file does not name stay");
    fixture.service.apply(&item("acme/rocket#2", "Status: null, points: 3")).await;
    let changed = get_with(&fixture, &path, &names).await;
    assert_eq!((value(&changed, "Status"), value(&changed, "Points")), (json!(null), json!(3)));
    assert_eq!(mona(&fixture).get(ITEMS).await.expect(200).json().as_array().map(Vec::len), Some(1));
    for (content, values, problem) in [
        ("acme/rocket", "", "an issue or pull request is written owner/name#number"),
        ("acme/rocket#99", "", "there is no such issue or pull request"),
        ("acme/rocket#2", "Nothing: 1", "the project has no field \"Nothing\""),
        ("acme/rocket#2", "Status: Unknown", "must be the id of an option"),
        ("acme/rocket#2", "Priority: High", "is that of the issue"),
        ("acme/rocket#2", "Notes: [1]", "is a text, a number or null"),
    ] {
        let error = fixture.service.try_apply(&item(content, values)).await.expect_err(problem);
        assert!(error.contains("line 1, projects.items."), "{error}");
    }
}
