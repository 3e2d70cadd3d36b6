//! Responses too long to hold in memory.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Context as _, Result};
use memchr::memmem;

use super::request::request;

/// Occurrences of a word in a body, and the body's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    pub count: u64,
    pub bytes: u64,
}

/// Reads a chunked response and counts a word in it.
pub fn count_in_stream(address: SocketAddr, path: &str, word: &[u8]) -> Result<Counted> {
    let counted = || {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(&request("GET", path, ""))?;
        let mut input = BufReader::with_capacity(1 << 18, stream);
        check_head(&mut input)?;
        count(&mut input, word)
    };
    counted().with_context(|| format!("GET {path}"))
}

fn check_head(input: &mut impl BufRead) -> std::io::Result<()> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    let is_ok = line.starts_with("HTTP/1.1 200");
    let mut is_chunked = false;
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        is_chunked |= line.eq_ignore_ascii_case("transfer-encoding: chunked\r\n");
    }
    if is_ok && is_chunked { Ok(()) } else { Err(std::io::Error::other("not a chunked response with status 200")) }
}

fn count(input: &mut impl BufRead, word: &[u8]) -> std::io::Result<Counted> {
    let mut counted = Counted { count: 0, bytes: 0 };
    // Begins with the end of the chunk before, since a word may span two chunks.
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
    fn word_across_two_chunks_is_counted_once() {
        let mut input = &b"5\r\nxabca\r\n3\r\nbcx\r\n2\r\nab\r\n0\r\n\r\n"[..];
        assert_eq!(count(&mut input, b"abc").expect("it is complete"), Counted { count: 2, bytes: 10 });
        assert!(count(&mut &b"5\r\nxab"[..], b"abc").is_err());
    }
}
