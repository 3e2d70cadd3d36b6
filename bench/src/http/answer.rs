//! Where an answer ends, and what it says.

use memchr::{memchr, memmem};

use crate::Result;

/// What must be known of an answer before its body is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    /// Bytes up to the body.
    pub length: usize,
    /// Bytes of the body; nothing where it comes in chunks.
    pub body_length: Option<usize>,
}

/// The head of an answer, once all of it is there.
pub fn head(bytes: &[u8]) -> Result<Option<Head>> {
    let Some(end) = memmem::find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let status = bytes.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    let status = status.ok_or_else(|| format!("no status in {:?}", String::from_utf8_lossy(&bytes[..end.min(80)])))?;
    let mut body_length = if status == 204 || status == 304 { Some(0) } else { None };
    let mut rest = &bytes[..end + 2];
    while let Some(line_end) = memchr(b'\n', rest) {
        let (line, next) = rest.split_at(line_end + 1);
        rest = next;
        // Compared by length first: most headers are none of the loader's business.
        if line.len() > 16 && line[14] == b':' && line[..14].eq_ignore_ascii_case(b"content-length") {
            body_length = std::str::from_utf8(&line[15..]).ok().and_then(|text| text.trim().parse().ok());
        }
    }
    Ok(Some(Head { status, length: end + 4, body_length }))
}

/// The body of an answer, once all of it is there, with its chunks put together.
pub fn body<'a>(head: &Head, bytes: &'a [u8]) -> Option<std::borrow::Cow<'a, [u8]>> {
    let rest = &bytes[head.length..];
    match head.body_length {
        Some(length) => rest.get(..length).map(Into::into),
        None => joined_chunks(rest).map(Into::into),
    }
}

fn joined_chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    // Bodies of a million references come in many reads: ask for the end before joining anything.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_only_at_its_end() {
        let text = b"HTTP/1.1 200 OK\r\nx: y\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(head(&text[..20]), Ok(None));
        let found = head(text).expect("it is an answer").expect("it is whole");
        assert_eq!(found, Head { status: 200, length: text.len() - 5, body_length: Some(5) });
        assert_eq!(body(&found, &text[..text.len() - 1]), None);
        assert_eq!(body(&found, text).as_deref(), Some(&b"hello"[..]));
    }

    #[test]
    fn chunks_are_joined() {
        let text = b"HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        let found = head(text).expect("it is an answer").expect("it is whole");
        assert_eq!(body(&found, &text[..text.len() - 2]), None);
        assert_eq!(body(&found, text).as_deref(), Some(&b"abcde"[..]));
    }
}
