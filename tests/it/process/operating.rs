//! The server under an operator's tools: stop at full load, lame-duck mode, socket activation and state notifications.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};

use rustix::process::Signal;

use super::{DEADLINE, Raw, Server, begin_post, try_request, wait_until};

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory can be created")
}

#[test]
fn stop_at_full_load_finishes_requests_in_flight() {
    let directory = directory();
    let mut server = Server::start(directory.path(), &["--connections-max", "3"]);
    let begun: Vec<(Raw, String)> = (0..3).map(|number| begin_post(&server, &format!("r{number}"))).collect();
    server.wait_in_flight(3);
    server.signal(Signal::TERM);
    wait_until("no new connection is taken", || TcpStream::connect(server.address).is_err());
    for (mut raw, rest) in begun {
        raw.send(&rest);
        assert_eq!(raw.response().status(), 201);
    }
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn silent_connections_do_not_delay_stop() {
    let directory = directory();
    let mut server = Server::start(directory.path(), &["--ephemeral", "--drain-seconds", "600"]);
    let mut silent: Vec<Raw> = (0..20).map(|_| server.connect()).collect();
    silent[0].send("G");
    silent[1].send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    wait_until("all are open", || server.metric("plinth_connections_open") >= 20.0);
    server.signal(Signal::TERM);
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn lame_duck_server_is_unready_and_serves_until_second_signal() {
    let directory = directory();
    let mut server = Server::start(directory.path(), &["--lame-duck-seconds", "600"]);
    assert_eq!(server.get("/readyz").status(), 200);
    server.signal(Signal::TERM);
    wait_until("it is not ready", || server.get("/readyz").status() == 503);
    assert_eq!(server.get("/healthz").status(), 200);
    let (mut post, rest) = begin_post(&server, "late");
    post.send(&rest);
    assert_eq!(post.response().status(), 201);
    // The second request of a push whose first request came before the signal.
    let advertised = server.get("/mona/late.git/info/refs?service=git-receive-pack");
    assert_eq!(advertised.status(), 200, "{advertised:?}");
    let head = "POST /mona/late.git/git-receive-pack HTTP/1.1\r\nauthorization: Bearer ghp_monamona\r\n\
                content-type: application/x-git-receive-pack-request";
    assert_eq!(server.request(head, "0000").status(), 200);
    // A second signal ends the lame-duck period.
    server.signal(Signal::TERM);
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn lame_duck_server_stops_after_its_period() {
    let directory = directory();
    let mut server = Server::start(directory.path(), &["--lame-duck-seconds", "4"]);
    server.signal(Signal::TERM);
    assert_eq!(server.get("/meta").status(), 200);
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn idle_connection_closes_after_configured_time() {
    let directory = directory();
    let keep_alive = |seconds: &'static str| {
        let server = Server::start(
            &directory.path().join(seconds),
            &["--ephemeral", "--request-seconds", "1", "--keep-alive-seconds", seconds],
        );
        let mut raw = server.connect();
        raw.send("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
        let mut some = [0; 4096];
        assert!(raw.0.read(&mut some).expect("a response") > 0);
        (server, raw)
    };
    for seconds in ["1", "75"] {
        std::fs::create_dir(directory.path().join(seconds)).expect("a directory");
    }
    let (_server, mut short) = keep_alive("1");
    let mut rest = Vec::new();
    short.0.read_to_end(&mut rest).expect("the server closes, and nothing else");
    let (server, mut long) = keep_alive("75");
    // The limit of a request's head was once the limit of idleness too: let it pass twice.
    for _ in 0..2 {
        let mut incomplete = server.connect();
        incomplete.send("GET /healthz HTTP/1.1\r\nhost: x\r\n");
        assert_ne!(incomplete.response().status(), 200);
    }
    long.send("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    assert_eq!(long.response().status(), 200);
}

/// The program with a limit of file descriptors.
fn limited(files: u32) -> Command {
    let mut program = Command::new("sh");
    let script = format!("ulimit -n {files} && exec \"$0\" \"$@\"");
    program.args(["-c", &script]).arg(crate::process::program_path()).stdin(Stdio::null());
    program
}

#[test]
fn metrics_listener_survives_file_descriptor_exhaustion() {
    let directory = directory();
    let server = Server::start_by(limited(64), directory.path(), &["--ephemeral"]);
    let crowd: Vec<TcpStream> =
        (0..80).filter_map(|_| TcpStream::connect_timeout(&server.metrics, DEADLINE).ok()).collect();
    wait_until("accepting has failed", || server.log().contains("could not accept a connection for metrics"));
    drop(crowd);
    wait_until("metrics are served again", || {
        try_request(server.metrics, "GET /metrics HTTP/1.1").is_some_and(|page| page.contains("plinth_"))
    });
    assert_eq!(server.get("/meta").status(), 200);
}

#[test]
fn service_manager_is_notified_of_state() {
    let directory = directory();
    let path = directory.path().join("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket");
    socket.set_read_timeout(Some(DEADLINE)).expect("a socket accepts a timeout");
    let mut program = Command::new(crate::process::program_path());
    program.stdin(Stdio::null()).env("NOTIFY_SOCKET", &path);
    let mut server = Server::start_by(program, directory.path(), &["--ephemeral"]);
    let mut buffer = [0; 256];
    let mut next = || {
        let length = socket.recv(&mut buffer).expect("a message");
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    };
    assert!(next().contains("READY=1"));
    server.signal(Signal::TERM);
    assert!(next().contains("STOPPING=1"));
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn inherited_socket_is_used() {
    let directory = directory();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let mut program = Command::new("sh");
    let script = "exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" \"$@\"";
    program.args(["-c", script]).arg(crate::process::program_path()).stdin(OwnedFd::from(listener));
    let server = Server::start_by(program, directory.path(), &["--ephemeral"]);
    assert_eq!(server.address, address);
    assert_eq!(server.get("/meta").status(), 200);
}
