//! Labels of repositories, issues and pull requests.

use http::Method;
use serde_json::{Value, json};

use super::{ISSUES, create, fixture, texts};
use crate::support::Tester;

const LABELS: &str = "/repos/acme/rocket/labels";

#[tokio::test]
async fn labels_of_a_repository_are_managed() {
    let fixture = fixture().await;
    let (hubot, guest) = (fixture.user("hubot"), fixture.user("guest"));
    let body = json!({ "name": "good first issue", "color": "7057FF", "description": "Start here" });
    let made = hubot.post(LABELS, body).await.expect(201);
    let url = "http://plinth.test/repos/acme/rocket/labels/good%20first%20issue";
    assert_eq!(made.header("location"), Some(url));
    let label = made.json();
    assert_eq!(
        label,
        json!({ "id": 1, "node_id": label["node_id"], "url": url, "name": "good first issue",
                "color": "7057ff", "description": "Start here", "default": false })
    );
    assert_eq!(guest.get(&format!("{LABELS}/Good%20First%20Issue")).await.expect(200).json(), label);
    hubot.post(LABELS, json!({ "name": "bug" })).await.expect(201);
    let again = hubot.post(LABELS, json!({ "name": "BUG" })).await.expect(422).json();
    assert_eq!(again["errors"], json!([{ "resource": "Label", "code": "already_exists", "field": "name" }]));
    let renamed = json!({ "new_name": "a/b", "description": null });
    let changed = hubot.patch(&format!("{LABELS}/bug"), renamed).await.expect(200).json();
    assert_eq!((&changed["name"], &changed["color"], &changed["id"]), (&json!("a/b"), &json!("ededed"), &json!(2)));
    guest.get(&format!("{LABELS}/a%2Fb")).await.expect(200);
    hubot.patch(&format!("{LABELS}/a%2Fb"), json!({ "new_name": "Good first issue" })).await.expect(422);
    assert_eq!(texts(&guest.get(LABELS).await.expect(200).json(), "name"), ["good first issue", "a/b"]);
    let page = guest.get(&format!("{LABELS}?per_page=1&page=2")).await.expect(200);
    assert_eq!(texts(&page.json(), "name"), ["a/b"]);
    for body in [json!({}), json!({ "name": "" }), json!({ "name": "x", "color": "red" })] {
        hubot.post(LABELS, body).await.expect(422);
    }
    guest.post(LABELS, json!({ "name": "x" })).await.expect(403);
    guest.delete(&format!("{LABELS}/a%2Fb")).await.expect(403);
    hubot.delete(&format!("{LABELS}/a%2Fb")).await.expect(204);
    hubot.delete(&format!("{LABELS}/a%2Fb")).await.expect(404);
    hubot.patch(&format!("{LABELS}/a%2Fb"), json!({})).await.expect(404);
}

#[tokio::test]
async fn labels_of_issues_and_pull_requests_are_managed() {
    let fixture = fixture().await;
    create(&fixture, json!({ "title": "Two" })).await;
    for number in [1, 2] {
        let path = format!("{ISSUES}/{number}/labels");
        let hubot = fixture.user("hubot");
        let send = async |method: Method, path: &str, body: Value| {
            let labels = hubot.send(method, path, body.to_string()).await.expect(200).json();
            texts(&labels, "name").join(" ")
        };
        assert_eq!(send(Method::POST, &path, json!({ "labels": ["bug", "Later"] })).await, "bug Later");
        assert_eq!(send(Method::POST, &path, json!(["BUG", "more"])).await, "bug Later more", "a list alone");
        assert_eq!(send(Method::POST, &path, json!({ "labels": [{ "name": "bug" }] })).await, "bug Later more");
        assert_eq!(send(Method::PUT, &path, json!({ "labels": ["more", "new"] })).await, "more new");
        assert_eq!(send(Method::DELETE, &format!("{path}/NEW"), Value::Null).await, "more");
        let missing = hubot.delete(&format!("{path}/bug")).await.expect(404);
        assert_eq!(missing.message(), "Label does not exist");
        let listed = fixture.user("guest").get(&path).await.expect(200).json();
        assert_eq!(texts(&listed, "name"), ["more"]);
        hubot.delete(&path).await.expect(204);
        assert_eq!(fixture.user("guest").get(&path).await.expect(200).json(), json!([]));
        for (method, status) in [(Method::POST, 403), (Method::PUT, 403), (Method::DELETE, 403)] {
            let body = json!({ "labels": ["bug"] }).to_string();
            fixture.user("guest").send(method, &path, body).await.expect(status);
        }
        hubot.post(&path, json!({ "labels": [""] })).await.expect(422);
        hubot.post(&path, json!({ "labels": "bug" })).await.expect(422);
    }
    let names = fixture.user("guest").get(LABELS).await.expect(200).json();
    assert_eq!(texts(&names, "name"), ["bug", "Later", "more", "new"], "created when they are added");
}

#[tokio::test]
async fn issue_has_at_most_a_hundred_labels() {
    let fixture = fixture().await;
    let path = format!("{ISSUES}/1/labels");
    let names = |numbers: std::ops::Range<i64>| numbers.map(|number| format!("l{number}")).collect::<Vec<_>>();
    fixture.user("mona").post(&path, json!({ "labels": names(0..99) })).await.expect(200);
    fixture.user("mona").post(&path, json!({ "labels": names(99..101) })).await.expect(422);
    fixture.user("mona").post(&path, json!({ "labels": names(50..100) })).await.expect(200);
    let page = fixture.user("mona").get(&format!("{path}?per_page=60&page=2")).await.expect(200).json();
    assert_eq!(page.as_array().map(Vec::len), Some(40));
    let repo = fixture.user("mona").get(&format!("{LABELS}?per_page=100&page=2")).await.expect(200).json();
    assert_eq!(repo, json!([]), "labels of a rejected request are not created");
}

#[tokio::test]
async fn deleted_label_is_removed_from_issues() {
    let fixture = fixture().await;
    create(&fixture, json!({ "title": "Two", "labels": ["bug", "later"] })).await;
    fixture.user("mona").delete(&format!("{LABELS}/bug")).await.expect(204);
    let issue = fixture.user("mona").get(&format!("{ISSUES}/2")).await.expect(200).json();
    assert_eq!(texts(&issue["labels"], "name"), ["later"]);
}

#[tokio::test]
async fn label_of_more_issues_than_one_transaction_changes_is_deleted() {
    let fixture = fixture().await;
    let hubot = fixture.user("hubot");
    hubot.post(LABELS, json!({ "name": "many" })).await.expect(201);
    hubot.post(&format!("{ISSUES}/1/labels"), json!({ "labels": ["few"] })).await.expect(200);
    let fill = [
        "insert into conversation (repo_id, number, is_pull) select l.repo_id, x.n, false from label l join \
         (with recursive numbers (n) as (select 1000 union all select n + 1 from numbers where n < 12500) \
         select n from numbers) x on x.n > 0 where l.name = 'many'",
        "insert into issue_label (conversation_id, label_id) select c.id, l.id from conversation c \
         join label l on l.repo_id = c.repo_id where l.name = 'many'",
    ];
    for sql in fill {
        let filled = fixture
            .service
            .store
            .write(Tester, (), move |tx, ()| Box::pin(async move { Ok(tx.execute(sql, &[]).await?) }));
        assert!(filled.await.expect("the store accepts rows") > 10_000);
    }
    hubot.delete(&format!("{LABELS}/many")).await.expect(204);
    hubot.get(&format!("{LABELS}/many")).await.expect(404);
    let mut db = fixture.service.store.read().await.expect("the store can be read");
    let left = db.one::<(i64,)>("select count(*) from issue_label", &[]).await.expect("a count").0;
    assert_eq!(left, 1, "other labels stay");
}
