//! A restored backup has the hooks and not the key of their secrets.

use serde_json::{Value, json};

use super::process::{LOOPBACK, add_hook, create_branches, created, deliveries, post, state};
use crate::process::Server;
use crate::process::owners::{Instance, succeed};
use crate::support::receiver::Receiver;
use crate::support::wait::wait_until;

const HOOKS: &str = "/repos/mona/rocket/hooks";

/// The first delivery of an event whose attempt is finished.
fn finished(server: &Server, hook: &Value, event: &str) -> Option<Value> {
    deliveries(server, hook).into_iter().find(|delivery| delivery["event"] == event)
}

#[test]
fn restored_server_sends_nothing_without_the_key_and_all_with_it() {
    let (instance, receiver) = (Instance::new(), Receiver::ok());
    std::fs::write(instance.path().join("state.yaml"), state()).expect("the file can be written");
    let server = instance.serve_with(LOOPBACK);
    let hook = add_hook(&server, &receiver.url(), &["create"]);
    create_branches(&server, "before", 1);
    wait_until("the change is delivered", || created(&receiver.received()) == ["before-0"]);
    wait_until("the delivery is recorded", || finished(&server, &hook, "create").is_some());
    let backup = instance.path().join("backup").display().to_string();
    succeed(instance.run(&["backup", &backup]));
    drop(server);

    let restored = Instance::new();
    std::fs::write(restored.path().join("state.yaml"), "users: []\n").expect("the file can be written");
    succeed(restored.run(&["restore", &backup]));
    let server = restored.serve_with(LOOPBACK);
    create_branches(&server, "after", 1);
    let is_after = |delivery: &Value| delivery["event"] == "create" && delivery["status"] != "OK";
    wait_until("the attempt is recorded", || deliveries(&server, &hook).iter().any(is_after));
    let failed = deliveries(&server, &hook).into_iter().find(is_after).expect("it was there");
    assert_eq!(
        (&failed["status"], &failed["status_code"]),
        (&json!("the secret of the hook cannot be decrypted"), &json!(0))
    );
    assert_eq!(created(&receiver.received()), ["before-0"], "nothing was sent without a signature");
    drop(server);

    let key = |instance: &Instance| instance.path().join("data/secrets.key");
    std::fs::copy(key(&instance), key(&restored)).expect("the key was stored elsewhere");
    let server = restored.serve_with(LOOPBACK);
    let redelivery = format!("{HOOKS}/{}/deliveries/{}/attempts", hook["id"], failed["id"]);
    assert_eq!(post(&server, &redelivery, &json!({})).0, 202);
    wait_until("the change is delivered", || created(&receiver.received()).contains(&"after-0".to_owned()));
    for request in receiver.received() {
        assert!(request.header("x-hub-signature-256").starts_with("sha256="), "{request:?}");
    }
}
