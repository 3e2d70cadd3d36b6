//! The control interface of test servers, through the program.

mod access;
mod clock;
mod export;
mod faults;
mod namespaces;
mod requests;
mod state;
mod webhooks;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::{Value, json};

use crate::process::{HttpResponse, Server};
use crate::support::fixtures::{StateFile, two_branches};
use crate::support::wait::DEADLINE;

const TOKEN: &str = "ghp_mona_control";
const REFS: &str = "/repos/mona/rocket/git/refs";
const BRANCH: &str = "/repos/mona/rocket/git/ref/heads/new";

/// An ephemeral server with one repository.
struct TestServer {
    server: Server,
    directory: tempfile::TempDir,
}

fn state() -> StateFile {
    StateFile::default().users(&["mona"]).repo("mona/rocket", &two_branches("")).classic(
        "mona",
        "repo, \"admin:repo_hook\"",
        TOKEN,
    )
}

impl TestServer {
    fn start() -> Self {
        Self::start_with(&state().to_string(), &["--ephemeral"])
    }

    fn start_with(state: &str, flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        std::fs::write(directory.path().join("state.yaml"), state).expect("the file can be written");
        let server = Server::start(directory.path(), flags);
        Self { server, directory }
    }

    fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// Sends a request of mona.
    fn send(&self, method: &str, path: &str, body: impl ToString) -> HttpResponse {
        send_to(self.address(), (method, path, ""), &body.to_string())
    }

    fn get(&self, path: &str) -> HttpResponse {
        self.send("GET", path, "")
    }

    /// Sends a request to the control interface, which must succeed.
    fn control(&self, method: &str, path: &str, body: impl ToString) -> Value {
        let response = self.send(method, &format!("/_plinth/{path}"), body);
        assert!((200..300).contains(&response.status()), "{method} {path}: {}", response.0);
        json_of(&response)
    }

    fn main_sha(&self) -> String {
        let found = json_of(&self.get("/repos/mona/rocket/git/ref/heads/main"));
        found["object"]["sha"].as_str().expect("the branch exists").to_owned()
    }

    /// Creates the branch `new`.
    fn create_branch(&self) {
        let body = json!({ "ref": "refs/heads/new", "sha": self.main_sha() });
        assert_eq!(self.send("POST", REFS, body).status(), 201);
    }
}

/// Sends a request with additional header lines, each of which ends with a line break.
fn send_to(address: SocketAddr, (method, path, headers): (&str, &str, &str), body: &str) -> HttpResponse {
    let mut stream = TcpStream::connect_timeout(&address, DEADLINE).expect("the server accepts connections");
    stream.set_read_timeout(Some(DEADLINE)).expect("a socket accepts a timeout");
    let host = if headers.contains("host: ") { "" } else { "host: localhost\r\n" };
    let authorization =
        if headers.contains("authorization: ") { String::new() } else { format!("authorization: Bearer {TOKEN}\r\n") };
    let head = format!(
        "{method} {path} HTTP/1.1\r\n{host}{authorization}{headers}content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).expect("the server reads");
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    HttpResponse(String::from_utf8_lossy(&bytes).into_owned())
}

fn json_of(response: &HttpResponse) -> Value {
    match response.body() {
        "" => Value::Null,
        body => serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {}", response.0)),
    }
}

/// An address of a URL that a server has returned.
fn address_of(url: &Value) -> SocketAddr {
    url.as_str().and_then(|url| url.strip_prefix("http://")).expect("a URL").parse().expect("an address")
}
