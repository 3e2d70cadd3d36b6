//! `plinth serve --demo`: what a person sees first, and that all of it works.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{HttpResponse, try_request};

/// The last line of the output.
const END: &str = "Stop with Ctrl-C";

struct Demo {
    child: Child,
    output: String,
}

impl Demo {
    /// Starts the server and reads its output to the end.
    fn start(data: &Path) -> Self {
        let mut child = Command::new(crate::process::program_path())
            .args(["serve", "--demo", "--listen", "127.0.0.1:0", "--log", "warn", "--data"])
            .arg(data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut output = String::new();
        for line in BufReader::new(child.stdout.take().expect("standard output is piped")).lines() {
            let line = line.expect("the output is text");
            output.push_str(&line);
            output.push('\n');
            if line.starts_with(END) {
                break;
            }
        }
        assert!(output.contains(END), "the server ended: {output}");
        Self { child, output }
    }

    fn line(&self, prefix: &str) -> &str {
        let found = self.output.lines().find_map(|line| line.trim().strip_prefix(prefix));
        found.unwrap_or_else(|| panic!("no line begins with {prefix:?}:\n{}", self.output))
    }

    /// The URL without its scheme.
    fn address(&self) -> SocketAddr {
        let url = self.line("Ready: http://").split(' ').next().expect("a URL");
        url.parse().expect("an address")
    }

    /// Sends the request of a `curl` command of the output.
    fn run(&self, command: &str) -> HttpResponse {
        let url = command.split(' ').find(|word| word.starts_with("http://")).expect("a command has a URL");
        let path = url.split_once(&self.address().to_string()).expect("it is for this server").1;
        let (method, body) = match command.split_once(" -X PATCH -d '") {
            Some((_, body)) => ("PATCH", body.trim_end_matches('\'')),
            None => ("GET", ""),
        };
        let token =
            command.contains("$TOKEN").then(|| format!("authorization: Bearer {}\r\n", self.line("export TOKEN=")));
        let head = format!("{method} {path} HTTP/1.1\r\n{}content-length: {}", token.unwrap_or_default(), body.len());
        let mut raw = super::Raw(std::net::TcpStream::connect(self.address()).expect("the server listens"));
        raw.send(&format!("{head}\r\nhost: {}\r\nconnection: close\r\n\r\n{body}", self.address()));
        raw.response()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn demo_says_what_it_does_and_prints_commands_that_work() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let demo = Demo::start(&directory.path().join("data"));
    let first: Vec<&str> = demo.output.lines().take(2).collect();
    assert!(first[0].contains("starting with SQLite"), "{}", demo.output);
    assert!(first[1].starts_with("Creating the example"), "{}", demo.output);
    let commands: Vec<&str> = demo.output.lines().map(str::trim).filter(|line| line.starts_with("curl ")).collect();
    assert!(commands.len() >= 5, "{}", demo.output);
    for command in commands {
        let response = demo.run(command);
        assert_eq!(response.status(), 200, "{command}: {response:?}");
    }
    let page = try_request(demo.address(), "GET /docs HTTP/1.1").expect("the API explorer is served");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    let cloned = Command::new("git")
        .args(["clone", "--quiet", demo.line("git clone ")])
        .arg(directory.path().join("clone"))
        .status()
        .expect("git starts");
    assert!(cloned.success());
}

#[test]
fn demo_has_the_same_tokens_at_the_next_start() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let tokens =
        |demo: &Demo| ["classic", "fine-grained", "app user", "OAuth app"].map(|kind| demo.line(kind).to_owned());
    let first = Demo::start(directory.path());
    let before = tokens(&first);
    drop(first);
    let second = Demo::start(directory.path());
    assert!(second.output.contains("Using the example"), "{}", second.output);
    assert_eq!(tokens(&second), before);
}
