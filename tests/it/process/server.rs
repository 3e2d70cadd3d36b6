//! A server under test: the real program on a free port, and raw connections to it.

use super::wait::{DEADLINE, wait_until};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The program under test: the one that cargo built with the tests, unless `PLINTH_TEST_BINARY` names another build.
pub fn program_path() -> PathBuf {
    std::env::var_os("PLINTH_TEST_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_plinth").into(), PathBuf::from)
}

/// A running server, which is killed when it is dropped.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    /// The address of the metrics listener.
    pub metrics: SocketAddr,
    /// The address of the control interface, if it has one of its own.
    pub control: Option<SocketAddr>,
    log: PathBuf,
}

impl Server {
    /// Starts on a free port with its data in `directory`, and returns when the server is ready.
    pub fn start(directory: &Path, flags: &[&str]) -> Self {
        let mut program = Command::new(program_path());
        program.stdin(Stdio::null());
        Self::start_by(program, directory, flags)
    }

    /// Starts through a command that executes the program in its own process.
    pub fn start_by(mut program: Command, directory: &Path, flags: &[&str]) -> Self {
        let state = directory.join("state.yaml");
        if !state.exists() {
            std::fs::write(&state, super::fixtures::mona().to_string()).expect("the file can be written");
        }
        let log = directory.join("log");
        let errors = std::fs::OpenOptions::new().create(true).append(true).open(&log).expect("the log can be written");
        if !flags.contains(&"--lame-duck-seconds") {
            program.env("PLINTH_LAME_DUCK_SECONDS", "0");
        }
        if !flags.contains(&"--limits") {
            program.env("PLINTH_LIMITS", "false");
        }
        let mut child = program
            .args(["serve", "--listen", "127.0.0.1:0", "--ready-json", "--state"])
            .arg(&state)
            .arg("--data")
            .arg(directory.join("data"))
            .args(flags)
            .env("PLINTH_METRICS_LISTEN", "127.0.0.1:0")
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("standard output is ours");
        BufReader::new(output).read_line(&mut line).expect("the program says when it is ready");
        let ready: serde_json::Value = serde_json::from_str(&line)
            .unwrap_or_else(|_| panic!("not ready: {line}{}", std::fs::read_to_string(&log).unwrap_or_default()));
        assert_eq!(ready["pid"], child.id());
        let address_in = |name: &str| {
            let url = ready[name].as_str().expect("it says where it is").strip_prefix("http://").expect("a URL");
            url.trim_end_matches("/metrics").parse().expect("an address")
        };
        let (address, metrics) = (address_in("url"), address_in("metrics_url"));
        let control = ready.get("control_url").map(|_| address_in("control_url"));
        Self { child, address, metrics, control, log }
    }

    pub fn connect(&self) -> Raw {
        let stream = TcpStream::connect_timeout(&self.address, DEADLINE).expect("the server accepts connections");
        stream.set_read_timeout(Some(DEADLINE)).expect("a socket accepts a timeout");
        Raw(stream)
    }

    /// Sends one request on a new connection.
    pub fn request(&self, head: &str, body: &str) -> HttpResponse {
        let mut raw = self.connect();
        raw.send(&format!("{head}\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len()));
        raw.response()
    }

    pub fn get(&self, path: &str) -> HttpResponse {
        self.request(&format!("GET {path} HTTP/1.1\r\nauthorization: Bearer ghp_monamona"), "")
    }

    /// The value of a metric without labels.
    pub fn metric(&self, name: &str) -> f64 {
        let page = try_request(self.metrics, "GET /metrics HTTP/1.1").expect("metrics are served");
        let figure = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        figure.and_then(|figure| figure.parse().ok()).unwrap_or_else(|| panic!("no {name}: {page}"))
    }

    /// Waits until the server has read the heads of so many requests that it has not finished.
    pub fn wait_in_flight(&self, count: u32) {
        wait_until("the requests are in flight", || self.metric("plinth_requests_in_flight") >= f64::from(count));
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("our own child can be signalled");
    }

    /// Waits for the process to exit, and returns its exit code.
    pub fn wait(&mut self) -> Option<i32> {
        wait_until("the server exits", || self.child.try_wait().expect("a child can be waited for").is_some());
        self.child.wait().expect("a child can be waited for").code()
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("the log can be read")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection on which any bytes can be sent.
pub struct Raw(pub TcpStream);

impl Raw {
    pub fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).expect("the server reads");
    }

    /// Whether the server still reads.
    pub fn try_send(&mut self, text: &str) -> bool {
        self.0.write_all(text.as_bytes()).is_ok()
    }

    /// Sends bytes; the server may close before it has read all of them.
    pub fn try_send_bytes(&mut self, bytes: &[u8]) -> bool {
        self.0.write_all(bytes).is_ok()
    }

    /// Reads until the server closes.
    pub fn response(&mut self) -> HttpResponse {
        let mut bytes = Vec::new();
        // A reset after the response does not matter.
        let _ = self.0.read_to_end(&mut bytes);
        HttpResponse(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A response as it was received.
#[derive(Debug)]
pub struct HttpResponse(pub String);

impl HttpResponse {
    /// Zero if there was no response.
    pub fn status(&self) -> u16 {
        self.0.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let head = self.0.split("\r\n\r\n").next().unwrap_or_default();
        head.lines().find_map(|line| line.split_once(": ").filter(|(known, _)| *known == name)).map(|(_, value)| value)
    }

    pub fn body(&self) -> &str {
        self.0.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }
}

/// A request whose body is incomplete, so that it stays in flight; returns the rest of the body.
pub fn begin_post(server: &Server, name: &str) -> (Raw, String) {
    let body = serde_json::json!({ "name": name }).to_string();
    let mut raw = server.connect();
    raw.send(&format!(
        "POST /user/repos HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ghp_monamona\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{}",
        body.len(),
        &body[..4]
    ));
    (raw, body[4..].to_owned())
}

/// The status of a GET, or nothing if the server does not respond.
pub fn try_get(address: SocketAddr, token: &str, path: &str) -> Option<u16> {
    let response = try_request(address, &format!("GET {path} HTTP/1.1\r\nauthorization: Bearer {token}"))?;
    response.split(' ').nth(1)?.parse().ok()
}

/// The response to a request without a body, or nothing if the server does not respond.
pub fn try_request(address: SocketAddr, head: &str) -> Option<String> {
    let mut stream = TcpStream::connect_timeout(&address, DEADLINE).ok()?;
    stream.set_read_timeout(Some(DEADLINE)).ok()?;
    stream.write_all(format!("{head}\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes()).ok()?;
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    Some(String::from_utf8_lossy(&response).into_owned())
}

/// The body of a page at an address.
pub fn get_page(address: SocketAddr, path: &str) -> String {
    let mut raw = Raw(TcpStream::connect_timeout(&address, DEADLINE).expect("it accepts connections"));
    raw.send(&format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
    raw.response().body().to_owned()
}

/// A whole response to a request without a credential.
pub fn fetch(address: SocketAddr, path: &str) -> String {
    let mut raw = Raw(TcpStream::connect_timeout(&address, DEADLINE).expect("the server accepts connections"));
    raw.0.set_read_timeout(Some(DEADLINE)).expect("a socket accepts a timeout");
    raw.send(&format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
    raw.response().0
}
