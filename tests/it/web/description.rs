//! The OpenAPI description matches the routes.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::Service;
use plinth_api::openapi::{AREAS, Operation, PATH_PARAMETERS};
use plinth_api::policy::table::TABLE;
use plinth_api::router;

fn described() -> impl Iterator<Item = &'static Operation> {
    AREAS.iter().flat_map(|area| area.operations)
}

fn names_in(path: &str) -> BTreeSet<String> {
    let names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    names.map(|name| name.trim_start_matches('*').to_owned()).collect()
}

async fn document() -> Value {
    let service = Service::with("").await;
    service.anonymous().get("/openapi.json").await.expect(200).json()
}

/// Every operation of the document with its path and method.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().expect("there are paths");
    let items = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("a path is an object").iter();
        methods
            .filter(|(name, _)| *name != "parameters")
            .map(move |(method, shown)| (path.clone(), method.clone(), shown))
    });
    items.collect()
}

#[test]
fn routes_and_descriptions_match() {
    let known: BTreeSet<&str> = described().map(|operation| operation.id).collect();
    for row in router::routes().rows() {
        assert!(known.contains(row.operation), "{} has no description", row.operation);
    }
    let rows: BTreeSet<&str> = TABLE.iter().map(|row| row.operation).collect();
    for operation in described() {
        assert!(rows.contains(operation.id), "{} is described but not in the access table", operation.id);
    }
    assert_eq!(known.len(), described().count(), "no operation is described twice");
}

#[test]
fn path_parameters_are_described_and_used() {
    let known: BTreeSet<String> = PATH_PARAMETERS.iter().map(|part| part.name.to_owned()).collect();
    let used: BTreeSet<String> = TABLE.iter().flat_map(|row| row.paths).flat_map(|path| names_in(path)).collect();
    assert_eq!(known, used);
}

#[test]
fn examples_are_json_and_texts_are_present() {
    for operation in described() {
        assert!(!operation.summary.is_empty() && !operation.summary.ends_with('.'), "{}", operation.id);
        if let Some(body) = operation.body.as_ref().filter(|body| body.media == "application/json") {
            let example: Result<Value, _> = serde_json::from_str(body.example);
            assert!(example.is_ok_and(|example| example.is_object()), "the example of {}", operation.id);
        }
    }
}

#[tokio::test]
async fn document_has_exactly_registered_routes() {
    let document = document().await;
    let shown: BTreeSet<(String, String, String)> = operations(&document)
        .into_iter()
        .map(|(path, method, shown)| (path, method, shown["operationId"].as_str().unwrap_or_default().to_owned()))
        .collect();
    let registered: BTreeSet<(String, String, String)> = router::routes()
        .rows()
        .map(|row| {
            (row.paths[0].replace("{*", "{"), row.method.as_str().to_ascii_lowercase(), row.operation.to_owned())
        })
        .collect();
    assert_eq!(shown, registered);
}

#[tokio::test]
async fn every_operation_is_complete() {
    let document = document().await;
    let tags: BTreeSet<&str> =
        document["tags"].as_array().expect("there are tags").iter().filter_map(|tag| tag["name"].as_str()).collect();
    for (path, method, shown) in operations(&document) {
        let operation_name = format!("{method} {path}");
        let parameters = shown["parameters"].as_array().expect("there are parameters");
        let in_path: BTreeSet<String> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path" && parameter["required"] == true)
            .filter_map(|parameter| parameter["name"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(in_path, names_in(&path), "{operation_name}");
        assert!(shown["tags"][0].as_str().is_some_and(|tag| tags.contains(tag)), "{operation_name}");
        let responses = shown["responses"].as_object().expect("there are responses");
        assert!(responses.keys().any(|status| status.starts_with('2')), "{operation_name}");
        for status in ["400", "401", "403", "415"] {
            assert!(responses.contains_key(status), "{operation_name} has no {status}");
        }
        assert!(shown["description"].as_str().is_some_and(|text| text.contains("Works with")), "{operation_name}");
    }
}

#[tokio::test]
async fn every_schema_reference_resolves() {
    let document = document().await;
    let mut waiting = vec![&document];
    let mut count = 0;
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(object) => waiting.extend(object.values()),
            Value::Array(items) => waiting.extend(items),
            _ => {}
        }
        if let Some(pointer) = value.get("$ref").and_then(Value::as_str) {
            count += 1;
            let target = document.pointer(pointer.trim_start_matches('#'));
            assert!(target.is_some(), "{pointer} leads nowhere");
        }
    }
    assert!(count > 100, "references were found");
}

#[tokio::test]
async fn server_url_is_url_of_request() {
    let service = Service::with("").await;
    let response =
        service.anonymous().header("host", "code.example:8443").get("/api/v3/openapi.json").await.expect(200);
    assert_eq!(response.json()["servers"][0]["url"], "http://code.example:8443/api/v3");
    assert_eq!(response.json()["openapi"], "3.1.0");
    assert_eq!(response.header("content-type"), Some("application/json; charset=utf-8"));
}

#[tokio::test]
async fn described_rights_match_policy_table() {
    let document = document().await;
    let security = |path: &str, method: &str| document["paths"][path][method]["security"].clone();
    assert_eq!(
        security("/repos/{owner}/{repo}", "delete"),
        serde_json::json!([
            { "classic": ["delete_repo"] }, { "fine-grained": [] }, { "oauth-app": ["delete_repo"] }, { "app-user": [] },
            { "installation": [] }
        ])
    );
    assert_eq!(security("/installation/token", "delete"), serde_json::json!([{ "installation": [] }]));
    let open = security("/meta", "get");
    assert!(open.as_array().is_some_and(|alternatives| alternatives.contains(&serde_json::json!({}))));
    let about = document["paths"]["/orgs/{org}/repos"]["post"]["description"].as_str().expect("it is described");
    assert!(about.contains("the permission `administration: write`"), "{about}");
}

/// The documentation URL of an error leads to its operation.
#[tokio::test]
async fn error_documentation_urls_resolve() {
    let service = Service::with("users: [{ login: mona }]").await;
    let response = service.anonymous().get("/users/nobody").await.expect(404);
    let url = response.json()["documentation_url"].as_str().expect("it is text").to_owned();
    let (page, operation) = url.split_once('#').expect("it names an operation");
    assert_eq!(page, "http://plinth.test/docs");
    assert!(operations(&document().await).iter().any(|(_, _, shown)| shown["operationId"] == operation));
    service.anonymous().get(page.trim_start_matches("http://plinth.test")).await.expect(200);
}
