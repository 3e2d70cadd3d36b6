//! A TCP proxy in front of PostgreSQL that can go silent.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A proxy that can go silent. Earlier connections stay silent for ever, as after a failover without a reset.
pub struct Proxy {
    pub address: SocketAddr,
    silences: watch::Sender<u64>,
    is_silent: Arc<AtomicBool>,
}

impl Proxy {
    pub async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (silences, watching) = watch::channel(0);
        let is_silent = Arc::new(AtomicBool::new(false));
        let silent = is_silent.clone();
        tokio::spawn(async move {
            let mut open_connections = Vec::new();
            while let Ok((client, _)) = listener.accept().await {
                if silent.load(Ordering::SeqCst) {
                    // Accepted and left open without a response.
                    open_connections.push(client);
                } else {
                    tokio::spawn(forward(client, target, watching.clone()));
                }
            }
        });
        Self { address, silences, is_silent }
    }

    pub fn fall_silent(&self) {
        self.is_silent.store(true, Ordering::SeqCst);
        self.silences.send_modify(|count| *count += 1);
    }

    pub fn come_back(&self) {
        self.is_silent.store(false, Ordering::SeqCst);
    }
}

async fn forward(client: TcpStream, target: SocketAddr, mut silences: watch::Receiver<u64>) {
    silences.mark_unchanged();
    let Ok(server) = TcpStream::connect(target).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let there = async {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = from_client.read(&mut buffer).await {
            if to_server.write_all(&buffer[..count]).await.is_err() {
                break;
            }
        }
    };
    let back = async {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = from_server.read(&mut buffer).await {
            if to_client.write_all(&buffer[..count]).await.is_err() {
                break;
            }
        }
    };
    let is_silent = tokio::select! {
        () = there => false,
        () = back => false,
        changed = silences.changed() => changed.is_ok(),
    };
    if is_silent {
        // Both sockets stay open, and the kernel acknowledges what is sent.
        std::future::pending::<()>().await;
    }
}
