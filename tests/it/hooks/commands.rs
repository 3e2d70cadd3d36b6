//! The command `plinth hook`, and `plinth app create --webhook-url`.

use clap::Parser;
use plinth::commands::app::AppCommand;
use plinth::commands::hook::HookCommand;
use serde_json::json;

use super::deliveries::deliver;
use super::{REPO_HOOKS, STATE, admin, events};
use crate::support::Service;

#[derive(Parser)]
enum Line {
    #[command(subcommand)]
    Hook(HookCommand),
    #[command(subcommand)]
    App(AppCommand),
}

async fn try_run(service: &Service, line: &[&str]) -> Result<String, String> {
    let words = std::iter::once("plinth").chain(line.iter().copied());
    let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
    let (store, keys, clock) = (&service.store, &service.app.secrets_key, &service.app.clock);
    let mut out: Vec<u8> = Vec::new();
    let done = match line {
        Line::Hook(command) => command.run(store, keys, clock, &mut out).await,
        Line::App(command) => command.run(store, keys, clock, &mut out).await,
    };
    done.map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).expect("output is text"))
}

async fn run(service: &Service, line: &[&str]) -> String {
    try_run(service, line).await.unwrap_or_else(|error| panic!("{line:?}: {error}"))
}

#[tokio::test]
async fn hook_is_created_listed_and_deleted() {
    let service = Service::with(&STATE).await;
    let file = service.directory().join("secret");
    std::fs::write(&file, "from a file\n").expect("the file can be written");
    let file = file.display().to_string();
    let line = [
        "hook",
        "create",
        "--repo",
        "octo-org/hello",
        "--url",
        "http://example.com/a",
        "--events",
        "push,delete",
        "--content-type",
        "json",
        "--secret-file",
        &file,
    ];
    assert_eq!(run(&service, &line).await, "created hook 1\n");
    let config = admin(&service).get(&format!("{REPO_HOOKS}/1/config")).await.expect(200).json();
    assert_eq!(
        config,
        json!({ "content_type": "json", "insecure_ssl": "0", "secret": "********", "url": "http://example.com/a" })
    );
    run(&service, &["hook", "create", "--org", "octo-org", "--url", "http://example.com/b", "--inactive"]).await;
    assert_eq!(
        run(&service, &["hook", "list"]).await,
        "1\trepo octo-org/hello\tactive\tpush,delete\thttp://example.com/a\n\
         2\torg octo-org\tinactive\tpush\thttp://example.com/b\n"
    );
    assert!(run(&service, &["hook", "list", "--org", "octo-org"]).await.starts_with("2\t"));
    assert_eq!(events(&service).await.len(), 2, "both were pinged");
    deliver(&service, 1, "pull_request", Some(200)).await;
    assert_eq!(
        run(&service, &["hook", "deliveries", "1"]).await,
        "1\t2026-02-25T06:13:20Z\tpull_request.opened\t200\tOK\t0b989ba4-242f-11e5-81e1-c7b6966d2516\n"
    );
    assert_eq!(run(&service, &["hook", "redeliver", "1", "1"]).await, "delivery 1 will be sent again\n");
    assert_eq!(run(&service, &["hook", "delete", "1"]).await, "deleted hook 1\n");
    assert_eq!(admin(&service).get(REPO_HOOKS).await.expect(200).json(), json!([]));
}

#[tokio::test]
async fn hook_commands_explain_what_is_wrong() {
    let service = Service::with(&STATE).await;
    for (line, expected) in [
        (&["hook", "create", "--url", "http://example.com"][..], "required"),
        (&["hook", "create", "--repo", "octo-org/none", "--url", "http://example.com"], "there is no repository"),
        (&["hook", "create", "--org", "octo-org", "--url", "nowhere"], "The URL you've entered is not valid"),
        (&["hook", "create", "--app", "none", "--url", "http://example.com"], "there is no app"),
        (&["hook", "delete", "9"], "there is no hook 9"),
        (&["hook", "deliveries", "9"], "there is no hook 9"),
        (&["hook", "redeliver", "9", "1"], "hook 9 has no delivery 1"),
    ] {
        let error = try_run(&service, line).await.expect_err("it fails");
        assert!(error.contains(expected), "{line:?}: {error}");
    }
}

#[tokio::test]
async fn app_is_created_with_its_hook() {
    let service = Service::with(&STATE).await;
    let line = ["app", "create", "helper", "--owner", "octo-org", "--webhook-url", "http://example.com/app"];
    run(&service, &line).await;
    assert_eq!(
        run(&service, &["hook", "list", "--app", "helper"]).await,
        "1\tapp helper\tactive\t\thttp://example.com/app\n"
    );
    let error = try_run(&service, &["app", "create", "b", "--owner", "octo-org", "--webhook-url", "x"]).await;
    assert!(error.expect_err("the URL is not valid").contains("URL"));
    let again = ["hook", "create", "--app", "helper", "--url", "http://example.com/2"];
    assert!(try_run(&service, &again).await.expect_err("it has one").contains("has a hook already"));
}
