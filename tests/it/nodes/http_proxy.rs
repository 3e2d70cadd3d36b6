//! A proxy that reads each HTTP request, and may respond itself. It closes the connection after each response.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(30);

/// What the proxy does with a request.
pub enum Action {
    Forward,
    Respond(Vec<u8>),
}

/// Decides about requests, and sees the responses of those that are forwarded. A request is its method and its path.
pub trait Interceptor: Send + Sync + 'static {
    fn decide(&self, request: &str) -> Action;

    fn observe(&self, _request: &str, _response: &[u8]) {}
}

pub struct HttpProxy {
    pub address: SocketAddr,
    is_over: Arc<AtomicBool>,
}

impl HttpProxy {
    pub fn start(target: SocketAddr, interceptor: Arc<dyn Interceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let interceptor = interceptor.clone();
                // A client that goes away is its own affair.
                std::thread::spawn(move || drop(serve(client, target, &*interceptor)));
            }
        });
        Self { address, is_over }
    }
}

impl Drop for HttpProxy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(mut client: TcpStream, target: SocketAddr, interceptor: &dyn Interceptor) -> std::io::Result<()> {
    client.set_read_timeout(Some(TIMEOUT))?;
    let mut received = Vec::new();
    let head_end = loop {
        if let Some(at) = received.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if read_some(&mut client, &mut received)? == 0 {
            return Ok(());
        }
    };
    let head = String::from_utf8_lossy(&received[..head_end]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let whole = head_end + 4 + length.unwrap_or_default();
    while received.len() < whole {
        if read_some(&mut client, &mut received)? == 0 {
            return Ok(());
        }
    }
    let request = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    let response = match interceptor.decide(&request) {
        Action::Respond(response) => response,
        Action::Forward => {
            let mut server = TcpStream::connect(target)?;
            server.set_read_timeout(Some(TIMEOUT))?;
            // Everything but this header is as the client has signed it.
            let kept = head.lines().filter(|line| !line.to_ascii_lowercase().starts_with("connection:"));
            let head = kept.collect::<Vec<_>>().join("\r\n");
            server.write_all(format!("{head}\r\nconnection: close\r\n\r\n").as_bytes())?;
            server.write_all(&received[head_end + 4..whole])?;
            let mut response = Vec::new();
            server.read_to_end(&mut response)?;
            interceptor.observe(&request, &response);
            response
        }
    };
    client.write_all(&response)
}

fn read_some(stream: &mut TcpStream, received: &mut Vec<u8>) -> std::io::Result<usize> {
    let mut buffer = [0; 64 * 1024];
    let count = stream.read(&mut buffer)?;
    received.extend_from_slice(&buffer[..count]);
    Ok(count)
}
