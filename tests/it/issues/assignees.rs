//! Assignees of issues and pull requests.

use http::Method;
use serde_json::json;

use super::{ISSUES, create, fixture, texts};

#[tokio::test]
async fn users_are_assigned_and_removed() {
    let fixture = fixture().await;
    create(&fixture, json!({ "title": "Two" })).await;
    for number in [1, 2] {
        let path = format!("{ISSUES}/{number}/assignees");
        let body = json!({ "assignees": ["HUBOT", "stranger", "nobody"] });
        let made = fixture.user("hubot").post(&path, body).await.expect(201);
        assert_eq!(texts(&made.json()["assignees"], "login"), ["hubot"], "who cannot be assigned is ignored");
        assert_eq!(made.header("location"), Some(format!("http://plinth.test{ISSUES}/{number}").as_str()));
        let both = fixture.user("hubot").post(&path, json!({ "assignees": ["mona", "hubot"] })).await.expect(201);
        assert_eq!(texts(&both.json()["assignees"], "login").len(), 2);
        let body = json!({ "assignees": ["Hubot", "guest"] }).to_string();
        let left = fixture.user("hubot").send(Method::DELETE, &path, body.clone()).await.expect(200).json();
        assert_eq!((texts(&left["assignees"], "login"), &left["assignee"]["login"]), (vec!["mona"], &json!("mona")));
        fixture.user("guest").post(&path, json!({ "assignees": ["mona"] })).await.expect(403);
        fixture.user("guest").send(Method::DELETE, &path, body).await.expect(403);
        let many: Vec<String> = (0..11).map(|number| format!("user{number}")).collect();
        fixture.user("hubot").post(&path, json!({ "assignees": many })).await.expect(422);
    }
}

#[tokio::test]
async fn assignable_users_are_listed_to_users_with_a_role() {
    let fixture = fixture().await;
    let path = "/repos/acme/rocket/assignees";
    let list = fixture.user("hubot").get(path).await.expect(200).json();
    assert_eq!(texts(&list, "login"), ["mona", "hubot"]);
    for (login, status) in [("hubot", 204), ("MONA", 204), ("guest", 404), ("nobody", 404), ("acme", 404)] {
        fixture.user("hubot").get(&format!("{path}/{login}")).await.expect(status);
        fixture.user("hubot").get(&format!("{ISSUES}/1/assignees/{login}")).await.expect(status);
    }
    fixture.user("guest").get(path).await.expect(404);
    fixture.user("guest").get(&format!("{path}/hubot")).await.expect(404);
    fixture.service.anonymous().get(path).await.expect(401);
}
