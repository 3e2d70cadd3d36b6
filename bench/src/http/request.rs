//! Requests as bytes.

/// The headers that clients like octokit send, with the token that every seed has.
const HEADERS: &str = "host: 127.0.0.1\r\naccept: application/vnd.github+json\r\nuser-agent: plinth-bench\r\n\
                       authorization: Bearer ghp_bench\r\nx-github-api-version: 2022-11-28\r\n";

/// The headers that a browser sends which has not signed in.
const BROWSER_HEADERS: &str =
    "host: 127.0.0.1\r\naccept: text/html,application/xhtml+xml,*/*;q=0.8\r\nuser-agent: plinth-bench\r\n";

/// The request of a browser for a page.
pub fn page_request(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\n{BROWSER_HEADERS}\r\n").into_bytes()
}

pub fn request(method: &str, path: &str, body: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(256 + body.len());
    write_request(&mut out, method, path, body);
    out
}

/// Appends a request to a reused buffer.
pub fn write_request(out: &mut Vec<u8>, method: &str, path: &str, body: &str) {
    let text = match (method, body) {
        ("GET", _) | (_, "") => format!("{method} {path} HTTP/1.1\r\n{HEADERS}\r\n"),
        _ => format!(
            "{method} {path} HTTP/1.1\r\n{HEADERS}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ),
    };
    out.extend_from_slice(text.as_bytes());
}
