//! Hooks of the whole program, with receivers.

use serde_json::{Value, json};

use crate::process::owners::Instance;
use crate::process::{Server, wait_until};
use crate::support::fixtures;
use crate::support::receiver::Receiver;

const SECRET: &str = "a secret of a hook";

fn send(server: &Server, line: &str, body: &Value) -> (u16, Value) {
    let head = format!("{line} HTTP/1.1\r\nauthorization: Bearer ghp_monamona");
    let response = server.request(&head, &body.to_string());
    (response.status(), serde_json::from_str(response.body()).unwrap_or_default())
}

fn add_hook(server: &Server, receiver: &Receiver) -> String {
    let config = json!({ "url": receiver.url(), "content_type": "json", "secret": SECRET });
    let body = json!({ "config": config, "events": ["push"] });
    let (status, hook) = send(server, "POST /repos/mona/rocket/hooks", &body);
    assert_eq!(status, 201, "{hook}");
    format!("/repos/mona/rocket/hooks/{}", hook["id"])
}

#[test]
fn test_reaches_one_hook_and_its_delivery_can_be_repeated() {
    let instance = Instance::new();
    let state = fixtures::mona().repo("mona/rocket", &fixtures::two_branches(""));
    std::fs::write(instance.path().join("state.yaml"), state.to_string()).expect("the file can be written");
    let server = instance.serve_with(&["--webhook-private-targets", "loopback"]);
    let (tested, other) = (Receiver::ok(), Receiver::ok());
    let hook = add_hook(&server, &tested);
    add_hook(&server, &other);
    let pinged = tested.wait_for_blocking(1);
    assert_eq!(pinged[0].event(), "ping");
    assert_eq!(pinged[0].json()["hook"]["config"]["secret"], "********");
    pinged[0].assert_signed(SECRET);
    other.wait_for_blocking(1);

    assert_eq!(send(&server, &format!("POST {hook}/tests"), &json!({})).0, 204);
    let pushed = tested.wait_for_blocking(2).remove(1);
    assert_eq!((pushed.event(), &pushed.json()["ref"]), ("push", &json!("refs/heads/main")));
    assert_eq!(pushed.json()["head_commit"]["message"], "one");
    pushed.assert_signed(SECRET);

    let list = || send(&server, &format!("GET {hook}/deliveries"), &Value::Null).1;
    let has = |count: usize| list().as_array().is_some_and(|list| list.len() == count);
    wait_until("both deliveries are stored", || has(2));
    let delivery = list()[0].clone();
    let (status, shown) = send(&server, &format!("GET {hook}/deliveries/{}", delivery["id"]), &Value::Null);
    assert_eq!((status, &shown["status"], &shown["status_code"]), (200, &json!("OK"), &json!(200)));
    assert_eq!(shown["request"]["payload"], pushed.json());
    assert!(!shown.to_string().contains(SECRET), "{shown}");

    assert_eq!(send(&server, &format!("POST {hook}/deliveries/{}/attempts", delivery["id"]), &json!({})).0, 202);
    let again = tested.wait_for_blocking(3).remove(2);
    assert_eq!(again.header("x-github-delivery"), pushed.header("x-github-delivery"));
    assert_eq!(again.json(), pushed.json());
    wait_until("the redelivery is stored", || has(3));
    assert_eq!((&list()[0]["redelivery"], &list()[0]["guid"]), (&json!(true), &delivery["guid"]));
    let (_, shown) = send(&server, &format!("GET {hook}"), &Value::Null);
    assert_eq!(shown["last_response"], json!({ "code": 200, "status": "active", "message": "OK" }));
    assert_eq!(other.count(), 1, "only the ping");
}
