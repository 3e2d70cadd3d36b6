//! What one server acknowledges, every other one returns at once.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;

use super::{Nodes, ROCKET, clone, commit, get, git, json, push, send, tip};
use crate::process::owners::succeed;

#[test]
fn push_to_one_server_is_cloned_from_another() {
    let Some(nodes) = Nodes::new() else { return };
    let (a, b) = (nodes.start("a"), nodes.start("b"));
    let work = clone(&a, &nodes.of("work"));
    let pushed = commit(&work, "file", "one");
    push(&work, &a);
    assert_eq!(tip(&b, "main"), pushed);
    let file = get(&b, &format!("{ROCKET}/contents/file"));
    assert_eq!(file["size"], 3, "{file}");
    let copy = clone(&b, &nodes.of("copy"));
    assert_eq!(git(&copy, &["rev-parse", "HEAD"]), pushed);
    git(&copy, &["fsck", "--strict"]);
    // And back.
    let second = commit(&copy, "file", "two");
    push(&copy, &b);
    git(&work, &["pull", "--quiet", &super::remote(&a), "main"]);
    assert_eq!(git(&work, &["rev-parse", "HEAD"]), second);
}

#[test]
fn objects_of_the_api_are_on_every_server() {
    let Some(nodes) = Nodes::new() else { return };
    let (a, b) = (nodes.start("a"), nodes.start("b"));
    let blob = json(&send(&a, "POST", &format!("{ROCKET}/git/blobs"), &json!({ "content": "loose" })));
    let blob = blob["sha"].as_str().expect("a name").to_owned();
    assert_eq!(get(&b, &format!("{ROCKET}/git/blobs/{blob}"))["size"], 5);
    let tree = json!({ "tree": [{ "path": "x", "mode": "100644", "type": "blob", "sha": blob }] });
    let tree = json(&send(&b, "POST", &format!("{ROCKET}/git/trees"), &tree));
    let commit = json!({ "message": "m", "tree": tree["sha"], "parents": [tip(&a, "main")] });
    let commit = json(&send(&a, "POST", &format!("{ROCKET}/git/commits"), &commit));
    let moved = send(&b, "PATCH", &format!("{ROCKET}/git/refs/heads/main"), &json!({ "sha": commit["sha"] }));
    assert_eq!(moved.status(), 200, "{moved:?}");
    // Git moves the objects into a pack on one server, and the other one finds them there.
    let copy = clone(&b, &nodes.of("copy"));
    assert_eq!(std::fs::read_to_string(copy.join("x")).expect("the file is there"), "loose");
    assert_eq!(get(&a, &format!("{ROCKET}/git/blobs/{blob}"))["size"], 5);
    git(&clone(&a, &nodes.of("other")), &["fsck", "--strict"]);
}

#[test]
fn nothing_is_missing_without_the_server_that_took_it() {
    let Some(nodes) = Nodes::new() else { return };
    let (mut a, b) = (nodes.start("a"), nodes.start("b"));
    let work = clone(&a, &nodes.of("work"));
    let pushed = commit(&work, "file", "one");
    push(&work, &a);
    a.signal(rustix::process::Signal::KILL);
    a.wait();
    std::fs::remove_dir_all(nodes.of("a")).expect("the disk can be removed");
    let c = nodes.start("c");
    for (server, name) in [(&b, "from-b"), (&c, "from-c")] {
        let copy = clone(server, &nodes.of(name));
        assert_eq!(git(&copy, &["rev-parse", "HEAD"]), pushed);
        git(&copy, &["fsck", "--strict"]);
    }
}

#[test]
fn write_on_one_server_is_seen_by_the_next_request_to_another() {
    let Some(nodes) = Nodes::new() else { return };
    let servers = [nodes.start("a"), nodes.start("b")];
    let main = tip(&servers[0], "main");
    for round in 0..20 {
        let (writer, reader) = (&servers[round % 2], &servers[(round + 1) % 2]);
        let name = format!("refs/heads/branch-{round}");
        let made = send(writer, "POST", &format!("{ROCKET}/git/refs"), &json!({ "ref": name, "sha": main }));
        assert_eq!(made.status(), 201, "{made:?}");
        assert_eq!(tip(reader, &format!("branch-{round}")), main);
        let issue = json(&send(writer, "POST", &format!("{ROCKET}/issues"), &json!({ "title": name })));
        let issue = format!("{ROCKET}/issues/{}", issue["number"]);
        assert_eq!(get(reader, &issue)["title"], name.as_str());
        assert_eq!(send(reader, "PATCH", &issue, &json!({ "state": "closed" })).status(), 200);
        assert_eq!(get(writer, &issue)["state"], "closed");
        let private = json!({ "private": round % 2 == 0 });
        assert_eq!(send(writer, "PATCH", ROCKET, &private).status(), 200);
        let anonymous = reader.request(&format!("GET {ROCKET} HTTP/1.1"), "").status();
        assert_eq!(anonymous, if round % 2 == 0 { 404 } else { 200 });
        assert_eq!(send(writer, "DELETE", &format!("{ROCKET}/git/{name}"), &json!(null)).status(), 204);
        assert_eq!(reader.get(&format!("{ROCKET}/git/ref/heads/branch-{round}")).status(), 404);
    }
}

#[test]
fn secrets_of_hooks_are_sealed_with_one_key() {
    let Some(nodes) = Nodes::new() else { return };
    let servers = [nodes.start("a"), nodes.start("b")];
    for (index, server) in servers.iter().enumerate() {
        let config =
            json!({ "url": format!("http://127.0.0.1:1/{index}"), "secret": "of the API", "content_type": "json" });
        let made = send(server, "POST", &format!("{ROCKET}/hooks"), &json!({ "config": config, "events": ["push"] }));
        assert_eq!(made.status(), 201, "{made:?}");
    }
    let secret = nodes.of("secret").display().to_string();
    std::fs::write(&secret, "of a command").expect("it can be written");
    let words = ["hook", "create", "--repo", "mona/rocket", "--url", "http://127.0.0.1:1/c", "--secret-file", &secret];
    succeed(nodes.run("elsewhere", &words));
    let key = |name: &str| std::fs::read(nodes.of(name).join("data/secrets.key")).expect("every server has the key");
    assert_eq!((key("a"), key("a")), (key("b"), key("elsewhere")));
    // A command opens a secret that another one has sealed.
    succeed(nodes.run("b", &["check"]));
}

#[test]
fn writes_to_one_repository_through_several_servers_all_succeed() {
    let Some(nodes) = Nodes::new() else { return };
    let servers = [nodes.start("a"), nodes.start("b"), nodes.start("c")];
    let main = tip(&servers[0], "main");
    let created = AtomicU32::new(0);
    std::thread::scope(|threads| {
        for client in 0..24 {
            let (server, main, created) = (&servers[client % 3], &main, &created);
            threads.spawn(move || {
                for number in 0..8 {
                    let body = json!({ "ref": format!("refs/heads/{client}-{number}"), "sha": main });
                    let made = send(server, "POST", &format!("{ROCKET}/git/refs"), &body);
                    assert_eq!(made.status(), 201, "{made:?}");
                    created.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(created.into_inner(), 24 * 8);
}

#[test]
fn file_of_a_release_is_on_every_server() {
    let Some(nodes) = Nodes::new() else { return };
    let (mut a, b) = (nodes.start("a"), nodes.start("b"));
    let release = json(&send(&a, "POST", &format!("{ROCKET}/releases"), &json!({ "tag_name": "v1" })));
    let content = "0123456789".repeat(100_000);
    let upload = format!(
        "POST {ROCKET}/releases/{}/assets?name=tool.bin HTTP/1.1\r\nauthorization: Bearer ghp_monamona\r\n\
         content-type: application/octet-stream",
        release["id"]
    );
    let asset = json(&a.request(&upload, &content));
    // The server that took it is gone, with its disk.
    a.signal(rustix::process::Signal::KILL);
    a.wait();
    std::fs::remove_dir_all(nodes.of("a")).expect("the disk can be removed");
    let c = nodes.start("c");
    for server in [&b, &c] {
        let downloaded = server.get("/mona/rocket/releases/download/v1/tool.bin");
        assert_eq!((downloaded.status(), downloaded.body()), (200, content.as_str()));
    }
    let path = format!("{ROCKET}/releases/assets/{}", asset["id"]);
    assert_eq!(send(&b, "DELETE", &path, &json!(null)).status(), 204);
    assert_eq!(c.get(&path).status(), 404);
    assert_eq!(c.get("/mona/rocket/releases/download/v1/tool.bin").status(), 404);
}
