//! The secret of a hook is nowhere in clear: not in the database, the log, a backup, or a response.

use std::path::Path;

use plinth_base::ids::WebhookId;
use plinth_core::webhooks::secret::open;
use plinth_core::webhooks::store;
use serde_json::json;

use super::{REPO_HOOKS, STATE, admin, create, new_hook};
use crate::process::owners::{Instance, succeed, text};
use crate::support::Service;

const SECRET: &str = "whsec-6f2f0c1a5d";

#[tokio::test]
async fn stored_secret_opens_with_the_key_of_its_file() {
    let service = Service::with(&STATE).await;
    let key_file = service.directory().join("data/secrets.key");
    create(&service, REPO_HOOKS, new_hook("http://example.com/1")).await;
    assert!(!key_file.exists(), "no secret needs it");
    let mut body = new_hook("http://example.com/2");
    body["config"]["secret"] = json!(SECRET);
    create(&service, REPO_HOOKS, body).await;
    assert!(key_file.exists());
    let hook = store::find(&mut service.store.read().await.expect("readable"), WebhookId(2)).await;
    let hook = hook.expect("readable").expect("it was created");
    let key = service.app.secrets_key.read().expect("readable").expect("there is a key");
    let sealed = hook.secret.as_ref().expect("there is a secret");
    assert_eq!(open(&key, hook.owner, sealed).expect("it is the key").reveal(), SECRET);
    assert!(!format!("{hook:?}").contains(SECRET));
}

#[tokio::test]
async fn store_without_the_key_of_its_secrets_gets_no_second_key() {
    let mut service = Service::with(&STATE).await;
    let mut body = new_hook("http://example.com/1");
    body["config"]["secret"] = json!(SECRET);
    create(&service, REPO_HOOKS, body.clone()).await;
    let key_file = service.directory().join("data/secrets.key");
    std::fs::remove_file(&key_file).expect("the file exists");
    service.restart().await;
    body["config"]["url"] = json!("http://example.com/2");
    admin(&service).post(REPO_HOOKS, body.clone()).await.expect(503);
    assert!(!key_file.exists());
    assert_eq!(admin(&service).get(REPO_HOOKS).await.expect(200).json().as_array().map(Vec::len), Some(1));
    admin(&service).patch(&format!("{REPO_HOOKS}/1/config"), json!({ "secret": "" })).await.expect(200);
    create(&service, REPO_HOOKS, body).await;
    assert!(key_file.exists(), "no secret has another key");
}

/// All bytes of the files below a directory, without those that `skipped` names.
fn bytes_below(directory: &Path, skipped: &str) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all.extend(bytes_below(&path, skipped));
        } else if path.file_name().is_none_or(|name| name != skipped) {
            all.extend(std::fs::read(&path).expect("a file can be read"));
        }
    }
    all
}

#[track_caller]
fn assert_hidden(location: &str, bytes: &[u8]) {
    assert!(!bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()), "the secret is in {location}");
}

#[test]
fn secret_is_in_no_file_log_backup_or_response() {
    let instance = Instance::new();
    std::fs::write(
        instance.path().join("state.yaml"),
        "users: [{ login: mona }]\nrepos: [{ name: mona/work }]\n\
         tokens: [{ kind: classic, user: mona, scopes: [repo], token: ghp_monamona }]\n",
    )
    .expect("the file can be written");
    let mut server = instance.serve_with(&["--log", "trace"]);
    let mut responses = String::new();
    let mut send = |line: &str, body: &str| {
        let head = format!("{line} HTTP/1.1\r\nauthorization: Bearer ghp_monamona");
        responses.push_str(&format!("{:?}", server.request(&head, body)));
    };
    let config = format!(r#"{{"url":"http://example.com/hook","secret":"{SECRET}"}}"#);
    send("POST /repos/mona/work/hooks", &format!(r#"{{"config":{config}}}"#));
    send("POST /repos/mona/work/hooks", &format!(r#"{{"config":{config}}}"#));
    send("PATCH /repos/mona/work/hooks/1", &format!(r#"{{"config":{config}}}"#));
    send("PATCH /repos/mona/work/hooks/1/config", &config);
    send("PATCH /repos/mona/work/hooks/1/config", &format!(r#"{{"secret":["{SECRET}"]}}"#));
    send("PATCH /repos/mona/work/hooks/1/config", &format!(r#"{{"secret":"{SECRET}","url":"nowhere"}}"#));
    for path in ["hooks", "hooks/1", "hooks/1/config", "hooks/1/deliveries"] {
        send(&format!("GET /repos/mona/work/{path}"), "");
    }
    assert_hidden("a response", responses.as_bytes());
    assert!(responses.contains("********"), "{responses}");
    let backup = instance.path().join("backup");
    let made = succeed(instance.run(&["backup", &backup.display().to_string()]));
    let key_file = instance.path().join("data/secrets.key");
    let key = std::fs::read_to_string(&key_file).expect("there is a key");
    assert!(made.contains("not in the backup") && made.contains("secrets.key"), "{made}");
    server.signal(rustix::process::Signal::TERM);
    server.wait();
    assert_hidden("the log", server.log().as_bytes());
    let in_backup = bytes_below(&backup, "");
    assert_hidden("the backup", &in_backup);
    assert!(!in_backup.windows(64).any(|part| part == key.trim().as_bytes()), "the key is in the backup");
    assert_hidden("the data directory", &bytes_below(&instance.path().join("data"), ""));
    let checked = succeed(instance.run(&["check", "--print"]));
    assert_hidden("the settings", checked.as_bytes());
    assert!(!checked.contains(key.trim()) && checked.contains("secrets_key_file"), "{checked}");
    std::fs::rename(&key_file, instance.path().join("elsewhere.key")).expect("the file exists");
    let checked = text(&instance.run(&["check"]));
    assert!(checked.contains("secrets.key") && checked.contains("does not exist"), "{checked}");
    let elsewhere = instance.path().join("elsewhere.key").display().to_string();
    succeed(instance.run(&["check", "--secrets-key-file", &elsewhere]));
}
