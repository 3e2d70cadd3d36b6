//! The wants and haves of a fetch, read as they arrive. A clone wants every reference of a repository, which may be a
//! million: a large request goes to a file, and the lines that are parsed stay in memory, within limits.

use std::io::{self, Write};

use axum::body::Body;
use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use futures_util::StreamExt;

use super::model::Encoding;
use super::permits;
use super::spool::{self, Spool};
use crate::app::App;
use crate::app::permits::Permit;
use crate::request::context::RequestContext;
use crate::request::request_body::RequestBody;
use plinth_base::error::{Error, Result};
use plinth_git::pkt_line::{self, Packet};

/// Lines besides wants and haves, and bytes of all lines, that stay in memory.
const LINES_MAX: usize = 64 * 1024;
const RETAINED_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Wants and haves that stay in memory. Git gets all of them.
const RETAINED_OBJECTS_MAX: usize = 64 * 1024;
/// Of a request that is too large, at least this much is read and discarded: the wants of a million refs. Git shows an
/// error response only if it could send everything.
const DRAINED_MIN: u64 = 64 * 1024 * 1024;
/// A compressed byte can stand for a thousand, so the body is decompressed in small pieces.
const UNPACKED_AT_ONCE: usize = 1024;

/// A whole request in packet lines, well formed.
pub struct Negotiation {
    /// The lines that are parsed.
    retained: Vec<u8>,
    /// Whether wants or haves are missing there.
    is_abridged: bool,
    /// The request as it was sent.
    spool: Spool,
    permit: Option<Permit>,
}

impl Negotiation {
    /// Reads the body, compressed or not, and stops as soon as a limit is exceeded.
    pub async fn read(app: &App, context: &RequestContext, body: Body, encoding: Encoding) -> Result<Self> {
        let bytes_max = app.settings.git.request_size_max;
        let mut unpacker = Unpacker::new(encoding, bytes_max);
        let (mut spool, mut permit) = (Spool::default(), None);
        let mut data = body.into_data_stream();
        while let Some(piece) = next(&mut data).await? {
            for part in piece.chunks(UNPACKED_AT_ONCE) {
                if let Err(error) = unpacker.put(part) {
                    drain(&mut data, bytes_max.max(DRAINED_MIN)).await;
                    return Err(error);
                }
                if permit.is_none() && unpacker.lines().total > spool::MEMORY_MAX as u64 {
                    // Large requests need a permit, which limits how many are read at once.
                    permit = Some(permits::acquire(app, context).await?);
                }
                if unpacker.lines().fresh.len() >= spool::MEMORY_MAX {
                    spool.put(&app.repositories, &unpacker.take_fresh()).await?;
                }
            }
        }
        let Lines { fresh, retained, is_abridged, .. } = unpacker.finish()?;
        spool.put(&app.repositories, &fresh).await?;
        spool.rewind().await?;
        Ok(Self { retained, is_abridged, spool, permit })
    }

    /// Whether [`Negotiation::packets`] leaves out some of the wants and haves.
    pub fn is_abridged(&self) -> bool {
        self.is_abridged
    }

    /// The packets in order, with no more than the first of the wants and haves.
    pub fn packets(&self) -> Vec<Packet<'_>> {
        let mut rest = self.retained.as_slice();
        std::iter::from_fn(|| pkt_line::take(&mut rest).ok().flatten()).collect()
    }

    /// The whole request, and the permit that was needed for reading it or is acquired now.
    pub async fn into_parts(self, app: &App, context: &RequestContext) -> Result<(Spool, Permit)> {
        let permit = match self.permit {
            Some(permit) => permit,
            None => permits::acquire(app, context).await?,
        };
        Ok((self.spool, permit))
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

/// Reads and discards the rest: a client reads the response only after it has sent everything.
async fn drain<S>(data: &mut S, bytes_max: u64)
where
    S: futures_util::Stream<Item = Result<Bytes, axum::Error>> + Unpin,
{
    let mut left = bytes_max;
    while let Ok(Some(piece)) = next(data).await {
        left = left.saturating_sub(piece.len() as u64);
        if left == 0 {
            return;
        }
    }
}

/// Turns what is sent into lines.
enum Unpacker {
    Plain(Lines),
    Gzip(Box<MultiGzDecoder<Lines>>),
}

impl Unpacker {
    fn new(encoding: Encoding, bytes_max: u64) -> Self {
        let lines = Lines { bytes_max, ..Lines::default() };
        match encoding {
            Encoding::Plain => Unpacker::Plain(lines),
            Encoding::Gzip => Unpacker::Gzip(Box::new(MultiGzDecoder::new(lines))),
        }
    }

    fn put(&mut self, piece: &[u8]) -> Result<()> {
        let written = match self {
            Unpacker::Plain(lines) => lines.write_all(piece),
            Unpacker::Gzip(decoder) => decoder.write_all(piece),
        };
        written.map_err(|_| self.lines().error())
    }

    fn lines(&self) -> &Lines {
        match self {
            Unpacker::Plain(lines) => lines,
            Unpacker::Gzip(decoder) => decoder.get_ref(),
        }
    }

    /// The bytes since the last call.
    fn take_fresh(&mut self) -> Vec<u8> {
        let lines = match self {
            Unpacker::Plain(lines) => lines,
            Unpacker::Gzip(decoder) => decoder.get_mut(),
        };
        std::mem::take(&mut lines.fresh)
    }

    fn finish(mut self) -> Result<Lines> {
        if let Unpacker::Gzip(decoder) = &mut self {
            decoder.try_finish().map_err(|_| decoder.get_ref().error())?;
        }
        let lines = match self {
            Unpacker::Plain(lines) => lines,
            Unpacker::Gzip(decoder) => decoder.finish().map_err(|_| malformed())?,
        };
        if lines.partial.is_empty() { Ok(lines) } else { Err(malformed()) }
    }
}

/// Lines as they arrive, counted at once so that memory stays within the limits.
#[derive(Default)]
struct Lines {
    /// Bytes so far, and their limit.
    total: u64,
    bytes_max: u64,
    /// Bytes that nobody has taken yet.
    fresh: Vec<u8>,
    /// The beginning of a packet.
    partial: Vec<u8>,
    retained: Vec<u8>,
    objects: usize,
    others: usize,
    is_abridged: bool,
    over: Option<String>,
}

impl Lines {
    fn error(&self) -> Error {
        self.over.as_ref().map_or_else(malformed, Error::unprocessable)
    }

    fn read_packets(&mut self) -> Result<(), pkt_line::MalformedPacket> {
        let partial = std::mem::take(&mut self.partial);
        let mut rest = partial.as_slice();
        loop {
            let before = rest;
            let Some(packet) = pkt_line::take(&mut rest)? else { break };
            self.retain(packet, &before[..before.len() - rest.len()]);
        }
        self.partial = rest.to_vec();
        Ok(())
    }

    fn retain(&mut self, packet: Packet<'_>, bytes: &[u8]) {
        let is_object = packet.as_line().is_some_and(|line| line.starts_with(b"want ") || line.starts_with(b"have "));
        if is_object {
            self.objects += 1;
            if self.objects > RETAINED_OBJECTS_MAX {
                self.is_abridged = true;
                return;
            }
        } else {
            self.others += 1;
        }
        if self.others > LINES_MAX || self.retained.len() + bytes.len() > RETAINED_BYTES_MAX {
            self.over = Some(format!("the request has more than {LINES_MAX} lines besides its wants and haves"));
            return;
        }
        self.retained.extend_from_slice(bytes);
    }
}

impl Write for Lines {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.total += piece.len() as u64;
        if self.total > self.bytes_max {
            self.over = Some(format!("the request has more than {} bytes (git_request_bytes_max)", self.bytes_max));
        }
        if self.over.is_none() {
            self.fresh.extend_from_slice(piece);
            self.partial.extend_from_slice(piece);
            self.read_packets().map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
        }
        if self.over.is_some() { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(piece.len()) }
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

    const BYTES_MAX: u64 = 16 * 1024 * 1024;

    fn read(encoding: Encoding, sent: &[u8]) -> Result<Lines> {
        let mut unpacker = Unpacker::new(encoding, BYTES_MAX);
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

    const WANT: &[u8] = b"0032want a94a8fe5ccb19ba61c4c0873d391e987982fbbd3\n";

    #[test]
    fn lines_are_counted_while_they_are_read_compressed_or_not() {
        let few = b"0006a\n0000".to_vec();
        let many = b"0006a\n".repeat(LINES_MAX + 1);
        let long = [b"fff0".as_slice(), &[b'x'; 0xfff0 - 4]].concat().repeat(RETAINED_BYTES_MAX / 0xfff0 + 1);
        let wants = WANT.repeat(RETAINED_OBJECTS_MAX * 2);
        let too_many_wants = WANT.repeat(usize::try_from(BYTES_MAX).unwrap() / WANT.len() + 1);
        for (what, sent, expected) in [
            ("few lines", few.clone(), Some(few.len())),
            ("no line", Vec::new(), Some(0)),
            ("many wants", wants, Some(RETAINED_OBJECTS_MAX * WANT.len())),
            ("too many wants", too_many_wants, None),
            ("too many lines", many, None),
            ("too many bytes", long, None),
            ("a line that ends early", b"0008a\n".to_vec(), None),
            ("no lines at all", b"hello".to_vec(), None),
        ] {
            for (encoding, sent_as) in [(Encoding::Plain, sent.clone()), (Encoding::Gzip, gzip(&sent))] {
                let lines = read(encoding, &sent_as).ok();
                assert_eq!(lines.as_ref().map(|lines| lines.retained.len()), expected, "{what}, {encoding:?}");
                let Some(lines) = lines else { continue };
                assert_eq!(lines.is_abridged, lines.retained.len() < sent.len(), "{what}");
                assert!(lines.fresh == sent, "git gets all of it: {what}");
            }
        }
        assert!(matches!(read(Encoding::Gzip, &few), Err(Error::BadRequest(_))));
        let truncated = gzip(&few);
        assert!(matches!(read(Encoding::Gzip, &truncated[..truncated.len() - 4]), Err(Error::BadRequest(_))));
    }
}
