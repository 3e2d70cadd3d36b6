//! From one data directory to several servers, and back through a backup.

use std::process::Output;

use serde_json::json;

use super::{Nodes, ROCKET, clone, commit, get, git, push, send, state_file};
use crate::process::Server;
use crate::process::owners::{plinth, succeed, text};
use crate::support::TestDatabase;

/// Responses that must be equal before and after.
const PATHS: [&str; 7] = [
    "/user",
    "/user/repos",
    "/repos/mona/rocket/commits?sha=main",
    "/repos/mona/rocket/contents/file",
    "/repos/mona/rocket/issues?state=all",
    "/repos/mona/rocket/issues/1/comments",
    "/repos/mona/rocket/git/matching-refs/heads",
];

fn responses(server: &Server) -> Vec<String> {
    let address = server.address.to_string();
    PATHS.iter().map(|path| get(server, path).to_string().replace(&address, "host")).collect()
}

/// Content of every kind: pushed objects, loose ones, and text that a copy could damage.
fn fill(server: &Server, nodes: &Nodes) {
    let work = clone(server, &nodes.of("filling"));
    commit(&work, "file", "pushed");
    push(&work, server);
    assert_eq!(send(server, "POST", &format!("{ROCKET}/git/blobs"), &json!({ "content": "loose" })).status(), 201);
    let issue = json!({ "title": "tab\t, back\\slash, line", "body": "ä\r\n\\N \\. \u{1f680}\n\ttab" });
    assert_eq!(send(server, "POST", &format!("{ROCKET}/issues"), &issue).status(), 201);
    let comment = send(server, "POST", &format!("{ROCKET}/issues/1/comments"), &json!({ "body": "\\x00 '\"" }));
    assert_eq!(comment.status(), 201, "{comment:?}");
}

fn serve_alone(nodes: &Nodes, name: &str, database: &[&str]) -> Server {
    let directory = nodes.of(name);
    std::fs::create_dir_all(&directory).expect("a directory can be created");
    std::fs::write(directory.join("state.yaml"), state_file().to_string()).expect("the file can be written");
    Server::start(&directory, database)
}

fn move_from(nodes: &Nodes, name: &str) -> Output {
    let mut program = std::process::Command::new(crate::process::program_path());
    program.envs(nodes.storage.environment()).args(["move", "--from"]).arg(nodes.of(name).join("data"));
    program.args(["--database", &nodes.database_url(), "--objects", &nodes.storage.url()]);
    program.output().expect("the program starts")
}

#[test]
fn embedded_store_is_moved_with_everything_in_it() {
    let Some(nodes) = Nodes::new() else { return };
    let alone = serve_alone(&nodes, "alone", &[]);
    fill(&alone, &nodes);
    let before = responses(&alone);
    let in_use = move_from(&nodes, "alone");
    assert!(!in_use.status.success() && text(&in_use).contains("in use by"), "{}", text(&in_use));
    drop(alone);
    let moved = succeed(move_from(&nodes, "alone"));
    assert!(moved.contains("copied") && moved.contains("moved"), "{moved}");
    let (a, b) = (nodes.start("a"), nodes.start("b"));
    assert_eq!(responses(&a), before);
    assert_eq!(responses(&b), before);
    git(&clone(&b, &nodes.of("copy")), &["fsck", "--strict"]);
    // New ids do not collide with copied ones.
    assert_eq!(send(&b, "POST", &format!("{ROCKET}/issues"), &json!({ "title": "next" })).status(), 201);
    let again = move_from(&nodes, "alone");
    assert!(!again.status.success(), "{}", text(&again));
    succeed(nodes.run("a", &["check"]));
}

#[test]
fn backup_of_several_servers_is_restored_for_one() {
    let Some(nodes) = Nodes::new() else { return };
    let (a, b) = (nodes.start("a"), nodes.start("b"));
    fill(&a, &nodes);
    let before = responses(&b);
    let backup = nodes.of("backup").display().to_string();
    succeed(nodes.run("anywhere", &["backup", &backup]));
    succeed(plinth(&nodes.of("none"), None, &["verify", "--backup", &backup]));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let database = runtime.block_on(TestDatabase::create());
    let url = database.url().expect("it is PostgreSQL");
    succeed(plinth(&nodes.of("restored").join("data"), Some(&url), &["restore", &backup]));
    let restored = serve_alone(&nodes, "restored", &["--database", &url]);
    assert_eq!(responses(&restored), before);
    git(&clone(&restored, &nodes.of("copy")), &["fsck", "--strict"]);
    drop(restored);
    succeed(plinth(&nodes.of("restored").join("data"), Some(&url), &["verify"]));
}

#[test]
fn check_and_verify_find_packs_that_the_storage_lacks() {
    let Some(mut nodes) = Nodes::new() else { return };
    let a = nodes.start("a");
    fill(&a, &nodes);
    succeed(nodes.run("checking", &["check"]));
    succeed(nodes.run("checking", &["verify"]));
    std::fs::remove_dir_all(nodes.of("checking")).expect("it has copies");
    let file = nodes.storage.packs().into_iter().find(|path| path.extension().is_some_and(|end| end == "pack"));
    std::fs::remove_file(file.expect("there are packs")).expect("it can be removed");
    nodes.storage.restart();
    for command in ["check", "verify"] {
        let found = nodes.run("checking", &[command]);
        assert_eq!(found.status.code(), Some(1), "{}", text(&found));
    }
}
