//! The body of a push, from the async runtime to the thread that reads it.

use std::io::{self, Read};
use std::time::Duration;

use axum::body::Body;
use bytes::{Buf, Bytes};
use flate2::read::MultiGzDecoder;
use futures_util::StreamExt;
use tokio::sync::mpsc;

use super::model::Encoding;
use crate::request::request_body::RequestBody;

/// Pieces that may wait for git; then the client waits as well.
const PIECES_WAITING_MAX: usize = 4;

/// The thread's end: blocks until more arrives. A body that breaks off is an error, not an end.
pub struct Incoming {
    pieces: mpsc::Receiver<Piece>,
    current: Bytes,
    ended: bool,
}

enum Piece {
    Data(Bytes),
    End,
    Broken(io::ErrorKind),
}

/// The body's end: forwards data until the body or its reader ends. Dropping it breaks the input off.
pub struct Outlet {
    body: Body,
    pieces: mpsc::Sender<Piece>,
    idle_timeout: Duration,
}

/// Both ends of one body.
pub fn split(body: Body, idle_timeout: Duration) -> (Outlet, Incoming) {
    let (sender, receiver) = mpsc::channel(PIECES_WAITING_MAX);
    let outlet = Outlet { body, pieces: sender, idle_timeout };
    (outlet, Incoming { pieces: receiver, current: Bytes::new(), ended: false })
}

impl Outlet {
    pub async fn pass_on(self) {
        let mut data = self.body.into_data_stream();
        loop {
            let piece = match tokio::time::timeout(self.idle_timeout, data.next()).await {
                Ok(Some(Ok(bytes))) => Piece::Data(bytes),
                Ok(Some(Err(error))) if RequestBody::is_too_slow(&error) => Piece::Broken(io::ErrorKind::TimedOut),
                Ok(Some(Err(_))) => Piece::Broken(io::ErrorKind::ConnectionAborted),
                Ok(None) => Piece::End,
                Err(_) => Piece::Broken(io::ErrorKind::TimedOut),
            };
            let goes_on = matches!(piece, Piece::Data(_));
            if self.pieces.send(piece).await.is_err() || !goes_on {
                return;
            }
        }
    }
}

impl Read for Incoming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() && !self.ended {
            match self.pieces.blocking_recv() {
                Some(Piece::Data(bytes)) => self.current = bytes,
                Some(Piece::End) => self.ended = true,
                Some(Piece::Broken(kind)) => return Err(kind.into()),
                None => return Err(io::ErrorKind::ConnectionAborted.into()),
            }
        }
        let count = self.current.len().min(buffer.len());
        self.current.copy_to_slice(&mut buffer[..count]);
        Ok(count)
    }
}

/// The body of a push, decoded.
pub enum Input {
    Plain(Incoming),
    Gzip(Box<MultiGzDecoder<Incoming>>),
}

impl Input {
    /// Blocks, because the decoder reads the gzip header.
    pub fn new(incoming: Incoming, encoding: Encoding) -> Self {
        match encoding {
            Encoding::Plain => Input::Plain(incoming),
            Encoding::Gzip => Input::Gzip(Box::new(MultiGzDecoder::new(incoming))),
        }
    }

    /// Reads and discards the rest: a client reads the response only after it has sent everything.
    pub fn drain(self, bytes_max: u64) {
        let mut incoming = match self {
            Input::Plain(incoming) => incoming,
            Input::Gzip(decoder) => decoder.into_inner(),
        };
        let _ = io::copy(&mut incoming.by_ref().take(bytes_max), &mut io::sink());
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Plain(incoming) => incoming.read(buffer),
            Input::Gzip(decoder) => decoder.read(buffer),
        }
    }
}
