//! Heads of HTTP/1 requests, checked before hyper sees them.
//!
//! Hyper responds to a malformed head by itself and without a body. So the same parser looks at each head first: what
//! hyper would reject never reaches it, and gets an error response like any other. Hyper stays the authority on what a
//! request is; this only has to find the same beginnings and ends.

use std::mem::MaybeUninit;

use http::{Method, Uri};

use super::framing::Framing;
use crate::middleware::{HEADER_BYTES_MAX, HEADER_LINES_MAX, URI_BYTES_MAX};
use plinth_base::error::Error;

/// Request line and headers together, with room above their own limits, so that a response can say which was too long.
pub const HEAD_BYTES_MAX: usize = 48 * 1024;

/// What the first bytes of a request are.
#[derive(Debug)]
pub enum Head {
    /// There is more to come.
    Partial,
    /// A head of this length, and what follows it.
    Complete(usize, Framing),
    Malformed(Error),
}

/// Looks at the bytes that have come so far.
pub fn check(bytes: &[u8]) -> Head {
    // Not filled with empty headers first: a request has a dozen, and there is room for a hundred.
    let mut headers = [const { MaybeUninit::uninit() }; HEADER_LINES_MAX];
    let mut request = httparse::Request::new(&mut []);
    match request.parse_with_uninit_headers(bytes, &mut headers) {
        Ok(httparse::Status::Complete(length)) => match check_request(&request) {
            Ok(framing) => Head::Complete(length, framing),
            Err(error) => Head::Malformed(error),
        },
        Ok(httparse::Status::Partial) if bytes.len() < HEAD_BYTES_MAX => Head::Partial,
        Ok(httparse::Status::Partial) => Head::Malformed(too_long(bytes)),
        Err(error) => Head::Malformed(malformed(error)),
    }
}

/// Without the end of its first line the target is what is too long.
fn too_long(bytes: &[u8]) -> Error {
    if bytes.contains(&b'\n') { Error::HeadersTooLarge(HEADER_BYTES_MAX) } else { Error::UriTooLong(URI_BYTES_MAX) }
}

fn malformed(error: httparse::Error) -> Error {
    let what = match error {
        httparse::Error::TooManyHeaders => return Error::TooManyHeaders(HEADER_LINES_MAX),
        httparse::Error::HeaderName | httparse::Error::HeaderValue => "A request header is malformed.",
        httparse::Error::Version => "The request line has no version of HTTP that is spoken here.",
        httparse::Error::NewLine | httparse::Error::Status | httparse::Error::Token => "The request line is malformed.",
    };
    Error::BadRequest(what.into())
}

fn check_request(request: &httparse::Request<'_, '_>) -> Result<Framing, Error> {
    let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
    if !is_plain_target(target) && (target.contains(['"', '<', '>']) || Uri::try_from(target).is_err()) {
        return Err(Error::BadRequest("The request target is malformed: encode it with percent signs.".into()));
    }
    if Method::from_bytes(method.as_bytes()).is_err() {
        return Err(Error::BadRequest("The request method is malformed.".into()));
    }
    framing_of(request)
}

/// Most targets are of letters that need no closer look.
fn is_plain_target(target: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~%?&=+,:@".contains(&byte);
    target.starts_with('/') && target.bytes().all(is_plain)
}

/// By the rules of RFC 9112, section 6.3.
fn framing_of(request: &httparse::Request<'_, '_>) -> Result<Framing, Error> {
    let (mut length, mut encoding) = (None, None);
    for header in request.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            let digits = parse_digits(header.value).ok_or_else(bad_length)?;
            if length.is_some_and(|length| length != digits) {
                return Err(bad_length());
            }
            length = Some(digits);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            encoding = Some(is_chunked(header.value) && request.version == Some(1));
        }
    }
    match encoding {
        Some(true) => Ok(Framing::chunked()),
        Some(false) => Err(Error::BadRequest("The transfer encoding must be chunked.".into())),
        None => Ok(Framing::length(length.unwrap_or_default())),
    }
}

fn bad_length() -> Error {
    Error::BadRequest("The Content-Length header must be one number.".into())
}

fn parse_digits(value: &[u8]) -> Option<u64> {
    let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    let number: u64 = is_number.then(|| std::str::from_utf8(value).ok()?.parse().ok()).flatten()?;
    // Hyper has other uses for the largest numbers.
    (number < u64::MAX - 2).then_some(number)
}

fn is_chunked(value: &[u8]) -> bool {
    let last = value.rsplit(|byte| *byte == b',').next().unwrap_or_default();
    last.trim_ascii().eq_ignore_ascii_case(b"chunked")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length_of(text: &str) -> Option<usize> {
        match check(text.as_bytes()) {
            Head::Complete(length, _) => Some(length),
            Head::Partial | Head::Malformed(_) => None,
        }
    }

    #[test]
    fn a_head_ends_where_its_empty_line_ends() {
        let head = "POST /a?b=%20&c={d} HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n";
        assert_eq!(length_of(&format!("{head}hello")), Some(head.len()));
        for end in 1..head.len() {
            assert!(matches!(check(&head.as_bytes()[..end]), Head::Partial), "{}", &head[..end]);
        }
        assert_eq!(length_of("\r\nGET / HTTP/1.0\n\n"), Some(18));
        assert_eq!(length_of("OPTIONS * HTTP/1.1\r\n\r\n"), Some(22));
    }

    #[test]
    fn what_is_no_request_has_the_error_of_its_kind() {
        let long = "x".repeat(HEAD_BYTES_MAX);
        for (text, is_expected) in [
            (format!("GET /{long}"), (|error| matches!(error, Error::UriTooLong(_))) as fn(&Error) -> bool),
            (format!("GET / HTTP/1.1\r\nx: {long}"), |error| matches!(error, Error::HeadersTooLarge(_))),
            (format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(101)), |error| {
                matches!(error, Error::TooManyHeaders(100))
            }),
        ] {
            let found = check(text.as_bytes());
            assert!(matches!(&found, Head::Malformed(error) if is_expected(error)), "{found:?}");
        }
        for text in [
            "GET /< HTTP/1.1\r\n\r\n",
            "GET /\" HTTP/1.1\r\n\r\n",
            "GET /a b HTTP/1.1\r\n\r\n",
            "GET / HTTP/3.0\r\n\r\n",
            "GET / HTTP/1.1\r\nx y: z\r\n\r\n",
            "GET / HTTP/1.1\r\ncontent-length: abc\r\n\r\n",
            "GET / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
            "GET / HTTP/1.1\r\ncontent-length: 18446744073709551615\r\n\r\n",
            "GET / HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n",
            "GET / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n",
            "\0\0\0",
        ] {
            assert!(matches!(check(text.as_bytes()), Head::Malformed(Error::BadRequest(_))), "{text:?}");
        }
    }
}
