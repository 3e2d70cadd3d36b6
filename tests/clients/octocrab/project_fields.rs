//! Fields of projects, of an organization and of a user.

use octocrab::{Error, Octocrab, Page};
use serde_json::{Value, json};

use crate::support::{HUBOT_READS, MONA, STRANGER, anonymous, assert_rejected, get, rejection, with};

const ORG_ROUTE: &str = "/orgs/octo-org/projectsV2/1/fields";
const USER_ROUTE: &str = "/users/mona/projectsV2/1/fields";

#[tokio::test]
async fn field_is_added_to_organization_project() {
    let mona = with(MONA);
    let projects = mona.projects_v2().org("octo-org");
    let made = projects.add_field(1, "Crab notes", "text").send().await.unwrap();
    assert_eq!((made.name.as_str(), made.data_type.as_str()), ("Crab notes", "text"));
    assert!(made.project_url.as_deref().is_some_and(|url| url.contains("/projects/")), "{made:?}");
    assert_eq!(projects.get_field(1, made.id.to_string()).await.unwrap(), made);
}

#[tokio::test]
async fn field_is_added_to_user_project() {
    let mona = with(MONA);
    let projects = mona.projects_v2().user("mona");
    let made = projects.add_field(1, "Crab day", "date").send().await.unwrap();
    assert_eq!((made.name.as_str(), made.data_type.as_str()), ("Crab day", "date"));
    assert_eq!(projects.get_field(1, made.id.to_string()).await.unwrap(), made);
}

#[tokio::test]
async fn new_project_has_default_fields() {
    let mona = with(MONA);
    let of_org = mona.projects_v2().org("octo-org").list_fields(1).per_page(2).send().await.unwrap();
    let of_user = mona.projects_v2().user("mona").list_fields(1).per_page(2).send().await.unwrap();
    for fields in [of_org, of_user] {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["Title", "Assignees"]);
    }
}

/// The client sends name and type with the issue field; they match, which is accepted.
#[tokio::test]
async fn field_can_link_issue_field() {
    let mona = with(MONA);
    let issue_fields = mona.orgs("octo-org").issue_fields().list().await.unwrap();
    let effort = issue_fields.iter().find(|field| field.name == "Effort").and_then(|field| field.id.as_u64());
    let effort = effort.expect("a field of the state file");
    let projects = mona.projects_v2().org("octo-org");
    let made = projects.add_field(1, "Effort", "number").issue_field_id(effort).send().await.unwrap();
    assert_eq!((made.name.as_str(), made.data_type.as_str()), ("Effort", "number"));
    let shown = get(&mona, &format!("{ORG_ROUTE}/{}", made.id)).await.unwrap();
    assert_eq!(shown["issue_field_id"], effort);
}

#[tokio::test]
async fn iterations_are_created_from_configuration() {
    let mona = with(MONA);
    let first = json!({ "title": "One", "start_date": "2026-01-05", "duration": 7 });
    let configuration = json!({ "start_date": "2026-01-05", "duration": 7, "iterations": [first] });
    let projects = mona.projects_v2().org("octo-org");
    let added = projects.add_field(1, "Crab weeks", "iteration").iteration_configuration(configuration);
    let made = added.send().await.unwrap();
    let shown = get(&mona, &format!("{ORG_ROUTE}/{}", made.id)).await.unwrap();
    assert_eq!(shown["configuration"]["duration"], 7);
    assert_eq!(shown["configuration"]["iterations"][0]["title"], json!({ "html": "One", "raw": "One" }));
}

/// The description of an option is an object with `html` and `raw`, as at GitHub. The client expects a string and cannot
/// parse the response; by route it can be read.
#[tokio::test]
async fn options_are_read_by_route() {
    let mona = with(MONA);
    let options = json!([{ "name": "Claw", "color": "ORANGE", "description": "Left or right" }]);
    let body = json!({ "name": "Crab parts", "data_type": "single_select", "single_select_options": options });
    let made: Value = mona.post(ORG_ROUTE, Some(&body)).await.unwrap();
    let option = &made["options"][0];
    assert_eq!(option["name"], json!({ "html": "Claw", "raw": "Claw" }));
    assert_eq!(option["description"], json!({ "html": "Left or right", "raw": "Left or right" }));
    assert_eq!(option["color"], "ORANGE");
    let typed = mona.projects_v2().org("octo-org").get_field(1, made["id"].to_string()).await;
    assert!(matches!(typed, Err(Error::Json { .. })), "the client has learned to read options: {typed:?}");
}

#[tokio::test]
async fn cursors_page_forward_and_back() {
    let mona = with(MONA);
    for route in ["/users/mona/projectsV2/2/fields", "/orgs/octo-org/projectsV2/1/fields"] {
        let first: Page<Value> = mona.get(format!("{route}?per_page=4"), None::<&()>).await.unwrap();
        assert!(first.prev.is_none() && first.last.is_none());
        let walked = ids(&mona.all_pages(first.clone()).await.unwrap());
        let mut sorted = walked.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(walked, sorted, "ascending, each once");
        assert!(walked.len() >= 10, "{walked:?}");

        let second: Page<Value> = mona.get_page(&first.next).await.unwrap().expect("a second page");
        let back: Page<Value> = mona.get_page(&second.prev).await.unwrap().expect("the page before");
        assert_eq!(ids(&back.items), ids(&first.items));
    }
}

#[tokio::test]
async fn missing_resources_return_404() {
    let mona = with(MONA);
    let of_org = mona.projects_v2().org("octo-org");
    let of_user = mona.projects_v2().user("mona");
    assert_rejected(of_org.list_fields(99).send().await, 404, "Not Found");
    assert_rejected(of_org.get_field(1, "4096").await, 404, "Not Found");
    assert_rejected(of_user.list_fields(99).send().await, 404, "Not Found");
    assert_rejected(of_user.get_field(1, "4096").await, 404, "Not Found");
    let stranger = with(STRANGER);
    assert_rejected(stranger.projects_v2().org("octo-org").list_fields(2).send().await, 404, "Not Found");
}

#[tokio::test]
async fn create_field_requires_right_and_valid_body() {
    assert_rejected(add(&anonymous(), ORG_ROUTE).await, 401, "Requires authentication");
    let too_little = "Resource not accessible by personal access token";
    assert_rejected(add(&with(HUBOT_READS), ORG_ROUTE).await, 403, too_little);
    assert_rejected(add(&with(HUBOT_READS), USER_ROUTE).await, 403, too_little);
    let mona = with(MONA);
    let rejected = rejection(mona.projects_v2().org("octo-org").add_field(1, "Title", "text").send().await);
    assert_eq!((rejected.status_code.as_u16(), rejected.message.as_str()), (422, "Validation Failed"));
    assert_eq!(rejected.errors.expect("what is wrong")[0]["field"], "name");
}

async fn add(client: &Octocrab, route: &str) -> octocrab::Result<Value> {
    client.post(route, Some(&json!({ "name": "Not for you", "data_type": "text" }))).await
}

fn ids(fields: &[Value]) -> Vec<u64> {
    fields.iter().map(|field| field["id"].as_u64().expect("a number")).collect()
}
