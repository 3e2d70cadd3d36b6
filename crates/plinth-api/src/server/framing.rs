//! Where the body of an HTTP/1 request ends and the next head begins.

/// What is left of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Framing {
    Length(u64),
    Chunked(Chunk),
    /// The body is malformed, which is for hyper to say; no head follows it.
    Lost,
}

/// Where in a chunked body the next byte stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// In the line with the size of a chunk, of which this much is known.
    Size(u64),
    /// Behind the size, before the end of its line.
    Extension(u64),
    Data(u64),
    /// Before the end of the line that ends a chunk.
    DataEnd,
    /// In a line of the trailer that has this many bytes so far.
    Trailer(u64),
    End,
}

impl Framing {
    pub fn length(bytes: u64) -> Self {
        Framing::Length(bytes)
    }

    pub fn chunked() -> Self {
        Framing::Chunked(Chunk::Size(0))
    }

    pub fn is_over(&self) -> bool {
        matches!(self, Framing::Length(0) | Framing::Chunked(Chunk::End))
    }

    /// How many of these bytes belong to the body.
    pub fn take(&mut self, bytes: &[u8]) -> usize {
        let mut taken = 0;
        while taken < bytes.len() && !self.is_over() {
            taken += self.step(&bytes[taken..]);
        }
        taken
    }

    fn step(&mut self, bytes: &[u8]) -> usize {
        let available = bytes.len() as u64;
        match self {
            Framing::Lost => bytes.len(),
            Framing::Length(left) | Framing::Chunked(Chunk::Data(left)) if *left > 0 => {
                let count = available.min(*left);
                *left -= count;
                if *self == Framing::Chunked(Chunk::Data(0)) {
                    *self = Framing::Chunked(Chunk::DataEnd);
                }
                usize::try_from(count).unwrap_or(bytes.len())
            }
            Framing::Length(_) => 0,
            Framing::Chunked(chunk) => {
                match chunk.next(bytes[0]) {
                    Some(next) => *chunk = next,
                    None => *self = Framing::Lost,
                }
                1
            }
        }
    }
}

impl Chunk {
    /// Where the byte after this one stands; nothing if this one has no business here.
    fn next(&self, byte: u8) -> Option<Chunk> {
        let digit = char::from(byte).to_digit(16).map(u64::from);
        Some(match (self, byte) {
            (Chunk::Size(size) | Chunk::Extension(size), b'\n') => match size {
                0 => Chunk::Trailer(0),
                size => Chunk::Data(*size),
            },
            (Chunk::Size(size), _) => match digit {
                Some(digit) => Chunk::Size(size.checked_mul(16)?.checked_add(digit)?),
                None => Chunk::Extension(*size),
            },
            (Chunk::Extension(size), _) => Chunk::Extension(*size),
            (Chunk::DataEnd, b'\n') => Chunk::Size(0),
            (Chunk::DataEnd, b'\r') => Chunk::DataEnd,
            (Chunk::DataEnd, _) => return None,
            (Chunk::Trailer(0), b'\n') => Chunk::End,
            (Chunk::Trailer(_), b'\n') => Chunk::Trailer(0),
            (Chunk::Trailer(length), b'\r') => Chunk::Trailer(*length),
            (Chunk::Trailer(length), _) => Chunk::Trailer(length + 1),
            (Chunk::Data(left), _) => Chunk::Data(*left),
            (Chunk::End, _) => Chunk::End,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_end_where_they_should() {
        let chunked = "5;x=y\r\nhello\r\n0A\r\n0123456789\r\n0\r\nx-trailer: 1\r\n\r\n";
        for (framing, body) in [
            (Framing::length(5), "hello"),
            (Framing::length(0), ""),
            (Framing::chunked(), chunked),
            (Framing::chunked(), "0\r\n\r\n"),
        ] {
            let sent = format!("{body}GET / HTTP/1.1\r\n\r\n");
            for size in [1, 2, 3, 7, sent.len()] {
                let (mut left, mut taken) = (framing.clone(), 0);
                for piece in sent.as_bytes().chunks(size) {
                    let count = left.take(piece);
                    taken += count;
                    if count < piece.len() {
                        break;
                    }
                }
                assert!(left.is_over() && taken == body.len(), "{body:?} in pieces of {size}: {taken}");
            }
        }
    }

    #[test]
    fn a_malformed_body_has_no_end() {
        for body in ["ffffffffffffffffff\r\n", "1\r\nhello"] {
            let mut framing = Framing::chunked();
            assert_eq!(framing.take(body.as_bytes()), body.len());
            assert_eq!(framing, Framing::Lost);
        }
    }
}
