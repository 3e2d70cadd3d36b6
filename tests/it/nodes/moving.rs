//! From one data directory to several servers, and back through a backup.

use std::process::Output;

use serde_json::{Value, json};

use super::{Nodes, ROCKET, clone, commit, get, git, json, push, remote, send, state_file};
use crate::process::Server;
use crate::process::owners::{plinth, succeed, text};
use crate::support::TestDatabase;
use crate::support::wait::wait_until;

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

pub fn responses(server: &Server) -> Vec<String> {
    let address = server.address.to_string();
    PATHS.iter().map(|path| get(server, path).to_string().replace(&address, "host")).collect()
}

/// Content of every kind: pushed objects, loose ones, and text that a copy could damage.
pub fn fill(server: &Server, nodes: &Nodes) {
    let work = clone(server, &nodes.of("filling"));
    commit(&work, "file", "pushed");
    push(&work, server);
    assert_eq!(send(server, "POST", &format!("{ROCKET}/git/blobs"), &json!({ "content": "loose" })).status(), 201);
    let issue = json!({ "title": "tab\t, back\\slash, line", "body": "ä\r\n\\N \\. \u{1f680}\n\ttab" });
    assert_eq!(send(server, "POST", &format!("{ROCKET}/issues"), &issue).status(), 201);
    let comment = send(server, "POST", &format!("{ROCKET}/issues/1/comments"), &json!({ "body": "\\x00 '\"" }));
    assert_eq!(comment.status(), 201, "{comment:?}");
}

/// A pull request with comments, a hook with a secret, and a release with a file. Returns paths to all of it.
fn fill_more(server: &Server) -> Vec<String> {
    let create = |path: &str, body: &Value| {
        let response = send(server, "POST", &format!("{ROCKET}/{path}"), body);
        assert!([200, 201].contains(&response.status()), "{path}: {response:?}");
        json(&response)
    };
    let pull = create("pulls", &json!({ "title": "Next", "head": "next", "base": "main", "body": "ü" }));
    let pull = format!("{ROCKET}/pulls/{}", pull["number"]);
    let head = get(server, &pull)["head"]["sha"].clone();
    let comment = json!({ "body": "**here**", "commit_id": head, "path": "a", "line": 1, "side": "RIGHT" });
    let comment = create(&format!("{}/comments", &pull[ROCKET.len() + 1..]), &comment);
    create("labels", &json!({ "name": "bug", "color": "ff0000" }));
    let config = json!({ "url": "http://127.0.0.1:1/hook", "secret": "secret", "content_type": "json" });
    create("hooks", &json!({ "config": config, "events": ["push"] }));
    let release = create("releases", &json!({ "tag_name": "v1", "name": "One" }))["id"].clone();
    let upload = format!(
        "POST {ROCKET}/releases/{release}/assets?name=tool.bin HTTP/1.1\r\nauthorization: Bearer ghp_monamona\r\n\
         content-type: application/octet-stream"
    );
    let asset = server.request(&upload, &"0123456789".repeat(100_000));
    assert_eq!(asset.status(), 201, "{asset:?}");
    wait_until("the merge is computed", || !get(server, &pull)["mergeable"].is_null());
    let below = ["files", "commits", "comments", "reviews"].map(|part| format!("{pull}/{part}"));
    let mut paths = vec![
        ROCKET.to_owned(),
        pull,
        format!("{ROCKET}/pulls/comments/{}", comment["id"]),
        format!("{ROCKET}/labels"),
        format!("{ROCKET}/hooks"),
        format!("{ROCKET}/releases"),
        "/mona/rocket/releases/download/v1/tool.bin".to_owned(),
        format!("{ROCKET}/branches"),
        format!("{ROCKET}/tags"),
        format!("{ROCKET}/languages"),
        format!("{ROCKET}/git/trees/main?recursive=1"),
        "/notifications".to_owned(),
        "/users/mona".to_owned(),
    ];
    paths.extend(below);
    paths
}

pub fn serve_alone(nodes: &Nodes, name: &str, database: &[&str]) -> Server {
    let directory = nodes.of(name);
    std::fs::create_dir_all(&directory).expect("a directory can be created");
    std::fs::write(directory.join("state.yaml"), state_file().to_string()).expect("the file can be written");
    Server::start(&directory, database)
}

fn move_from(nodes: &Nodes, name: &str) -> Output {
    move_with(nodes, name, &[])
}

/// Moves the store of a server that ran alone, with more options.
pub fn move_with(nodes: &Nodes, name: &str, options: &[&str]) -> Output {
    let mut program = std::process::Command::new(crate::process::program_path());
    program.envs(nodes.storage.environment()).arg("move").args(options).arg("--from").arg(nodes.of(name).join("data"));
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

/// Every object of the rocket, through a clone.
fn objects(server: &Server, nodes: &Nodes, name: &str) -> String {
    let directory = nodes.of(name).display().to_string();
    git(nodes.path(), &["clone", "--quiet", "--mirror", &remote(server), &directory]);
    git(&nodes.of(name), &["fsck", "--strict"]);
    git(&nodes.of(name), &["rev-list", "--objects", "--all"])
}

fn move_back(nodes: &Nodes, name: &str) -> Output {
    let mut program = std::process::Command::new(crate::process::program_path());
    program.envs(nodes.storage.environment()).args(["move", "--progress", "--to"]).arg(nodes.of(name).join("data"));
    program.args(["--database", &nodes.database_url(), "--objects", &nodes.storage.url()]);
    program.output().expect("the program starts")
}

#[test]
fn store_that_is_moved_and_moved_back_is_equal() {
    let Some(nodes) = Nodes::new() else { return };
    let alone = serve_alone(&nodes, "alone", &[]);
    fill(&alone, &nodes);
    let extra = fill_more(&alone);
    let paths: Vec<&str> = PATHS.iter().copied().chain(extra.iter().map(String::as_str)).collect();
    let bodies = |server: &Server| -> Vec<(String, String)> {
        let body = |path: &&str| {
            let response = server.get(path);
            assert_eq!(response.status(), 200, "{path}: {response:?}");
            ((*path).to_owned(), response.body().to_owned())
        };
        paths.iter().map(body).collect()
    };
    let (before, objects_before) = (bodies(&alone), objects(&alone, &nodes, "of-alone"));
    drop(alone);
    let moved = succeed(move_from(&nodes, "alone"));
    assert!(moved.contains("verified: healthy: 1 repositories, "), "{moved}");
    let a = nodes.start("a");
    assert_eq!(bodies(&a), before);
    assert_eq!(objects(&a, &nodes, "of-a"), objects_before);
    let in_use = move_back(&nodes, "back");
    assert!(!in_use.status.success() && text(&in_use).contains("in use by"), "{}", text(&in_use));
    drop(a);
    // Interrupted: one pack is there, another one is damaged, and the rows are of an earlier attempt.
    let unfinished = nodes.of("back").join("data.unfinished");
    let packs = unfinished.join("repositories/01/1.git/objects/pack");
    std::fs::create_dir_all(&packs).expect("directories can be created");
    let copies = nodes.copies("a");
    for copy in &copies {
        for extension in ["pack", "idx"] {
            let file = copy.with_extension(extension);
            let name = file.file_name().expect("a name").to_owned();
            std::fs::copy(&file, packs.join(name)).expect("it can be copied");
        }
    }
    let damaged = packs.join(copies[0].file_name().expect("a name"));
    std::fs::set_permissions(&damaged, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("it is ours");
    std::fs::write(&damaged, "damaged").expect("it can be written");
    std::fs::write(unfinished.join("plinth.db"), "of an earlier attempt").expect("it can be written");
    let back = move_back(&nodes, "back");
    let printed = text(&back);
    assert!(back.status.success(), "{printed}");
    let expected = format!("copied 1 packs of 1 repositories, and {} before", copies.len() - 1);
    for part in [expected.as_str(), "verified: healthy: 1 repositories, ", "MiB"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let back = serve_alone(&nodes, "back", &[]);
    assert_eq!(bodies(&back), before);
    assert_eq!(objects(&back, &nodes, "of-back"), objects_before);
    // New ids do not collide, and secrets can be opened.
    assert_eq!(send(&back, "POST", &format!("{ROCKET}/issues"), &json!({ "title": "next" })).status(), 201);
    drop(back);
    let data = nodes.of("back").join("data");
    for command in ["check", "verify"] {
        succeed(plinth(&data, None, &[command]));
    }
    let again = move_back(&nodes, "back");
    assert!(!again.status.success() && text(&again).contains("exists already"), "{}", text(&again));
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
