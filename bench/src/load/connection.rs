//! One connection of the load generator.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

use super::workload::Workload;
use crate::http::{self, Head};

const READ_SIZE: usize = 1 << 16;

pub struct Connection {
    address: SocketAddr,
    token: Token,
    stream: TcpStream,
    state: State,
    outgoing: Vec<u8>,
    sent: usize,
    incoming: Vec<u8>,
    received: usize,
    head: Option<Head>,
    number: u64,
    since: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    /// A request waits for its response.
    Pending,
    /// Servers close connections that are idle for some seconds; the next request opens a new one.
    Closed,
}

impl Connection {
    pub fn open(address: SocketAddr, registry: &Registry, token: Token) -> Result<Self> {
        Ok(Self {
            address,
            token,
            stream: connect(address, registry, token)?,
            state: State::Idle,
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
    pub fn send(&mut self, registry: &Registry, workload: &mut dyn Workload, since: Instant) -> Result<()> {
        if self.state == State::Closed {
            self.stream = connect(self.address, registry, self.token)?;
        }
        self.outgoing.clear();
        self.number = workload.write_next(&mut self.outgoing);
        (self.state, self.sent, self.received, self.head, self.since) = (State::Pending, 0, 0, None, since);
        self.flush()
    }

    fn flush(&mut self) -> Result<()> {
        while self.sent < self.outgoing.len() {
            match self.stream.write(&self.outgoing[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error).context("cannot send"),
            }
        }
        Ok(())
    }

    /// Reads and writes until the socket would block. Once the response is complete, returns the start of its request.
    pub fn advance(&mut self, workload: &mut dyn Workload) -> Result<Option<Instant>> {
        if self.state != State::Pending {
            self.check_idle()?;
            return Ok(None);
        }
        self.flush()?;
        loop {
            if self.incoming.len() - self.received < READ_SIZE / 2 {
                self.incoming.resize(self.incoming.len() * 2, 0);
            }
            match self.stream.read(&mut self.incoming[self.received..]) {
                Ok(0) => bail!("the server closed a connection"),
                Ok(count) => self.received += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error).context("cannot receive"),
            }
            if self.is_complete(workload)? {
                self.state = State::Idle;
                return Ok(Some(self.since));
            }
        }
    }

    /// Without a request, the only expected event is that the server closes the connection.
    fn check_idle(&mut self) -> Result<()> {
        match self.stream.read(&mut self.incoming) {
            Ok(0) => self.state = State::Closed,
            Ok(_) => bail!("the server sent data without a request"),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => self.state = State::Closed,
        }
        Ok(())
    }

    fn is_complete(&mut self, workload: &mut dyn Workload) -> Result<bool> {
        let bytes = &self.incoming[..self.received];
        if self.head.is_none() {
            self.head = http::head(bytes)?;
        }
        let Some(head) = &self.head else { return Ok(false) };
        let Some(body) = http::body(head, bytes) else { return Ok(false) };
        workload.receive(self.number, &bytes[..head.length], (head.status, &body))?;
        Ok(true)
    }
}

fn connect(address: SocketAddr, registry: &Registry, token: Token) -> Result<TcpStream> {
    let connect = || -> std::io::Result<TcpStream> {
        // Connect before registering, so that events are only about requests.
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        registry.register(&mut stream, token, Interest::READABLE | Interest::WRITABLE)?;
        Ok(stream)
    };
    connect().context("cannot connect")
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use mio::{Events, Poll};

    use super::*;

    /// A workload of one request whose response has an empty body.
    struct Once;

    impl Workload for Once {
        fn write_next(&mut self, out: &mut Vec<u8>) -> u64 {
            out.extend_from_slice(b"GET / HTTP/1.1\r\n\r\n");
            0
        }

        fn check(&mut self, _: u64, status: u16, _: &[u8]) -> Result<()> {
            if status == 204 { Ok(()) } else { bail!("status {status}") }
        }
    }

    #[test]
    fn connection_that_closed_while_idle_is_reopened() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let mut poll = Poll::new().expect("polling works");
        let address = listener.local_addr().expect("it listens");
        let mut connection = Connection::open(address, poll.registry(), Token(0)).expect("it listens");
        drop(listener.accept().expect("it connects"));
        let mut events = Events::with_capacity(8);
        while connection.state != State::Closed {
            poll.poll(&mut events, None).expect("polling works");
            assert!(connection.advance(&mut Once).expect("closing while idle is no error").is_none());
        }
        connection.send(poll.registry(), &mut Once, Instant::now()).expect("it reconnects");
        let (mut server, _) = listener.accept().expect("it reconnects");
        server.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").expect("it is connected");
        while connection.state == State::Pending {
            poll.poll(&mut events, None).expect("polling works");
            connection.advance(&mut Once).expect("the response is as expected");
        }
    }
}
