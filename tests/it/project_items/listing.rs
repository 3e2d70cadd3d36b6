//! Lists of items: pages, fields and conditional requests.

use serde_json::{Value, json};

use super::{ISSUES, ITEMS, add, add_issue, field, fixture, in_rocket, mona, value};
use crate::project_fields::link;
use crate::support::Response;

fn ids(response: &Response) -> Vec<i64> {
    response.json().as_array().expect("a list").iter().filter_map(|item| item["id"].as_i64()).collect()
}

#[tokio::test]
async fn list_pages_both_ways() {
    let fixture = fixture().await;
    for number in 2..=6 {
        if number > 2 {
            mona(&fixture).post(ISSUES, json!({ "title": format!("Issue {number}") })).await.expect(201);
        }
        add(&fixture, in_rocket("Issue", number)).await;
    }
    let anonymous = fixture.service.anonymous();
    let first = anonymous.get(&format!("{ITEMS}?per_page=2&fields=1")).await.expect(200);
    assert_eq!((ids(&first), link(&first, "prev")), (vec![1, 2], None));
    let second = anonymous.get(&link(&first, "next").expect("more")).await.expect(200);
    assert_eq!(ids(&second), [3, 4]);
    assert_eq!(second.json()[0]["fields"][0]["name"], "Title", "links have the fields");
    let third = anonymous.get(&link(&second, "next").expect("more")).await.expect(200);
    assert_eq!((ids(&third), link(&third, "next")), (vec![5], None));
    let back = anonymous.get(&link(&third, "prev").expect("earlier ones")).await.expect(200);
    assert_eq!(ids(&back), [3, 4]);
    let back = anonymous.get(&link(&back, "prev").expect("earlier ones")).await.expect(200);
    assert_eq!((ids(&back), link(&back, "prev")), (vec![1, 2], None));
    assert_eq!(ids(&anonymous.get(ITEMS).await.expect(200)), [1, 2, 3, 4, 5]);
    let next = link(&first, "next").expect("more").replace("projectsV2/1", "projectsV2/2");
    for path in [next, format!("{ITEMS}?after=x")] {
        mona(&fixture).get(&path).await.expect(422);
    }
}

#[tokio::test]
async fn fields_parameter_selects_values() {
    let fixture = fixture().await;
    let path = add_issue(&fixture).await;
    let names = |item: &Value| -> Vec<String> {
        let fields = item["fields"].as_array().expect("a list").iter();
        fields.map(|field| field["name"].as_str().expect("a name").to_owned()).collect()
    };
    let (status, labels) = (field(&fixture, "Status").await, field(&fixture, "Labels").await);
    for (query, expected) in [
        (String::new(), vec!["Title"]),
        ("?fields=".into(), vec!["Title"]),
        (format!("?fields={labels},{status}"), vec!["Status", "Labels"]),
        (format!("?fields[]={status}&fields%5B%5D={labels}"), vec!["Status", "Labels"]),
        (format!("?fields={status}, {status}"), vec!["Status"]),
    ] {
        let query = query.replace(' ', "%20");
        let item = mona(&fixture).get(&format!("{path}{query}")).await.expect(200).json();
        assert_eq!(names(&item), expected, "{query}");
        let listed = mona(&fixture).get(&format!("{ITEMS}{query}")).await.expect(200).json();
        assert_eq!(listed, json!([item]));
    }
    let too_many: Vec<String> = (1..=51).map(|id| id.to_string()).collect();
    for wrong in ["x", "-1", "999", "1,x", &too_many.join(",")] {
        for path in [&path, ITEMS] {
            assert_eq!(mona(&fixture).get(&format!("{path}?fields={wrong}")).await.status, 422, "{wrong}");
        }
    }
    mona(&fixture).get(&format!("{ITEMS}?q=is:open")).await.expect(422);
    mona(&fixture).get(&format!("{ITEMS}?q=")).await.expect(200);
}

#[tokio::test]
async fn built_in_fields_show_the_content() {
    let fixture = fixture().await;
    fixture.service.settled().await;
    let path = add_issue(&fixture).await;
    let names =
        ["Title", "Assignees", "Labels", "Linked pull requests", "Milestone", "Repository", "Type", "Reviewers"];
    let item = super::get_with(&fixture, &path, &names).await;
    assert_eq!(
        value(&item, "Title"),
        json!({ "raw": "<Broken>", "html": "&lt;Broken&gt;", "number": 2, "state": "open", "state_reason": null,
                "url": "http://plinth.test/acme/rocket/issues/2", "issue_id": item["content"]["id"], "is_draft": false })
    );
    assert_eq!(value(&item, "Assignees"), item["content"]["assignees"]);
    assert_eq!(value(&item, "Labels"), item["content"]["labels"]);
    let mut repository = value(&item, "Repository");
    let found = mona(&fixture).get("/repos/acme/rocket").await.expect(200).json();
    for (key, shown) in repository.as_object_mut().expect("an object") {
        assert_eq!(*shown, found[key], "{key}");
    }
    for (name, empty) in [
        ("Linked pull requests", json!([])),
        ("Milestone", json!(null)),
        ("Type", json!(null)),
        ("Reviewers", json!([])),
    ] {
        assert_eq!(value(&item, name), empty, "{name}");
    }
    let reviewers = json!({ "reviewers": ["hubot"] });
    mona(&fixture).post("/repos/acme/rocket/pulls/1/requested_reviewers", reviewers).await.expect(201);
    let pull = format!("{ITEMS}/{}", add(&fixture, in_rocket("PullRequest", 1)).await["id"]);
    let item = super::get_with(&fixture, &pull, &["Title", "Reviewers"]).await;
    assert_eq!(value(&item, "Title")["url"], "http://plinth.test/acme/rocket/pull/1");
    let request = &value(&item, "Reviewers")[0];
    assert_eq!((&request["type"], &request["reviewer"]["login"]), (&json!("ReviewRequest"), &json!("hubot")));
}

#[tokio::test]
async fn unchanged_items_return_304() {
    let fixture = fixture().await;
    fixture.service.settled().await;
    let path = add_issue(&fixture).await;
    for path in [ITEMS, &path] {
        let tag = mona(&fixture).get(path).await.expect(200).header("etag").expect("a tag").to_owned();
        let cached = mona(&fixture).header("if-none-match", &tag);
        cached.get(path).await.expect(304);
        mona(&fixture).patch(&format!("{ISSUES}/2"), json!({ "title": format!("Not {tag}") })).await.expect(200);
        cached.get(path).await.expect(200);
    }
}
