//! Answers that are too long to keep.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use memchr::memmem;

use super::request;
use crate::Result;

/// What was seen in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    pub count: u64,
    pub bytes: u64,
}

/// Reads a long answer in chunks and counts a word in it.
pub fn count_in_stream(address: SocketAddr, path: &str, word: &[u8]) -> Result<Counted> {
    let counted = || {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(&request("GET", path, ""))?;
        let mut input = BufReader::with_capacity(1 << 18, stream);
        check_head(&mut input)?;
        count(&mut input, word)
    };
    counted().map_err(|error| format!("GET {path}: {error}"))
}

fn check_head(input: &mut impl BufRead) -> std::io::Result<()> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    let is_good = line.starts_with("HTTP/1.1 200");
    let mut is_chunked = false;
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        is_chunked |= line.eq_ignore_ascii_case("transfer-encoding: chunked\r\n");
    }
    if is_good && is_chunked { Ok(()) } else { Err(std::io::Error::other("not a stream that begins well")) }
}

fn count(input: &mut impl BufRead, word: &[u8]) -> std::io::Result<Counted> {
    let mut counted = Counted { count: 0, bytes: 0 };
    // The end of what came before, since a word may lie across two chunks.
    let mut data = Vec::new();
    let mut line = String::new();
    loop {
        line.clear();
        input.read_line(&mut line)?;
        let size = u64::from_str_radix(line.trim_end(), 16).map_err(std::io::Error::other)?;
        if size == 0 {
            return Ok(counted);
        }
        input.by_ref().take(size).read_to_end(&mut data)?;
        input.read_line(&mut line)?;
        counted.bytes += size;
        counted.count += memmem::find_iter(&data, word).count() as u64;
        data.drain(..data.len().saturating_sub(word.len() - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_across_two_chunks_is_counted_once() {
        let mut input = &b"5\r\nxabca\r\n3\r\nbcx\r\n2\r\nab\r\n0\r\n\r\n"[..];
        assert_eq!(count(&mut input, b"abc").expect("it is whole"), Counted { count: 2, bytes: 10 });
        assert!(count(&mut &b"5\r\nxab"[..], b"abc").is_err());
    }
}
