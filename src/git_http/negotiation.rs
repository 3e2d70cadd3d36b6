//! What a client wants and has: read whole, but never more than a limit of lines and bytes.

use std::io::{self, Write};

use axum::body::Body;
use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use futures_util::StreamExt;

use super::model::Encoding;
use super::permits;
use crate::api::exchange::Exchange;
use crate::api::permits::Permit;
use crate::api::request_body::RequestBody;
use crate::app::App;
use crate::error::{Error, Result};
use crate::git::pkt_line::{self, Packet};

const LINES_MAX: usize = 64 * 1024;
const BYTES_MAX: usize = 8 * 1024 * 1024;
/// Up to here a request is read without a permit of its own; more of them in memory at once need one each.
const BYTES_WITHOUT_PERMIT_MAX: usize = 64 * 1024;
const TOO_MUCH: &str = "too many lines: a request may have 65536 of them, and 8 MiB";

/// A whole request in packet lines, well formed.
pub struct Negotiation {
    bytes: Vec<u8>,
    permit: Option<Permit>,
}

impl Negotiation {
    /// Reads the body, packed or not, and stops as soon as a limit is passed.
    pub async fn read(app: &App, exchange: &Exchange, body: Body, encoding: Encoding) -> Result<Self> {
        let mut unpacker = Unpacker::new(encoding);
        let mut permit = None;
        let mut data = body.into_data_stream();
        while let Some(piece) = next(&mut data).await? {
            unpacker.put(&piece)?;
            if permit.is_none() && unpacker.lines().bytes.len() > BYTES_WITHOUT_PERMIT_MAX {
                permit = Some(permits::acquire(app, exchange).await?);
            }
        }
        Ok(Self { bytes: unpacker.finish()?, permit })
    }

    /// All packets in order.
    pub fn packets(&self) -> Vec<Packet<'_>> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(|| pkt_line::take(&mut rest).ok().flatten()).collect()
    }

    /// The bytes, and the permit that was needed for reading them or is acquired now.
    pub async fn into_parts(self, app: &App, exchange: &Exchange) -> Result<(Vec<u8>, Permit)> {
        let permit = match self.permit {
            Some(permit) => permit,
            None => permits::acquire(app, exchange).await?,
        };
        Ok((self.bytes, permit))
    }
}

async fn next<S>(data: &mut S) -> Result<Option<Bytes>>
where
    S: futures_util::Stream<Item = Result<Bytes, axum::Error>> + Unpin,
{
    match data.next().await.transpose() {
        Ok(piece) => Ok(piece),
        Err(error) if RequestBody::is_too_slow(&error) => Err(Error::BadRequest("The request came too slowly.".into())),
        Err(_) => Err(Error::BadRequest("The request ended early.".into())),
    }
}

/// Turns what is sent into lines.
enum Unpacker {
    Plain(Lines),
    Gzip(Box<MultiGzDecoder<Lines>>),
}

impl Unpacker {
    fn new(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Plain => Unpacker::Plain(Lines::default()),
            Encoding::Gzip => Unpacker::Gzip(Box::new(MultiGzDecoder::new(Lines::default()))),
        }
    }

    fn put(&mut self, piece: &[u8]) -> Result<()> {
        let written = match self {
            Unpacker::Plain(lines) => lines.write_all(piece),
            Unpacker::Gzip(decoder) => decoder.write_all(piece),
        };
        written.map_err(|_| self.lines().complaint())
    }

    fn lines(&self) -> &Lines {
        match self {
            Unpacker::Plain(lines) => lines,
            Unpacker::Gzip(decoder) => decoder.get_ref(),
        }
    }

    fn finish(mut self) -> Result<Vec<u8>> {
        if let Unpacker::Gzip(decoder) = &mut self {
            decoder.try_finish().map_err(|_| decoder.get_ref().complaint())?;
        }
        let lines = match self {
            Unpacker::Plain(lines) => lines,
            Unpacker::Gzip(decoder) => decoder.finish().map_err(|_| malformed())?,
        };
        if lines.read_to == lines.bytes.len() { Ok(lines.bytes) } else { Err(malformed()) }
    }
}

/// Lines as they come, counted at once so that nothing is kept beyond the limits.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    read_to: usize,
    count: usize,
    over: bool,
}

impl Lines {
    fn complaint(&self) -> Error {
        if self.over { Error::unprocessable(TOO_MUCH) } else { malformed() }
    }

    fn count_new(&mut self) -> Result<(), pkt_line::MalformedPacket> {
        let mut rest = &self.bytes[self.read_to..];
        while pkt_line::take(&mut rest)?.is_some() {
            self.count += 1;
        }
        self.read_to = self.bytes.len() - rest.len();
        Ok(())
    }
}

impl Write for Lines {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.over = self.bytes.len() + piece.len() > BYTES_MAX;
        if !self.over {
            self.bytes.extend_from_slice(piece);
            self.count_new().map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
            self.over = self.count > LINES_MAX;
        }
        if self.over { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(piece.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn malformed() -> Error {
    Error::BadRequest("The request is not in the form of Git's protocol.".into())
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn read(encoding: Encoding, sent: &[u8]) -> Result<Vec<u8>> {
        let mut unpacker = Unpacker::new(encoding);
        for piece in sent.chunks(1000) {
            unpacker.put(piece)?;
        }
        unpacker.finish()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn lines_are_read_packed_or_not_and_counted_as_they_come() {
        let few = b"0006a\n0000".to_vec();
        let many = b"0006a\n".repeat(LINES_MAX + 1);
        let long = [b"fff0".as_slice(), &[b'x'; 0xfff0 - 4]].concat().repeat(BYTES_MAX / 0xfff0 + 1);
        for (what, sent, expected) in [
            ("few lines", few.clone(), Some(&few)),
            ("no line", Vec::new(), Some(&Vec::new())),
            ("too many lines", many, None),
            ("too many bytes", long, None),
            ("a line that ends early", b"0008a\n".to_vec(), None),
            ("no lines at all", b"hello".to_vec(), None),
        ] {
            assert_eq!(read(Encoding::Plain, &sent).ok().as_ref(), expected, "{what}");
            assert_eq!(read(Encoding::Gzip, &gzip(&sent)).ok().as_ref(), expected, "{what}, packed");
        }
        assert!(matches!(read(Encoding::Gzip, &few), Err(Error::BadRequest(_))));
        let cut = gzip(&few);
        assert!(matches!(read(Encoding::Gzip, &cut[..cut.len() - 4]), Err(Error::BadRequest(_))));
    }
}
