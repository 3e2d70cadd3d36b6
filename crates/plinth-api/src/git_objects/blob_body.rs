//! The body of a large blob, encoded while it is sent, so that the content is in memory only once.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// Bytes of one line of MIME's Base64, and the characters of that line.
const LINE_BYTES: usize = 45;
const LINE_LENGTH: usize = 60;
/// A line feed inside of a JSON text.
const LINE_END: &str = "\\n";
/// Bytes that are encoded at once.
const PIECE_BYTES: usize = LINE_BYTES * 1024;

const CONTENT_BEGIN: &str = ",\"content\":\"";
const CONTENT_END: &str = "\",\"encoding\":\"base64\"}";

/// JSON whose last keys are `content` and `encoding`.
pub struct BlobBody<T> {
    head: Option<Bytes>,
    content: T,
    sent: usize,
    has_ended: bool,
}

impl<T: AsRef<[u8]>> BlobBody<T> {
    /// `object` is a JSON object with all the other keys.
    pub fn new(mut object: Vec<u8>, content: T) -> Self {
        object.pop();
        object.extend_from_slice(CONTENT_BEGIN.as_bytes());
        Self { head: Some(object.into()), content, sent: 0, has_ended: false }
    }

    /// All of it at once.
    pub fn write(mut self) -> Vec<u8> {
        let mut whole = Vec::with_capacity(self.length());
        while let Some(piece) = self.next_piece() {
            whole.extend_from_slice(&piece);
        }
        whole
    }

    fn next_piece(&mut self) -> Option<Bytes> {
        if let Some(head) = self.head.take() {
            return Some(head);
        }
        let rest = &self.content.as_ref()[self.sent..];
        if rest.is_empty() {
            return (!std::mem::replace(&mut self.has_ended, true)).then(|| CONTENT_END.into());
        }
        let piece = &rest[..rest.len().min(PIECE_BYTES)];
        let mut text = String::with_capacity(length_of(piece.len()));
        for line in piece.chunks(LINE_BYTES) {
            STANDARD.encode_string(line, &mut text);
            text.push_str(LINE_END);
        }
        self.sent += piece.len();
        Some(text.into())
    }

    fn length(&self) -> usize {
        let head = self.head.as_ref().map_or(0, Bytes::len);
        let end = if self.has_ended { 0 } else { CONTENT_END.len() };
        head + length_of(self.content.as_ref().len() - self.sent) + end
    }
}

/// The length of so many bytes in Base64, with the line ends.
fn length_of(bytes: usize) -> usize {
    let (lines, rest) = (bytes / LINE_BYTES, bytes % LINE_BYTES);
    let last = if rest == 0 { 0 } else { rest.div_ceil(3) * 4 + LINE_END.len() };
    lines * (LINE_LENGTH + LINE_END.len()) + last
}

impl<T: AsRef<[u8]> + Unpin> Body for BlobBody<T> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.next_piece().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up_to_the_body_of_the_announced_length() {
        for size in (0..200).chain([PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES + 44]) {
            let content: Vec<u8> = (0..size).map(|number| (number % 251) as u8).collect();
            let mut body = BlobBody::new(b"{\"size\":1}".to_vec(), content.clone());
            let promised = body.length();
            let mut sent = Vec::new();
            while let Some(piece) = body.next_piece() {
                sent.extend_from_slice(&piece);
                assert_eq!(sent.len() + body.length(), promised, "{size} bytes");
            }
            let parsed: serde_json::Value = serde_json::from_slice(&sent).expect("JSON");
            let text = parsed["content"].as_str().expect("a text");
            assert!(text.is_empty() || text.ends_with('\n'));
            assert!(text.lines().all(|line| line.len() <= LINE_LENGTH), "{size} bytes");
            assert_eq!(STANDARD.decode(text.replace('\n', "")).expect("Base64"), content);
            assert_eq!((&parsed["encoding"], &parsed["size"]), (&"base64".into(), &1.into()));
        }
    }
}
