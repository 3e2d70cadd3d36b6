//! No log message and no file contains a secret, at any log level.

use std::path::Path;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::Server;
use crate::support::fixtures::octo_org;
use crate::support::{app_key, jwt};
use plinth_base::clock::Clock;

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona"])
        .repo("octo-org/hello", "private: true")
        .helper("contents: read")
        .installation("helper", "octo-org", "all")
        .classic("mona", "repo", "ghp_secretclassic")
        .oauth("mona", "repo", "gho_secretoauth")
        .fine_grained("mona", "octo-org", "contents: read", "github_pat_secretfine")
        .app_user("mona", "helper", "ghu_secretappuser")
        .installation_token("helper", "octo-org", "ghs_secretinstallation")
        .to_string()
});
const TOKENS: [&str; 5] =
    ["ghp_secretclassic", "gho_secretoauth", "github_pat_secretfine", "ghu_secretappuser", "ghs_secretinstallation"];

/// Uses every kind of secret, valid and invalid, in every position, and returns all of them.
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
    let response = post(&web_token, "/app/installations/1/access_tokens", "{}");
    assert_eq!(response.status(), 201, "{response:?}");
    let made: Value = serde_json::from_str(response.body()).expect("a token");
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

fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("the directory can be read").flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path)),
            path => found.push((path.display().to_string(), std::fs::read(&path).unwrap_or_default())),
        }
    }
    found
}

#[test]
fn logs_and_files_contain_no_secret() {
    for format in ["text", "json"] {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        std::fs::write(directory.path().join("state.yaml"), &*STATE).expect("the file can be written");
        std::fs::write(directory.path().join("helper.pem"), app_key()).expect("the file can be written");
        let mut server = Server::start(directory.path(), &["--log", "trace", "--log-format", format]);
        let secrets = use_everything(&server);
        server.signal(Signal::TERM);
        assert_eq!(server.wait(), Some(0));
        let log = server.log();
        assert!(log.contains("responded"), "the log is at its most talkative: {log:.500}");
        let data = files(&directory.path().join("data"));
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
