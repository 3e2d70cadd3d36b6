//! Pages of fields, forward and back.

use serde_json::{Value, json};

use super::{ORG, STATE, USER, add, mona, names};
use crate::support::{Response, Service};

/// The path behind the link of this relation.
pub fn link(response: &Response, relation: &str) -> Option<String> {
    let links = response.header("link")?.split(", ");
    let wanted = links.filter_map(|link| link.split_once("; ")).find(|(_, rel)| *rel == format!("rel=\"{relation}\""));
    let url = wanted?.0.trim_start_matches('<').trim_end_matches('>');
    Some(url.strip_prefix("http://plinth.test").expect("links lead to the same host").to_owned())
}

#[tokio::test]
async fn cursors_page_forward_and_back() {
    let service = Service::with(&STATE).await;
    let whole = mona(&service).get(ORG).await.expect(200);
    assert_eq!(whole.header("link"), None, "one page needs no links");
    let whole = whole.json();
    let mut page = mona(&service).get(&format!("{ORG}?per_page=4")).await.expect(200);
    assert_eq!(link(&page, "prev"), None);
    let mut seen: Vec<Value> = page.json().as_array().unwrap().clone();
    let mut sizes = vec![seen.len()];
    while let Some(next) = link(&page, "next") {
        page = mona(&service).get(&next).await.expect(200);
        assert!(link(&page, "prev").is_some());
        sizes.push(page.json().as_array().unwrap().len());
        seen.extend(page.json().as_array().unwrap().clone());
    }
    assert_eq!(sizes, [4, 4, 3]);
    assert_eq!(Value::Array(seen), whole);
    let mut back = Vec::new();
    while let Some(previous) = link(&page, "prev") {
        page = mona(&service).get(&previous).await.expect(200);
        back.splice(0..0, page.json().as_array().unwrap().clone());
    }
    assert_eq!(back, whole.as_array().unwrap()[..8]);
    assert!(link(&page, "next").is_some());
}

#[tokio::test]
async fn links_have_query_and_one_cursor() {
    let service = Service::with(&STATE).await;
    let page = mona(&service).get(&format!("/api/v3{ORG}?per_page=2&x=a%2Cb")).await.expect(200);
    let next = link(&page, "next").unwrap();
    assert!(next.starts_with("/api/v3/orgs/octo-org/projectsV2/1/fields?per_page=2&x=a%2Cb&after="), "{next}");
    let second = mona(&service).get(&next).await.expect(200);
    let previous = link(&second, "prev").unwrap();
    assert!(previous.contains("per_page=2&x=a%2Cb&before=") && !previous.contains("after="), "{previous}");
    assert_eq!(mona(&service).get(&previous).await.expect(200).json(), page.json());
}

#[tokio::test]
async fn page_size_is_clamped() {
    let service = Service::with(&STATE).await;
    for number in 0..24 {
        add(&service, ORG, json!({ "name": format!("Field {number}"), "data_type": "text" })).await;
    }
    for (query, size) in
        [("", 30), ("?per_page=1", 1), ("?per_page=0", 30), ("?per_page=x", 30), ("?per_page=1000", 35)]
    {
        let page = mona(&service).get(&format!("{ORG}{query}")).await.expect(200);
        assert_eq!(page.json().as_array().unwrap().len(), size, "{query}");
    }
}

#[tokio::test]
async fn foreign_or_combined_cursors_are_rejected() {
    let service = Service::with(&STATE).await;
    let own = link(&mona(&service).get(&format!("{ORG}?per_page=2")).await, "next").unwrap();
    let cursor = own.split_once("after=").unwrap().1;
    for path in [
        format!("{ORG}?after=x"),
        format!("{ORG}?before=AAAA"),
        format!("/orgs/octo-org/projectsV2/2/fields?after={cursor}"),
        format!("{USER}?after={cursor}"),
        format!("{ORG}?after={cursor}&before={cursor}"),
    ] {
        let rejected = mona(&service).get(&path).await.expect(422).json();
        assert_eq!(rejected["message"], "Validation Failed", "{path}");
    }
    mona(&service).get(&format!("{ORG}?after={cursor}&before=")).await.expect(200);
}

#[tokio::test]
async fn growing_list_is_paged_without_duplicates() {
    let service = Service::with(&STATE).await;
    let mut page = mona(&service).get(&format!("{USER}?per_page=3")).await.expect(200);
    let mut seen: Vec<Value> = page.json().as_array().unwrap().clone();
    let mut added = 0;
    while let Some(next) = link(&page, "next") {
        if added < 4 {
            added += 1;
            add(&service, USER, json!({ "name": format!("New {added}"), "data_type": "date" })).await;
        }
        page = mona(&service).get(&next).await.expect(200);
        seen.extend(page.json().as_array().unwrap().clone());
    }
    let whole = mona(&service).get(USER).await.json();
    assert_eq!(added, 4);
    assert_eq!(names(&Value::Array(seen)), names(&whole));
}

#[tokio::test]
async fn page_after_end_is_empty_and_links_back() {
    let service = Service::with(&STATE).await;
    let field = add(&service, ORG, json!({ "issue_field_id": 3 })).await;
    let before_last = mona(&service).get(&format!("{ORG}?per_page=11")).await;
    let next = link(&before_last, "next").unwrap();
    assert_eq!(mona(&service).get(&next).await.json()[0]["id"], field["id"]);
    mona(&service).delete("/orgs/octo-org/issue-fields/3").await.expect(204);
    let empty = mona(&service).get(&next).await.expect(200);
    assert_eq!(empty.json(), json!([]));
    assert_eq!(link(&empty, "next"), None);
    let back = mona(&service).get(&link(&empty, "prev").unwrap()).await.expect(200);
    assert_eq!(back.json(), before_last.json());
}
