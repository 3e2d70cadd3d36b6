//! Heads and bodies of HTTP/1 requests: the check before hyper finds the same requests as hyper.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use plinth_api::server::{Head, check_head};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Runtime};

use crate::Target;
use crate::input::texts;

thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
}

/// The bytes of a connection. If hyper found a request where the check finds none, a request could be smuggled past the checks.
pub const HTTP1: Target = Target {
    name: "http1",
    seeds: || {
        texts(&[
            "GET /a?b=%20&c={d} HTTP/1.1\r\nhost: x\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhelloGET /next HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nx-trailer: 1\r\n\r\nGET /b HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n\r\nGET / HTTP/1.0\n\n",
            "OPTIONS * HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 1\r\nexpect: 100-continue\r\n\r\nx",
            "GET http://a.b/c HTTP/1.1\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\nCONNECT a:1 HTTP/1.1\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ])
    },
    check: |data| {
        let (ours, end) = scan(data);
        check_prefixes(data);
        let theirs = RUNTIME.with(|runtime| runtime.block_on(served(&data[..end])));
        assert!(theirs.len() <= ours.len(), "hyper found {theirs:?}, the check {ours:?}");
        assert_eq!(theirs, ours[..theirs.len()]);
    },
};

/// The targets of the requests that the check finds, and the end of what hyper gets to see.
fn scan(data: &[u8]) -> (Vec<String>, usize) {
    let (mut found, mut start) = (Vec::new(), 0);
    while start < data.len() {
        match check_head(&data[start..]) {
            // Nothing that hyper would respond to is passed on.
            Head::Malformed(_) => return (found, start),
            Head::Partial => return (found, data.len()),
            Head::Complete(length, mut framing) => {
                assert!(length > 0 && length <= data.len() - start);
                found.push(target_of(&data[start..start + length]));
                start += length;
                let mut in_pieces = framing.clone();
                let body = framing.take(&data[start..]);
                let pieces: usize = data[start..start + body].chunks(3).map(|piece| in_pieces.take(piece)).sum();
                assert_eq!((pieces, &in_pieces), (body, &framing), "pieces do not matter");
                start += body;
                if !framing.is_over() {
                    break;
                }
            }
        }
    }
    (found, data.len())
}

/// A head is complete where its last byte is, and not before.
fn check_prefixes(data: &[u8]) {
    let Head::Complete(length, framing) = check_head(data) else { return };
    match check_head(&data[..length]) {
        Head::Complete(again, same) => assert_eq!((again, same), (length, framing)),
        other => panic!("the same head is {other:?}"),
    }
    for end in [length / 2, length - 1] {
        assert!(!matches!(check_head(&data[..end]), Head::Complete(..)), "a part of a head is complete");
    }
}

fn target_of(head: &[u8]) -> String {
    let line = head.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let target = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    let uri = Uri::try_from(target).expect("the check has parsed it");
    uri.to_string()
}

/// The targets of the requests that hyper serves.
async fn served(data: &[u8]) -> Vec<String> {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let (mut client, server) = tokio::io::duplex(1 << 20);
    let record = seen.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        record.lock().expect("no panic").push(request.uri().to_string());
        async move {
            let _ = request.into_body().collect().await;
            Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new()))
        }
    });
    let connection = http1::Builder::new().header_read_timeout(None).serve_connection(TokioIo::new(server), service);
    let talk = async {
        client.write_all(data).await.expect("memory can be written");
        client.shutdown().await.expect("memory can be closed");
        let mut responses = Vec::new();
        let _ = client.read_to_end(&mut responses).await;
        responses
    };
    let (_, responses) = tokio::join!(connection, talk);
    drop(responses);
    let seen = seen.lock().expect("no panic");
    seen.clone()
}
