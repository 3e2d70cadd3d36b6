//! The commands for apps, installations and device approval.

use std::io::IsTerminal;
use std::sync::LazyLock;

use clap::Parser;
use serde_json::json;

use crate::support::fixtures::octo_org;
use crate::support::{Service, jwt};
use plinth::commands::app::AppCommand;
use plinth::commands::device::DeviceCommand;
use plinth::commands::installation::InstallationCommand;
use plinth_base::error::Error;

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona"]).repo("octo-org/hello", "").repo("octo-org/secret", "private: true").to_string()
});

#[derive(Parser)]
enum Line {
    #[command(subcommand)]
    App(AppCommand),
    #[command(subcommand)]
    Installation(InstallationCommand),
    #[command(subcommand)]
    Device(DeviceCommand),
}

async fn try_run(service: &Service, line: &[&str]) -> Result<String, String> {
    let words = std::iter::once("plinth").chain(line.iter().copied());
    let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
    let (store, clock) = (&service.store, &service.app.clock);
    let mut out: Vec<u8> = Vec::new();
    let done: Result<(), Error> = match line {
        Line::App(command) => command.run(store, &service.app.secrets_key, clock, &mut out).await,
        Line::Installation(command) => command.run(store, clock, &mut out).await,
        Line::Device(command) => command.run(store, clock, &mut out).await,
    };
    done.map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).expect("output is text"))
}

async fn run(service: &Service, line: &[&str]) -> String {
    try_run(service, line).await.unwrap_or_else(|error| panic!("{line:?}: {error}"))
}

fn key_in(output: &str) -> String {
    let start = output.find("-----BEGIN PRIVATE KEY-----").expect("a key was printed");
    output[start..].to_owned()
}

#[tokio::test]
async fn created_app_can_be_installed_and_authenticates() {
    let service = Service::with(&STATE).await;
    let line =
        ["app", "create", "helper", "--owner", "octo-org", "--permissions", "contents=write", "--client-id", "Iv1.x"];
    let made = run(&service, &line).await;
    assert!(made.starts_with("id            1\nclient id     Iv1.x\nclient secret "), "{made}");
    let key = key_in(&made);
    assert_eq!(
        run(&service, &["installation", "create", "helper", "octo-org", "--repositories", "secret"]).await,
        "1\n"
    );
    let listed = run(&service, &["installation", "list"]).await;
    assert_eq!(listed, "1\thelper\tocto-org\tselected\tactive\t{\"contents\":\"write\",\"metadata\":\"read\"}\n");
    let app = service.with_token(&jwt::sign(&key, &jwt::claims("Iv1.x")));
    let token = app.post("/app/installations/1/access_tokens", json!({})).await.expect(201).json();
    let client = service.with_token(token["token"].as_str().expect("a token"));
    client.get("/repos/octo-org/secret").await.expect(200);

    run(&service, &["installation", "suspend", "1"]).await;
    client.get("/repos/octo-org/secret").await.expect(403);
    assert!(run(&service, &["installation", "list"]).await.contains("\tsuspended\t"));
    run(&service, &["installation", "unsuspend", "1"]).await;
    client.get("/repos/octo-org/secret").await.expect(200);
    run(&service, &["installation", "delete", "1"]).await;
    client.get("/repos/octo-org/secret").await.expect(401);
    assert_eq!(
        run(&service, &["app", "list"]).await,
        "1\tapp\thelper\tIv1.x\t{\"contents\":\"write\",\"metadata\":\"read\"}\n"
    );
}

/// Both keys are valid until the old one is removed, so that the app always has one.
#[tokio::test]
async fn added_key_works_while_old_key_is_valid() {
    let service = Service::with(&STATE).await;
    let old = key_in(&run(&service, &["app", "create", "helper", "--owner", "octo-org"]).await);
    let new = key_in(&run(&service, &["app", "key", "add", "helper"]).await);
    let status = async |pem: &str| service.with_token(&jwt::sign(pem, &jwt::claims(1))).get("/app").await;
    assert_eq!((status(&old).await.status, status(&new).await.status), (200, 200));
    let keys = run(&service, &["app", "key", "list", "helper"]).await;
    let fingerprints: Vec<&str> = keys.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(fingerprints.len(), 2);
    run(&service, &["app", "key", "remove", "helper", fingerprints[0]]).await;
    let rejected = status(&old).await.expect(401);
    assert_eq!(rejected.message(), "A JSON web token could not be decoded");
    status(&new).await.expect(200);
    let last = try_run(&service, &["app", "key", "remove", "helper", fingerprints[1]]).await;
    assert_eq!(last, Err("it is the only key of the app: add another one first".into()));
    let unknown = try_run(&service, &["app", "key", "remove", "helper", "SHA256:x"]).await;
    assert_eq!(unknown, Err("helper has no key SHA256:x".into()));
}

#[tokio::test]
async fn key_rotation_leaves_one_key() {
    let service = Service::with(&STATE).await;
    let file = service.directory().join("new.pem");
    let old = key_in(&run(&service, &["app", "create", "helper", "--owner", "octo-org"]).await);
    let path = file.to_str().expect("a path is text");
    let rotated = run(&service, &["app", "rotate", "helper", "--private-key", path]).await;
    assert!(rotated.contains(path) && !rotated.contains("BEGIN"), "{rotated}");
    let new = std::fs::read_to_string(&file).expect("the key was written");
    let get = async |pem: &str| service.with_token(&jwt::sign(pem, &jwt::claims(1))).get("/app").await;
    assert_eq!(get(&old).await.expect(401).message(), "A JSON web token could not be decoded");
    get(&new).await.expect(200);
    // An existing file is not overwritten, and no key is added whose private half is lost.
    try_run(&service, &["app", "rotate", "helper", "--private-key", path]).await.expect_err("the file exists");
    get(&new).await.expect(200);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).expect("it is there").permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn imported_key_is_accepted_in_both_pem_formats() {
    let service = Service::with(&STATE).await;
    run(&service, &["app", "create", "helper", "--owner", "octo-org"]).await;
    let own = plinth_core::apps::generate_key();
    let file = service.directory().join("own.pem");
    let path = file.to_str().expect("a path is text");
    std::fs::write(&file, &own.private_pem).expect("a file can be written");
    run(&service, &["app", "key", "add", "helper", "--public-key", path]).await;
    service.with_token(&jwt::sign(&own.private_pem, &jwt::claims(1))).get("/app").await.expect(200);
    // A key of 1024 bits, generated for this test.
    const SHORT: &str = "-----BEGIN PUBLIC KEY-----\n\
                         MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC7Xij2P8ouqTgbaLMrGX3yOwYV\n\
                         tWJA7ul8oxN76tFXvxCZwal+KQ+/ldIthSS+B9+oEXC0V7w6aE0HlPIGINhVaA4v\n\
                         HbLfkH6C6/n92fHcPzmMY96+GmkeQl5rAdKKcIjbor+vTvxCoX88KlY5cJig8j9f\n\
                         kYzSNKZhkvWOb0BG6wIDAQAB\n\
                         -----END PUBLIC KEY-----\n";
    std::fs::write(&file, SHORT).expect("a file can be written");
    let rejected = try_run(&service, &["app", "key", "add", "helper", "--public-key", path]).await;
    assert_eq!(rejected, Err(format!("{path}: it has fewer than 2048 bits")));
    std::fs::write(&file, "hello").expect("a file can be written");
    let rejected = try_run(&service, &["app", "key", "add", "helper", "--public-key", path]).await;
    assert_eq!(rejected, Err(format!("{path}: it is not a PEM text")));
}

#[tokio::test]
async fn operator_approves_device_on_command_line() {
    let service = Service::with(&STATE).await;
    let made =
        run(&service, &["app", "create", "gh", "--owner", "mona", "--oauth", "--client-id", "178c6fc778ccc68e1d6a"])
            .await;
    assert!(!made.contains("KEY"), "{made}");
    let device = service.anonymous().header("accept", "application/json");
    let begin = json!({ "client_id": "178c6fc778ccc68e1d6a", "scope": "repo" });
    let begun = device.post("/login/device/code", begin).await.expect(200).json();
    let user_code = begun["user_code"].as_str().expect("a code");
    let shown = run(&service, &["device", "show", user_code, "--user", "mona"]).await;
    for text in ["app      gh (gh), OAuth app of mona", "rights   scopes repo", "account  mona", "expires  2026-"] {
        assert!(shown.contains(text), "{text} in {shown}");
    }
    if !std::io::stdin().is_terminal() {
        let unasked = try_run(&service, &["device", "approve", user_code, "--user", "mona"]).await;
        assert_eq!(unasked, Err("nobody can be asked here; add --yes to approve what is shown".into()));
    }
    let approved = run(&service, &["device", "approve", user_code, "--user", "mona", "--yes"]).await;
    assert_eq!(approved, format!("{shown}approved {user_code}\n"));
    let again = try_run(&service, &["device", "approve", user_code, "--user", "mona", "--yes"]).await;
    assert_eq!(again, Err(format!("no device waits with the code {user_code:?}")));
    let grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    let ask =
        json!({ "client_id": "178c6fc778ccc68e1d6a", "device_code": begun["device_code"], "grant_type": grant_type });
    let granted = device.post("/login/oauth/access_token", ask).await.expect(200).json();
    assert!(granted["access_token"].as_str().expect("a token").starts_with("gho_"));
}

#[tokio::test]
async fn app_commands_report_mistakes() {
    let service = Service::with(&STATE).await;
    run(&service, &["app", "create", "helper", "--owner", "octo-org", "--permissions", "contents=read"]).await;
    run(&service, &["app", "create", "cli", "--owner", "octo-org", "--oauth"]).await;
    for (line, text) in [
        (&["app", "create", "x", "--owner", "nobody"][..], "there is no account \"nobody\""),
        (&["app", "create", "a b", "--owner", "mona"], "\"a b\" is no slug"),
        (&["app", "create", "y", "--owner", "mona", "--client-id", "12"], "\"12\" is no client id"),
        (
            &["app", "create", "z", "--owner", "mona", "--permissions", "Contents=read"],
            "is not the name of a permission",
        ),
        (
            &["app", "create", "z", "--owner", "mona", "--permissions", "contents=all"],
            "a level is read, write or admin",
        ),
        (&["app", "key", "add", "absent"], "there is no app \"absent\""),
        (&["app", "key", "add", "cli"], "an OAuth app has no keys"),
        (&["app", "create", "helper", "--owner", "mona"], "already exists"),
        (&["installation", "create", "cli", "octo-org"], "there is no app \"cli\" that can be installed"),
        (
            &["installation", "create", "helper", "octo-org", "--permissions", "contents=write"],
            "at most the permissions",
        ),
        (&["installation", "create", "helper", "octo-org", "--repositories", "absent"], "has no repository \"absent\""),
        (&["installation", "suspend", "9"], "there is no installation 9"),
        (&["installation", "delete", "9"], "there is no installation 9"),
        (&["device", "approve", "AAAA-BBBB", "--user", "nobody"], "there is no user \"nobody\""),
    ] {
        let error = try_run(&service, line).await.expect_err("a mistake");
        assert!(error.contains(text), "{line:?}: {error}");
    }
    assert_eq!(run(&service, &["installation", "list"]).await, "");
}

/// Only public keys and hashes are stored.
#[tokio::test]
async fn new_client_secret_replaces_old_one() {
    let service = Service::with(&STATE).await;
    let made = run(&service, &["app", "create", "helper", "--owner", "octo-org", "--client-id", "Iv1.x"]).await;
    let old = made.lines().find_map(|line| line.strip_prefix("client secret ")).expect("a secret").to_owned();
    let new = run(&service, &["app", "secret", "helper"]).await.trim().to_owned();
    let device = service.anonymous().header("accept", "application/json");
    let begun = device.post("/login/device/code", json!({ "client_id": "Iv1.x" })).await.expect(200).json();
    let grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    for (secret, error) in [(old, "incorrect_client_credentials"), (new, "authorization_pending")] {
        let ask = json!({ "client_id": "Iv1.x", "client_secret": secret, "device_code": begun["device_code"], "grant_type": grant_type });
        let response = device.post("/login/oauth/access_token", ask).await.expect(200).json();
        assert_eq!(response["error"], error);
    }
}
