//! The checker of histories notices a broken system: a real server behind a proxy that returns one recorded response again.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::http_proxy::{Action, HttpProxy, Interceptor};
use super::registers::{Kind, Operation, check};
use super::{Nodes, ROCKET, get, json as body_of, send, tip};
use crate::process::{HttpResponse, Raw, Server};

const ROUNDS: usize = 12;

/// Records responses, and returns the one before the last once, on demand.
#[derive(Default)]
struct Replay {
    recorded: Mutex<Vec<(String, Vec<u8>)>>,
    replayed: Mutex<Option<String>>,
}

impl Interceptor for Replay {
    fn decide(&self, request: &str) -> Action {
        let mut replayed = self.replayed.lock();
        if replayed.as_deref() != Some(request) {
            return Action::Forward;
        }
        *replayed = None;
        let recorded = self.recorded.lock();
        let earlier = recorded.iter().rev().find(|(known, _)| known == request);
        Action::Respond(earlier.expect("it was requested before").1.clone())
    }

    fn observe(&self, request: &str, response: &[u8]) {
        self.recorded.lock().push((request.to_owned(), response.to_vec()));
    }
}

/// Writes through one server and reads through the proxy of another one, and returns the history.
fn history(
    server: &Server,
    (proxy, replay): (&HttpProxy, &Replay),
    register: &Register,
    stale_in: Option<usize>,
) -> Vec<Operation> {
    let started = Instant::now();
    let mut history = Vec::new();
    for round in 0..ROUNDS {
        let began = started.elapsed();
        let value = register.write(server, round);
        history.push(Operation { kind: Kind::Write, value, began, ended: Some(started.elapsed()) });
        if stale_in == Some(round) {
            *replay.replayed.lock() = Some(format!("GET {}", register.path));
        }
        let began = started.elapsed();
        let found = read(proxy, &register.path);
        let value = found.pointer(register.pointer).and_then(Value::as_str).expect("a value").to_owned();
        history.push(Operation { kind: Kind::Read, value, began, ended: Some(started.elapsed()) });
    }
    history
}

struct Register {
    path: String,
    pointer: &'static str,
    kind: RegisterKind,
}

enum RegisterKind {
    Branch { tree: String },
    Comment,
}

impl Register {
    /// Writes a value of its own, which is acknowledged; returns it.
    fn write(&self, server: &Server, round: usize) -> String {
        let (path, body, value) = match &self.kind {
            RegisterKind::Comment => {
                let value = format!("value {round}");
                (self.path.clone(), json!({ "body": value }), value)
            }
            RegisterKind::Branch { tree } => {
                let commit = json!({ "message": format!("value {round}"), "tree": tree, "parents": [] });
                let commit = body_of(&send(server, "POST", &format!("{ROCKET}/git/commits"), &commit));
                let sha = commit["sha"].as_str().expect("a commit").to_owned();
                (format!("{ROCKET}/git/refs/heads/next"), json!({ "sha": sha, "force": true }), sha)
            }
        };
        let written = send(server, "PATCH", &path, &body);
        assert_eq!(written.status(), 200, "{written:?}");
        value
    }
}

fn read(proxy: &HttpProxy, path: &str) -> Value {
    let mut raw = Raw(std::net::TcpStream::connect(proxy.address).expect("the proxy accepts connections"));
    raw.send(&format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ghp_monamona\r\n\r\n"));
    let response: HttpResponse = raw.response();
    assert_eq!(response.status(), 200, "{response:?}");
    body_of(&response)
}

#[test]
fn checker_rejects_the_history_of_a_system_with_one_stale_response() {
    let Some(nodes) = Nodes::new() else { return };
    let (a, b) = (nodes.start("a"), nodes.start("b"));
    let replay = Arc::new(Replay::default());
    let proxy = HttpProxy::start(b.address, replay.clone());
    assert_eq!(send(&a, "POST", &format!("{ROCKET}/issues"), &json!({ "title": "history" })).status(), 201);
    let comment = body_of(&send(&a, "POST", &format!("{ROCKET}/issues/1/comments"), &json!({ "body": "initial" })));
    let main = tip(&a, "main");
    let tree = get(&a, &format!("{ROCKET}/git/commits/{main}"))["tree"]["sha"].as_str().expect("a tree").to_owned();
    let registers = [
        Register {
            path: format!("{ROCKET}/issues/comments/{}", comment["id"]),
            pointer: "/body",
            kind: RegisterKind::Comment,
        },
        Register {
            path: format!("{ROCKET}/git/ref/heads/next"),
            pointer: "/object/sha",
            kind: RegisterKind::Branch { tree },
        },
    ];
    for register in &registers {
        let honest = history(&a, (&proxy, &replay), register, None);
        check("initial", &honest).unwrap_or_else(|why| panic!("{}: {why}: {honest:?}", register.path));
        for stale_in in [1, 5, ROUNDS - 1] {
            // The same values are written again, so each history is checked from its own beginning.
            let broken = history(&a, (&proxy, &replay), register, Some(stale_in));
            check("initial", &broken).expect_err("one read has returned a value that was overwritten before");
        }
    }
}
