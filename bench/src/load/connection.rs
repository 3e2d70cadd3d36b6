//! One connection of the load generator.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Instant;

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

use super::Script;
use crate::Result;
use crate::http::{self, Head};

const READ_SIZE: usize = 1 << 16;

pub struct Connection {
    stream: TcpStream,
    outgoing: Vec<u8>,
    sent: usize,
    incoming: Vec<u8>,
    received: usize,
    head: Option<Head>,
    number: u64,
    since: Instant,
}

impl Connection {
    pub fn open(address: SocketAddr, registry: &Registry, token: Token) -> Result<Self> {
        let opened = || {
            // Connected before it is watched, so that the time of connecting is nobody's latency.
            let stream = std::net::TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            let mut stream = TcpStream::from_std(stream);
            registry.register(&mut stream, token, Interest::READABLE | Interest::WRITABLE)?;
            Ok(stream)
        };
        let stream = opened().map_err(|error: std::io::Error| format!("cannot connect: {error}"))?;
        Ok(Self {
            stream,
            outgoing: Vec::new(),
            sent: 0,
            incoming: vec![0; READ_SIZE],
            received: 0,
            head: None,
            number: 0,
            since: Instant::now(),
        })
    }

    /// Sends the next request, which is timed from `since`.
    pub fn send(&mut self, script: &mut dyn Script, since: Instant) -> Result<()> {
        self.outgoing.clear();
        self.number = script.next(&mut self.outgoing);
        (self.sent, self.received, self.head, self.since) = (0, 0, None, since);
        self.flush()
    }

    fn flush(&mut self) -> Result<()> {
        while self.sent < self.outgoing.len() {
            match self.stream.write(&self.outgoing[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(format!("cannot send: {error}")),
            }
        }
        Ok(())
    }

    /// Does what the socket is ready for; tells when the request began, if its answer is whole now.
    pub fn advance(&mut self, script: &mut dyn Script) -> Result<Option<Instant>> {
        self.flush()?;
        loop {
            if self.incoming.len() - self.received < READ_SIZE / 2 {
                self.incoming.resize(self.incoming.len() * 2, 0);
            }
            match self.stream.read(&mut self.incoming[self.received..]) {
                Ok(0) => return Err("the server closed a connection".into()),
                Ok(count) => self.received += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(format!("cannot receive: {error}")),
            }
            if self.is_whole(script)? {
                return Ok(Some(self.since));
            }
        }
    }

    fn is_whole(&mut self, script: &mut dyn Script) -> Result<bool> {
        let bytes = &self.incoming[..self.received];
        if self.head.is_none() {
            self.head = http::head(bytes)?;
        }
        let Some(head) = &self.head else { return Ok(false) };
        let Some(body) = http::body(head, bytes) else { return Ok(false) };
        script.check(self.number, head.status, &body)?;
        Ok(true)
    }
}
