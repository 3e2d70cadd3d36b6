//! Nothing that the program writes down holds a secret, however much it writes.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use plinth_base::clock::Clock;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::Server;
use crate::support::{app_key, jwt};

const STATE: &str = "
users: [{ login: mona }]
orgs: [{ login: octo-org, members: [{ user: mona, role: admin }] }]
repos: [{ name: octo-org/hello, private: true }]
apps: [{ slug: helper, owner: octo-org, client_id: Iv23helper, private_key_file: helper.pem, permissions: { contents: read } }]
installations: [{ app: helper, account: octo-org, repositories: all }]
tokens:
  - { kind: classic, user: mona, scopes: [repo], token: ghp_secretclassic }
  - { kind: oauth, user: mona, scopes: [repo], token: gho_secretoauth }
  - { kind: fine_grained, user: mona, owner: octo-org, permissions: { contents: read }, token: github_pat_secretfine }
  - { kind: app_user, user: mona, app: helper, token: ghu_secretappuser }
  - { kind: installation, app: helper, account: octo-org, token: ghs_secretinstallation }
";
const TOKENS: [&str; 5] =
    ["ghp_secretclassic", "gho_secretoauth", "github_pat_secretfine", "ghu_secretappuser", "ghs_secretinstallation"];

/// Uses every kind of secret in every way, good and bad, and returns all of them.
fn use_everything(server: &Server) -> Vec<String> {
    let mut secrets: Vec<String> = TOKENS.iter().map(|token| (*token).to_owned()).collect();
    let now = Clock::default().now().0;
    let web_token = jwt::sign(app_key(), &json!({ "iss": "Iv23helper", "iat": now - 30, "exp": now + 300 }));
    let get = |path: &str, header: &str| server.request(&format!("GET {path} HTTP/1.1\r\n{header}"), "").status();
    for token in TOKENS {
        let basic = STANDARD.encode(format!("x-access-token:{token}"));
        assert_eq!(get("/repos/octo-org/hello", &format!("authorization: Bearer {token}")), 200);
        assert_eq!(get("/repos/octo-org/hello", &format!("authorization: token {token}")), 200);
        assert_eq!(get("/repos/octo-org/hello", &format!("authorization: Basic {basic}")), 200);
        assert_eq!(get("/meta", &format!("authorization: Bearer {token}-changed")), 401);
        assert_eq!(get(&format!("/meta?access_token={token}"), "x: y"), 400);
        assert_eq!(get(&format!("/meta?token={token}&page={token}"), "x: y"), 200);
        assert_eq!(get(&format!("/users/{token}"), &format!("x-request-id: {token}")), 404);
        get("/meta", &format!("x-service-api-version: {token}"));
        get("/meta", &format!("accept: {token}"));
        secrets.push(basic);
    }
    let post = |token: &str, path: &str, body: &str| {
        server.request(&format!("POST {path} HTTP/1.1\r\nauthorization: Bearer {token}"), body)
    };
    let reply = post(&web_token, "/app/installations/1/access_tokens", "{}");
    assert_eq!(reply.status(), 201, "{reply:?}");
    let made: Value = serde_json::from_str(reply.body()).expect("a token");
    let made = made["token"].as_str().expect("a token").to_owned();
    assert_eq!(post(&format!("{web_token}x"), "/app/installations/1/access_tokens", "{}").status(), 401);
    assert_eq!(post(TOKENS[0], "/user/repos", &format!("{{\"name\":\"{}\"", TOKENS[0])).status(), 400);
    assert_eq!(
        server.request(&format!("DELETE /installation/token HTTP/1.1\r\nauthorization: Bearer {made}"), "").status(),
        204
    );
    secrets.extend([made, web_token, app_key().lines().nth(1).expect("a line of the key").to_owned()]);
    secrets
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be read").flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path)),
            path => found.push((path.display().to_string(), std::fs::read(&path).unwrap_or_default())),
        }
    }
    found
}

#[test]
fn no_log_and_no_file_holds_a_secret() {
    for format in ["text", "json"] {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::write(folder.path().join("state.yaml"), STATE).expect("the folder takes a file");
        std::fs::write(folder.path().join("helper.pem"), app_key()).expect("the folder takes a file");
        let mut server = Server::start(folder.path(), &["--log", "trace", "--log-format", format]);
        let secrets = use_everything(&server);
        server.signal(Signal::TERM);
        assert_eq!(server.wait(), Some(0));
        let log = server.log();
        assert!(log.contains("responded"), "the log is at its most talkative: {log:.500}");
        let data = files(&folder.path().join("data"));
        assert!(
            data.iter().any(|(name, _)| name.ends_with("plinth.db")),
            "{:?}",
            data.iter().map(|(name, _)| name).collect::<Vec<_>>()
        );
        for secret in &secrets {
            assert!(!log.contains(secret.as_str()), "the log holds {secret:.12}…");
            for (name, bytes) in &data {
                let holds = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
                assert!(!holds, "{name} holds {secret:.12}…");
            }
        }
        if format == "json" {
            assert!(log.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{log:.500}");
        }
    }
}
