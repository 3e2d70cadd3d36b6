//! `kill -9` under load loses no acknowledged write.

use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::Signal;

use super::{Server, wait_until};

const CYCLES: usize = 3;
const CLIENTS: usize = 4;

/// The names acknowledged with 201 to `CLIENTS` parallel clients, until the server is killed.
fn work_until_killed(server: &mut Server, cycle: usize) -> Vec<String> {
    let acknowledged = AtomicUsize::new(0);
    let server_ref: &Server = server;
    let made = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let acknowledged = &acknowledged;
                scope.spawn(move || {
                    let mut made = Vec::new();
                    for number in 0.. {
                        let name = format!("r-{cycle}-{client}-{number}");
                        let body = format!("{{\"name\":\"{name}\"}}");
                        let Some(status) = try_post(server_ref, &body) else { break };
                        assert_eq!(status, 201, "{name}");
                        acknowledged.fetch_add(1, Ordering::SeqCst);
                        made.push(name);
                    }
                    made
                })
            })
            .collect();
        wait_until("20 writes are acknowledged", || acknowledged.load(Ordering::SeqCst) >= 20);
        server_ref.signal(Signal::KILL);
        clients.into_iter().flat_map(|client| client.join().expect("a client does not panic")).collect()
    });
    assert_eq!(server.wait(), None, "killed, not ended");
    made
}

/// The status, or nothing if the server was killed before it responded.
fn try_post(server: &Server, body: &str) -> Option<u16> {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(server.address).ok()?;
    stream.set_read_timeout(Some(super::DEADLINE)).ok()?;
    let request = format!(
        "POST /user/repos HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ghp_monamona\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut response = String::new();
    let _ = stream.read_to_string(&mut response);
    response.split(' ').nth(1)?.parse().ok()
}

#[test]
fn killed_server_loses_no_acknowledged_write() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let mut acknowledged = Vec::new();
    for cycle in 0..CYCLES {
        let mut server = Server::start(directory.path(), &[]);
        for name in &acknowledged {
            assert_eq!(server.get(&format!("/repos/mona/{name}")).status(), 200, "{name} was lost in cycle {cycle}");
        }
        acknowledged.extend(work_until_killed(&mut server, cycle));
    }
    let server = Server::start(directory.path(), &[]);
    for name in &acknowledged {
        assert_eq!(server.get(&format!("/repos/mona/{name}")).status(), 200, "{name} was lost");
    }
    assert!(acknowledged.len() >= CYCLES * 20);
}
