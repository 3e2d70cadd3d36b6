//! Packet lines: the framing of git's protocol, parsed strictly (docs/decisions/0130-own-git-parts.md).

use std::fmt;
use std::io::{self, Read};

/// The longest packet, including its four length digits.
pub const PACKET_MAX: usize = 65_520;
/// The longest data of one packet.
pub const DATA_MAX: usize = PACKET_MAX - PREFIX;
const PREFIX: usize = 4;

/// One packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packet<'a> {
    Data(&'a [u8]),
    Flush,
    Delimiter,
    ResponseEnd,
}

impl<'a> Packet<'a> {
    /// The data as a line, without its line feed.
    pub fn as_line(&self) -> Option<&'a [u8]> {
        match self {
            Packet::Data(data) => Some(data.strip_suffix(b"\n").unwrap_or(data)),
            Packet::Flush | Packet::Delimiter | Packet::ResponseEnd => None,
        }
    }
}

/// The bytes are not a packet, even if more bytes arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedPacket;

impl fmt::Display for MalformedPacket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the bytes are not a packet line")
    }
}

/// Removes the first packet from the input; `None` if it is incomplete.
pub fn take<'a>(input: &mut &'a [u8]) -> Result<Option<Packet<'a>>, MalformedPacket> {
    let Some((digits, rest)) = input.split_at_checked(PREFIX) else { return Ok(None) };
    let length = parse_length(digits)?;
    let special = match length {
        0 => Some(Packet::Flush),
        1 => Some(Packet::Delimiter),
        2 => Some(Packet::ResponseEnd),
        3 => return Err(MalformedPacket),
        _ => None,
    };
    if let Some(packet) = special {
        *input = rest;
        return Ok(Some(packet));
    }
    let Some((data, rest)) = rest.split_at_checked(length - PREFIX) else { return Ok(None) };
    *input = rest;
    Ok(Some(Packet::Data(data)))
}

/// Reads one packet from a stream into the buffer.
pub fn read<'b>(input: &mut dyn Read, buffer: &'b mut Vec<u8>) -> io::Result<Packet<'b>> {
    let malformed = |error: MalformedPacket| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
    buffer.resize(PREFIX, 0);
    input.read_exact(buffer)?;
    let length = parse_length(buffer).map_err(malformed)?;
    if length > PREFIX {
        buffer.resize(length, 0);
        input.read_exact(&mut buffer[PREFIX..])?;
    }
    take(&mut buffer.as_slice()).map_err(malformed)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

fn parse_length(digits: &[u8]) -> Result<usize, MalformedPacket> {
    let mut length = 0;
    for digit in digits {
        let value = (*digit as char).to_digit(16).ok_or(MalformedPacket)?;
        length = length << 4 | value as usize;
    }
    if length > PACKET_MAX { Err(MalformedPacket) } else { Ok(length) }
}

/// Appends one packet. Panics if the data does not fit.
pub fn put_data(out: &mut Vec<u8>, data: &[u8]) {
    assert!(data.len() <= DATA_MAX, "the data fits one packet");
    out.extend_from_slice(format!("{:04x}", data.len() + PREFIX).as_bytes());
    out.extend_from_slice(data);
}

/// Appends one packet with the text and a line feed.
pub fn put_line(out: &mut Vec<u8>, text: &str) {
    put_data(out, format!("{text}\n").as_bytes());
}

/// Appends the packet that ends a message.
pub fn put_flush(out: &mut Vec<u8>) {
    out.extend_from_slice(b"0000");
}

/// Appends the packet that separates the sections of a message.
pub fn put_delimiter(out: &mut Vec<u8>) {
    out.extend_from_slice(b"0001");
}

/// The three channels of a side-band response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Band {
    Data = 1,
    Progress = 2,
    Error = 3,
}

/// Appends the bytes on a channel, in as many packets as they need.
pub fn put_band(out: &mut Vec<u8>, band: Band, bytes: &[u8]) {
    for chunk in bytes.chunks(DATA_MAX - 1) {
        out.extend_from_slice(format!("{:04x}", chunk.len() + PREFIX + 1).as_bytes());
        out.push(band as u8);
        out.extend_from_slice(chunk);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn take_parses_every_packet_and_rejects_the_rest() {
        for (input, expected) in [
            (&b"0000rest"[..], Ok(Some(Packet::Flush))),
            (b"0001", Ok(Some(Packet::Delimiter))),
            (b"0002", Ok(Some(Packet::ResponseEnd))),
            (b"0003", Err(MalformedPacket)),
            (b"0004", Ok(Some(Packet::Data(b"")))),
            (b"0006a\n", Ok(Some(Packet::Data(b"a\n")))),
            (b"000Aabcdef", Ok(Some(Packet::Data(b"abcdef")))),
            (b"0009abcd", Ok(None)),
            (b"000", Ok(None)),
            (b"", Ok(None)),
            (b"fff1", Err(MalformedPacket)),
            (b"00g1", Err(MalformedPacket)),
            (b"+001", Err(MalformedPacket)),
        ] {
            let mut rest = input;
            assert_eq!(take(&mut rest), expected, "{input:?}");
        }
        assert_eq!(Packet::Data(b"line\n").as_line(), Some(&b"line"[..]));
    }

    proptest! {
        #[test]
        fn take_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut rest = bytes.as_slice();
            while let Ok(Some(_)) = take(&mut rest) {}
        }

        #[test]
        fn written_packets_are_read_back(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..5)) {
            let mut bytes = Vec::new();
            for line in &lines {
                put_data(&mut bytes, line);
            }
            put_flush(&mut bytes);
            let mut rest = bytes.as_slice();
            for line in &lines {
                prop_assert_eq!(take(&mut rest), Ok(Some(Packet::Data(line))));
            }
            prop_assert_eq!(take(&mut rest), Ok(Some(Packet::Flush)));
            prop_assert!(rest.is_empty());
        }
    }

    #[test]
    fn long_band_is_split() {
        let mut bytes = Vec::new();
        put_band(&mut bytes, Band::Data, &[7; 100_000]);
        let mut rest = bytes.as_slice();
        let mut total = 0;
        while let Ok(Some(Packet::Data(data))) = take(&mut rest) {
            assert_eq!(data[0], 1);
            total += data.len() - 1;
        }
        assert_eq!((total, rest.len()), (100_000, 0));
    }
}
