//! Finds the end of a response and takes it apart.

use std::borrow::Cow;

use anyhow::{Context as _, Result};
use memchr::{memchr, memmem};

/// What must be known of a response before its body is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    /// Bytes before the body.
    pub length: usize,
    /// Bytes of the body; `None` if it is chunked.
    pub body_length: Option<usize>,
}

/// The head of a response, or `None` while it is incomplete.
pub fn head(bytes: &[u8]) -> Result<Option<Head>> {
    let Some(end) = memmem::find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let status = bytes.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    let status =
        status.with_context(|| format!("no status in {:?}", String::from_utf8_lossy(&bytes[..end.min(80)])))?;
    let mut body_length = if status == 204 || status == 304 { Some(0) } else { None };
    let mut rest = &bytes[..end + 2];
    while let Some(line_end) = memchr(b'\n', rest) {
        let (line, next) = rest.split_at(line_end + 1);
        rest = next;
        // Compare the length first: most headers do not matter here.
        if line.len() > 16 && line[14] == b':' && line[..14].eq_ignore_ascii_case(b"content-length") {
            body_length = std::str::from_utf8(&line[15..]).ok().and_then(|text| text.trim().parse().ok());
        }
    }
    Ok(Some(Head { status, length: end + 4, body_length }))
}

/// The body of a response with its chunks joined, or `None` while it is incomplete.
pub fn body<'a>(head: &Head, bytes: &'a [u8]) -> Option<Cow<'a, [u8]>> {
    let rest = &bytes[head.length..];
    match head.body_length {
        Some(length) => rest.get(..length).map(Into::into),
        None => joined_chunks(rest).map(Into::into),
    }
}

fn joined_chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    // A long body arrives in many reads: look for its end before joining anything.
    if !rest.ends_with(b"0\r\n\r\n") {
        return None;
    }
    let mut joined = Vec::with_capacity(rest.len());
    loop {
        let end = memmem::find(rest, b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).ok()?, 16).ok()?;
        if size == 0 {
            return Some(joined);
        }
        joined.extend_from_slice(rest.get(end + 2..end + 2 + size)?);
        rest = rest.get(end + 2 + size + 2..)?;
    }
}

/// One header in the bytes before a body; `name` is in lower case, as servers send it.
pub fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    let text = std::str::from_utf8(head).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// The headers in the bytes before a body.
pub fn headers(head: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(head);
    let lines = text.lines().skip(1).filter_map(|line| line.split_once(':'));
    lines.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete_head(text: &[u8]) -> Head {
        head(text).expect("it is a response").expect("its head is complete")
    }

    #[test]
    fn response_is_complete_only_at_its_end() {
        let text = b"HTTP/1.1 200 OK\r\nx: y\r\nContent-Length: 5\r\n\r\nhello";
        assert!(head(&text[..20]).is_ok_and(|head| head.is_none()));
        let found = complete_head(text);
        assert_eq!(found, Head { status: 200, length: text.len() - 5, body_length: Some(5) });
        assert_eq!(body(&found, &text[..text.len() - 1]), None);
        assert_eq!(body(&found, text).as_deref(), Some(&b"hello"[..]));
    }

    #[test]
    fn chunks_are_joined() {
        let text = b"HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        let found = complete_head(text);
        assert_eq!(body(&found, &text[..text.len() - 2]), None);
        assert_eq!(body(&found, text).as_deref(), Some(&b"abcde"[..]));
    }
}
