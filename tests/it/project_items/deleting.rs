//! Items that are removed, and items whose content is gone.

use serde_json::json;

use super::{ITEMS, add, add_issue, fixture, hidden, in_rocket, mona};

#[tokio::test]
async fn removed_item_leaves_its_content() {
    let fixture = fixture().await;
    let path = add_issue(&fixture).await;
    fixture.service.advance(60);
    mona(&fixture).delete(&path).await.expect(204);
    mona(&fixture).delete(&path).await.expect(404);
    mona(&fixture).get(&path).await.expect(404);
    assert_eq!(mona(&fixture).get(ITEMS).await.expect(200).json(), json!([]));
    mona(&fixture).get("/repos/acme/rocket/issues/2").await.expect(200);
    let project = mona(&fixture).get("/orgs/acme/projectsV2/1").await.expect(200).json();
    assert_eq!(project["updated_at"], "2026-02-25T06:14:20Z");
    let again = add(&fixture, in_rocket("Issue", 2)).await;
    assert_ne!(format!("{ITEMS}/{}", again["id"]), path);
}

#[tokio::test]
async fn items_of_deleted_repository_are_gone() {
    let fixture = fixture().await;
    let path = format!("{ITEMS}/{}", add(&fixture, hidden()).await["id"]);
    let rest = add(&fixture, in_rocket("Issue", 2)).await;
    mona(&fixture).delete("/repos/mona/secret").await.expect(204);
    let listed = mona(&fixture).get(ITEMS).await.expect(200).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    assert_eq!(listed[0]["id"], rest["id"]);
    mona(&fixture).get(&path).await.expect(404);
    mona(&fixture).patch(&path, json!({ "fields": [] })).await.expect(404);
    mona(&fixture).delete(&path).await.expect(404);
    mona(&fixture).post(ITEMS, hidden()).await.expect(404);
}
