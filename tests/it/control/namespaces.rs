//! Isolated instances in one process.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{BRANCH, REFS, TestServer, address_of, json_of, send_to};
use crate::process::wait_until;

#[test]
fn namespaces_have_the_initial_state_and_see_nothing_of_each_other() {
    let server = TestServer::start();
    server.create_branch();
    let (first, second) =
        (server.control("POST", "namespaces", json!({ "name": "a" })), server.control("POST", "namespaces", ""));
    assert_eq!(first["name"], "a");
    let sha = server.main_sha();
    let (first, second) = (address_of(&first["url"]), address_of(&second["url"]));
    for address in [first, second] {
        assert_eq!(send_to(address, ("GET", BRANCH, ""), "").status(), 404);
    }
    let body = json!({ "ref": "refs/heads/new", "sha": sha }).to_string();
    let created = send_to(first, ("POST", REFS, ""), &body);
    assert_eq!(created.status(), 201);
    // URLs in responses begin with the host that the client has used.
    let url = json_of(&created)["url"].as_str().map(str::to_owned).expect("a URL");
    assert!(url.starts_with("http://localhost/"), "{url}");
    assert_eq!(send_to(second, ("GET", BRANCH, ""), "").status(), 404);
    assert_eq!(send_to(server.address(), ("GET", BRANCH, "x-plinth-namespace: a\r\n"), "").status(), 200);
    assert_eq!(send_to(server.address(), ("GET", BRANCH, "x-plinth-namespace: none\r\n"), "").status(), 404);
    // Control of one does not affect the others.
    assert_eq!(send_to(first, ("POST", "/_plinth/reset", ""), "").status(), 204);
    assert_eq!([send_to(first, ("GET", BRANCH, ""), "").status(), server.get(BRANCH).status()], [404, 200]);
}

#[test]
fn namespace_starts_from_a_snapshot() {
    let server = TestServer::start();
    server.create_branch();
    server.control("POST", "snapshots", json!({ "name": "branch" }));
    let created = server.control("POST", "namespaces", json!({ "snapshot": "branch" }));
    assert_eq!(send_to(address_of(&created["url"]), ("GET", BRANCH, ""), "").status(), 200);
    let unknown = server.send("POST", "/_plinth/namespaces", json!({ "snapshot": "none" }));
    assert_eq!(unknown.status(), 404);
}

#[test]
fn namespaces_are_listed_and_deleted() {
    let server = TestServer::start();
    let created = server.control("POST", "namespaces", json!({ "name": "a" }));
    let names = |list: Value| -> Vec<String> {
        list.as_array().expect("a list").iter().map(|one| one["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(names(server.control("GET", "namespaces", "")), ["default", "a"]);
    for name in ["a", "default", "a b"] {
        assert_eq!(server.send("POST", "/_plinth/namespaces", json!({ "name": name })).status(), 422, "{name}");
    }
    server.control("DELETE", "namespaces/a", "");
    assert_eq!(names(server.control("GET", "namespaces", "")), ["default"]);
    assert_eq!(server.send("DELETE", "/_plinth/namespaces/a", "").status(), 404);
    assert_eq!(server.send("DELETE", "/_plinth/namespaces/default", "").status(), 422);
    assert!(std::net::TcpStream::connect(address_of(&created["url"])).is_err(), "its address is closed");
}

#[test]
fn concurrent_creations_of_one_name_have_one_winner() {
    let server = TestServer::start();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let create = || server.send("POST", "/_plinth/namespaces", json!({ "name": "one" })).status();
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(create)).collect();
        threads.into_iter().map(|thread| thread.join().expect("the request was sent")).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 422).count(), 5, "{statuses:?}");
}

#[test]
fn parallel_namespaces_do_not_mix() {
    let server = TestServer::start();
    let sha = server.main_sha();
    std::thread::scope(|scope| {
        for test in 0..8 {
            let (server, sha) = (&server, &sha);
            scope.spawn(move || {
                let created = server.control("POST", "namespaces", json!({ "name": format!("t{test}") }));
                let address = address_of(&created["url"]);
                for round in 0..5 {
                    let body = json!({ "ref": format!("refs/heads/t{test}-{round}"), "sha": sha }).to_string();
                    assert_eq!(send_to(address, ("POST", REFS, ""), &body).status(), 201);
                    let refs =
                        json_of(&send_to(address, ("GET", "/repos/mona/rocket/git/matching-refs/heads/t", ""), ""));
                    assert_eq!(refs.as_array().map(Vec::len), Some(1), "{refs}");
                    assert_eq!(send_to(address, ("POST", "/_plinth/reset", ""), "").status(), 204);
                }
            });
        }
    });
}

#[test]
fn deleted_namespaces_leave_nothing_behind() {
    let server = TestServer::start();
    let use_namespace = || {
        let created = server.control("POST", "namespaces", "");
        // A connection that its client leaves open.
        let idle = std::net::TcpStream::connect(address_of(&created["url"])).expect("the server accepts connections");
        assert_eq!(send_to(address_of(&created["url"]), ("GET", BRANCH, ""), "").status(), 404);
        server.control("DELETE", &format!("namespaces/{}", created["name"].as_str().expect("a name")), "");
        idle
    };
    // The first ones start threads that stay.
    drop([use_namespace(), use_namespace()]);
    // The default instance and the one that is prepared for the next namespace.
    wait_until("two instances are open", || open_files(&server).instances.len() == 2);
    let before = open_files(&server).others;
    let idle: Vec<_> = (0..20).map(|_| use_namespace()).collect();
    wait_until("the files of the namespaces are closed", || {
        let files = open_files(&server);
        files.instances.len() == 2 && files.others <= before + 2
    });
    drop(idle);
}

struct OpenFiles {
    /// The directories that have open files of a database.
    instances: BTreeSet<PathBuf>,
    /// The number of all other files, sockets among them.
    others: usize,
}

/// Databases are counted by directory, because an instance opens its connections one after another.
fn open_files(server: &TestServer) -> OpenFiles {
    let mut files = OpenFiles { instances: BTreeSet::new(), others: 0 };
    for entry in std::fs::read_dir(format!("/proc/{}/fd", server.server.id())).expect("the process runs") {
        // A file that is closed meanwhile has no target any more.
        let Ok(target) = std::fs::read_link(entry.expect("a descriptor").path()) else { continue };
        match target.parent() {
            Some(directory) if target.to_string_lossy().contains("plinth.db") => {
                files.instances.insert(directory.to_owned());
            }
            _ => files.others += 1,
        }
    }
    files
}
