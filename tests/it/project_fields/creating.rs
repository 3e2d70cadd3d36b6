//! Creating a field of each type.

use expect_test::expect;
use serde_json::json;

use super::{ORG, STATE, USER, add, mona, names};
use crate::support::Service;

#[tokio::test]
async fn create_text_field_needs_name_and_type() {
    let service = Service::with(&STATE).await;
    let response = mona(&service).post(ORG, json!({ "name": " Notes ", "data_type": "text" })).await;
    expect![[r#"
        201
        {
          "created_at": "2026-02-25T06:13:20Z",
          "data_type": "text",
          "id": 33,
          "name": "Notes",
          "node_id": "PVTF_lAADASE",
          "project_url": "http://plinth.test/projects/1",
          "updated_at": "2026-02-25T06:13:20Z"
        }"#]]
    .assert_eq(&response.to_string());
    let location = response.header("location").unwrap().strip_prefix("http://plinth.test").unwrap().to_owned();
    assert_eq!(mona(&service).get(&location).await.expect(200).json(), response.json());
    let response = mona(&service).post(USER, json!({ "name": "Notes", "data_type": "text" })).await;
    let location = response.header("location").unwrap().strip_prefix("http://plinth.test").unwrap().to_owned();
    assert_eq!(mona(&service).get(&location).await.expect(200).json(), response.json());
}

#[tokio::test]
async fn create_number_and_date_fields() {
    let service = Service::with(&STATE).await;
    for path in [ORG, USER] {
        for data_type in ["text", "number", "date"] {
            let field = add(&service, path, json!({ "name": data_type, "data_type": data_type })).await;
            assert_eq!(field["data_type"], data_type);
            for absent in ["options", "configuration", "issue_field_id"] {
                assert!(field.get(absent).is_none(), "{absent} in {field}");
            }
        }
        let listed = mona(&service).get(path).await.json();
        assert_eq!(names(&listed)[names(&listed).len() - 3..], ["text", "number", "date"]);
    }
}

#[tokio::test]
async fn single_select_options_accept_both_text_forms() {
    let service = Service::with(&STATE).await;
    let options = json!([
        { "name": "To do", "color": "RED", "description": "<b>Not</b> begun & \"open\"" },
        { "name": { "raw": "<img src=x onerror=alert(1)>", "html": "<script>" }, "color": "PINK",
          "description": { "raw": "In 'hand'", "html": "anything" } },
        { "name": "Done" },
    ]);
    let body = json!({ "name": "Stage", "data_type": "single_select", "single_select_options": options });
    let field = add(&service, ORG, body.clone()).await;
    expect![[r#"
        [
          {
            "color": "RED",
            "description": {
              "html": "&lt;b&gt;Not&lt;/b&gt; begun &amp; &quot;open&quot;",
              "raw": "<b>Not</b> begun & \"open\""
            },
            "id": "c4186357",
            "name": {
              "html": "To do",
              "raw": "To do"
            }
          },
          {
            "color": "PINK",
            "description": {
              "html": "In 'hand'",
              "raw": "In 'hand'"
            },
            "id": "0ed9e269",
            "name": {
              "html": "&lt;img src=x onerror=alert(1)&gt;",
              "raw": "<img src=x onerror=alert(1)>"
            }
          },
          {
            "color": "GRAY",
            "description": {
              "html": "",
              "raw": ""
            },
            "id": "912ab914",
            "name": {
              "html": "Done",
              "raw": "Done"
            }
          }
        ]"#]]
    .assert_eq(&serde_json::to_string_pretty(&field["options"]).unwrap());
    assert!(field["node_id"].as_str().unwrap().starts_with("PVTSSF_"));
    let got = mona(&service).get(&format!("{ORG}/{}", field["id"])).await.json();
    assert_eq!(got, field);
    let other = add(&service, USER, body).await;
    assert_ne!(other["options"][0]["id"], field["options"][0]["id"]);
}

#[tokio::test]
async fn iteration_field_depends_on_current_date() {
    let service = Service::with(&STATE).await;
    let configuration = json!({
        "start_date": "2026-02-16",
        "duration": 7,
        "iterations": [
            { "title": "First", "start_date": "2026-02-16", "duration": 7 },
            { "title": "Second <2>", "start_date": "2026-02-23", "duration": 3 },
            { "title": "Third", "start_date": "2026-03-02", "duration": 14 },
        ],
    });
    let body = json!({ "name": "Sprint", "data_type": "iteration", "iteration_configuration": configuration });
    let field = add(&service, ORG, body).await;
    expect![[r#"
        {
          "configuration": {
            "duration": 7,
            "iterations": [
              {
                "completed": true,
                "duration": 7,
                "id": "c4186357",
                "start_date": "2026-02-16",
                "title": {
                  "html": "First",
                  "raw": "First"
                }
              },
              {
                "completed": false,
                "duration": 3,
                "id": "0ed9e269",
                "start_date": "2026-02-23",
                "title": {
                  "html": "Second &lt;2&gt;",
                  "raw": "Second <2>"
                }
              },
              {
                "completed": false,
                "duration": 14,
                "id": "912ab914",
                "start_date": "2026-03-02",
                "title": {
                  "html": "Third",
                  "raw": "Third"
                }
              }
            ],
            "start_day": 1
          },
          "created_at": "2026-02-25T06:13:20Z",
          "data_type": "iteration",
          "id": 33,
          "name": "Sprint",
          "node_id": "PVTIF_lAADASE",
          "project_url": "http://plinth.test/projects/1",
          "updated_at": "2026-02-25T06:13:20Z"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&field).unwrap());
    let path = format!("{ORG}/{}", field["id"]);
    let tag = mona(&service).get(&path).await.header("etag").unwrap().to_owned();
    // From the morning of the 25th to the first second of the 26th, when the second iteration is over.
    service.advance(86_400 - 6 * 3600 - 13 * 60 - 20);
    let later = mona(&service).header("if-none-match", &tag).get(&path).await.expect(200).json();
    let completed: Vec<_> = later["configuration"]["iterations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|iteration| iteration["completed"].as_bool().unwrap())
        .collect();
    assert_eq!(completed, [true, true, false]);
}

#[tokio::test]
async fn iteration_field_without_iterations_is_accepted() {
    let service = Service::with(&STATE).await;
    for (name, configuration) in [
        ("None", json!({ "start_date": "2026-02-22", "duration": 14 })),
        ("Empty", json!({ "start_date": "2026-02-22", "duration": 14, "iterations": [] })),
    ] {
        let body = json!({ "name": name, "data_type": "iteration", "iteration_configuration": configuration });
        let field = add(&service, USER, body).await;
        assert_eq!(field["configuration"], json!({ "duration": 14, "start_day": 7, "iterations": [] }));
        assert!(field["node_id"].as_str().unwrap().starts_with("PVTIF_"));
    }
}
