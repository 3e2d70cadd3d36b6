//! Malformed request heads get an error response in JSON.

use http_body_util::BodyExt;
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::{HttpResponse, Raw, Server};

fn server() -> (tempfile::TempDir, Server) {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let server = Server::start(directory.path(), &["--ephemeral"]);
    (directory, server)
}

fn roundtrip(raw: &mut Raw, head: &str) -> HttpResponse {
    raw.try_send(head);
    raw.response()
}

#[track_caller]
fn assert_error(response: &HttpResponse, status: u16, word: &str) {
    assert_eq!(response.status(), status, "{response:?}");
    let body: serde_json::Value =
        serde_json::from_str(response.body()).unwrap_or_else(|_| panic!("no JSON: {response:?}"));
    let message = body["message"].as_str().expect("a message");
    assert!(message.contains(word), "{message}");
    assert_eq!(body["status"], status.to_string(), "{body}");
    assert!(body["documentation_url"].is_string(), "{body}");
    for (name, value) in [
        ("content-type", "application/json; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        ("connection", "close"),
        ("vary", "Accept, Authorization, Cookie, Accept-Encoding, X-Requested-With"),
    ] {
        assert_eq!(response.header(name), Some(value), "{response:?}");
    }
    let id = response.header("x-github-request-id").expect("an id");
    assert_eq!(response.header("x-service-request-id"), Some(id));
    assert_eq!(response.header("content-length"), Some(response.body().len().to_string().as_str()));
    assert!(response.header("date").is_some());
    assert_eq!(response.0.matches("HTTP/1.1").count(), 1, "{response:?}");
}

#[test]
fn malformed_request_head_returns_json_with_status() {
    let (_directory, server) = server();
    let many = "x: y\r\n".repeat(200);
    let long = "x".repeat(70_000);
    for (line, headers, status, word) in [
        ("GET /me<ta HTTP/1.1", "", 400, "target"),
        ("GET /me\"ta HTTP/1.1", "", 400, "target"),
        ("GET /me ta HTTP/1.1", "", 400, "line"),
        ("GET  /meta HTTP/1.1", "", 400, "malformed"),
        ("GET /meta HTTP/9.9", "", 400, "version"),
        ("G<T /meta HTTP/1.1", "", 400, "malformed"),
        ("GET meta^ HTTP/1.1", "", 400, "target"),
        ("POST /user/repos HTTP/1.1", "content-length: abc\r\n", 400, "Content-Length"),
        ("POST /user/repos HTTP/1.1", "content-length: 99999999999999999999999\r\n", 400, "Content-Length"),
        ("POST /user/repos HTTP/1.1", "content-length: 5\r\ncontent-length: 6\r\n", 400, "Content-Length"),
        ("POST /user/repos HTTP/1.1", "transfer-encoding: gzip\r\n", 400, "chunked"),
        ("GET /meta HTTP/1.1", "no colon here\r\n", 400, "header"),
        ("GET /meta HTTP/1.1", "x y: z\r\n", 400, "header"),
        ("GET /meta HTTP/1.1", "x: a\0b\r\n", 400, "header"),
        ("GET /meta HTTP/1.1", &many, 431, "100 headers"),
        (&format!("GET /{long} HTTP/1.1"), "", 414, "8192 bytes"),
        ("GET /meta HTTP/1.1", &format!("x: {long}\r\n"), 431, "16384 bytes"),
    ] {
        let response = roundtrip(&mut server.connect(), &format!("{line}\r\nhost: x\r\n{headers}\r\n"));
        assert_error(&response, status, word);
    }
    // A TLS handshake on a port without TLS.
    assert_error(&roundtrip(&mut server.connect(), "\u{16}\u{3}\u{1}\u{2}\0"), 400, "malformed");
    assert_eq!(server.get("/meta").status(), 200);
}

/// The HTTP/2 library rejects lists of headers that are far too long by itself, without a body; these are below that.
#[tokio::test]
async fn oversized_http2_request_head_returns_json_with_status() {
    let (_directory, server) = server();
    let stream = tokio::net::TcpStream::connect(server.address).await.expect("the server accepts connections");
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (mut client, connection) = handshake.await.expect("the server speaks HTTP/2");
    tokio::spawn(connection);
    let url = |path: &str| format!("http://{}{path}", server.address);
    let long = "x".repeat(60_000);
    let many = (0..200).map(|number| (format!("x-{number}"), "y".to_owned())).collect();
    for (url, headers, status, word) in [
        (url("/meta"), vec![], 200, ""),
        (url(&format!("/{long}")), vec![], 414, "8192 bytes"),
        (url("/meta"), vec![("x".to_owned(), "x".repeat(100_000))], 431, "16384 bytes"),
        (url("/meta"), many, 431, "100 headers"),
    ] {
        let mut request = http::Request::get(url);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(axum::body::Body::empty()).expect("a request");
        let response = client.send_request(request).await.expect("a response");
        assert_eq!(response.status(), status);
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        let body: serde_json::Value = serde_json::from_slice(&body).expect("the body is JSON");
        assert!(status == 200 || body["message"].as_str().is_some_and(|text| text.contains(word)), "{body}");
    }
}

/// The responses before the error are complete, and the connection is closed after it.
#[test]
fn malformed_pipelined_request_closes_connection() {
    let (_directory, server) = server();
    let bodies = [
        String::new(),
        "content-length: 2\r\n\r\n{}".to_owned(),
        "transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n".to_owned(),
    ];
    for body in bodies {
        let request = match body.as_str() {
            "" => "GET /meta HTTP/1.1\r\nhost: x\r\n\r\n".to_owned(),
            body => format!("POST /meta HTTP/1.1\r\nhost: x\r\n{body}"),
        };
        let all =
            format!("{request}{request}GET /a<b HTTP/1.1\r\nhost: x\r\n\r\nGET /meta HTTP/1.1\r\nhost: x\r\n\r\n");
        let whole = roundtrip(&mut server.connect(), &all);
        let statuses: Vec<&str> = whole.0.split("HTTP/1.1 ").skip(1).map(|response| &response[..3]).collect();
        let good = if body.is_empty() { "200" } else { "404" };
        assert_eq!(statuses, [good, good, "400"], "{body:?}: {whole:?}");
        assert!(whole.0.contains("The request target is malformed"), "{whole:?}");
    }
}

/// A request is the same however it is divided into packets.
#[test]
fn request_sent_in_pieces_is_served() {
    let (_directory, server) = server();
    let auth = "authorization: Bearer ghp_monamona\r\nhost: x\r\n";
    let first = format!("POST /user/repos HTTP/1.1\r\n{auth}content-length: 14\r\n\r\n{{\"name\":\"one\"}}");
    let second = format!(
        "POST /user/repos HTTP/1.1\r\n{auth}transfer-encoding: chunked\r\n\r\n5\r\n{{\"nam\r\n9\r\ne\":\"two\"}}\r\n0\r\n\r\n"
    );
    let third = format!("GET /repos/mona/two HTTP/1.1\r\n{auth}connection: close\r\n\r\n");
    let mut raw = server.connect();
    raw.0.set_nodelay(true).expect("a socket accepts it");
    for piece in format!("{first}{second}{third}").as_bytes().chunks(7) {
        raw.try_send_bytes(piece);
    }
    let whole = raw.response();
    let statuses: Vec<&str> = whole.0.split("HTTP/1.1 ").skip(1).map(|response| &response[..3]).collect();
    assert_eq!(statuses, ["201", "201", "200"], "{whole:?}");
}

#[test]
fn every_response_has_vary_header() {
    let (_directory, server) = server();
    for (head, status) in [
        ("GET /meta HTTP/1.1", 200),
        ("GET /nowhere HTTP/1.1", 404),
        ("GET /healthz HTTP/1.1", 200),
        ("GET /readyz HTTP/1.1", 200),
        ("OPTIONS /meta HTTP/1.1", 204),
        ("HEAD /meta HTTP/1.1", 200),
        ("GET /meta HTTP/1.1\r\naccept: text/html", 415),
        ("GET /user HTTP/1.1", 401),
        ("GET /user HTTP/1.1\r\nauthorization: Bearer ghp_nobody", 401),
        ("GET /meta?access_token=x HTTP/1.1", 400),
        ("GET /docs HTTP/1.1", 200),
        ("GET /mona/none.git/info/refs?service=git-upload-pack HTTP/1.1", 401),
    ] {
        let response = server.request(head, "");
        assert_eq!(response.status(), status, "{head}: {response:?}");
        let vary = response.header("vary").unwrap_or_else(|| panic!("{head}: {response:?}"));
        assert!(vary.contains("Authorization") && vary.contains("Accept"), "{head}: {vary}");
    }
    let tag = server.get("/meta").header("etag").expect("a tag").to_owned();
    let same = server
        .request(&format!("GET /meta HTTP/1.1\r\nauthorization: Bearer ghp_monamona\r\nif-none-match: {tag}"), "");
    assert_eq!((same.status(), same.header("vary").is_some()), (304, true), "{same:?}");
}
