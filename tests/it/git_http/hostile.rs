//! Hostile git requests: rejected with a clear message, without leftovers.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::Method;

use super::host::{Host, OWNER};
use crate::support::Response;

const ZERO: &str = "0000000000000000000000000000000000000000";

async fn post(host: &Host, service: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Response {
    let mut client = host.service.with_token(OWNER).header("content-type", &format!("application/x-{service}-request"));
    for (name, value) in headers {
        client = client.header(name, value);
    }
    client.send(Method::POST, &format!("/octo-org/hello.git/{service}"), body).await
}

fn line(text: &str) -> String {
    format!("{:04x}{text}", text.len() + 4)
}

/// A push of one ref with any bytes as its pack.
fn push(name: &str, new: &str, capabilities: &str, pack: &[u8]) -> Vec<u8> {
    let mut body = line(&format!("{ZERO} {new} {name}\0report-status {capabilities}")).into_bytes();
    body.extend_from_slice(b"0000");
    body.extend_from_slice(pack);
    body
}

/// The commits of the directory `work` as one pack, and the newest of them.
pub async fn pack(host: &Host, count: usize) -> (Vec<u8>, String) {
    host.work("work", OWNER, "octo-org/hello", count).await;
    let tip = host.git("work", &["rev-parse", "HEAD"]).await.ok();
    let prefix = host.path("work/out");
    let arguments = ["pack-objects", "--revs", "--quiet", prefix.to_str().expect("text")];
    let name = host.git_with("work", &arguments, format!("{tip}\n").as_bytes()).await.ok();
    let bytes = std::fs::read(host.path("work").join(format!("out-{name}.pack"))).expect("a pack");
    (bytes, tip)
}

async fn assert_untouched(host: &Host) {
    host.assert_nothing_left();
    assert_eq!(host.packs(), 0);
    assert_eq!(host.refs("octo-org/hello").await, [""; 0]);
}

#[tokio::test]
async fn push_rejects_damaged_pack_and_leaves_nothing() {
    let host = Host::start().await;
    let (good, tip) = pack(&host, 4).await;
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 0x55;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&push("refs/heads/main", &tip, "", &flipped)).unwrap();
    let half = &good[..good.len() / 2];
    for (what, headers, body) in [
        ("truncated", &[][..], push("refs/heads/main", &tip, "", half)),
        ("corrupted", &[], push("refs/heads/main", &tip, "", &flipped)),
        ("corrupted, packed", &[("content-encoding", "gzip")], gzip.finish().unwrap()),
        ("no pack at all", &[], push("refs/heads/main", &tip, "", b"")),
        ("something else", &[], push("refs/heads/main", &tip, "", b"hello, this is no pack")),
    ] {
        let response = post(&host, "git-receive-pack", headers, body).await.expect(200);
        let text = String::from_utf8_lossy(&response.body).into_owned();
        assert!(text.contains("unpack The pack is refused: "), "{what}: {text}");
        assert!(text.contains("ng refs/heads/main unpacker error"), "{what}: {text}");
        assert!(!text.contains("quarantine") && !text.contains("/tmp"), "{what}: {text}");
        assert_untouched(&host).await;
    }
    let whole = post(&host, "git-receive-pack", &[], push("refs/heads/main", &tip, "", &good)).await.expect(200);
    assert_eq!(whole.body, "000eunpack ok\n0017ok refs/heads/main\n0000");
}

#[tokio::test]
async fn push_rejects_pack_with_missing_objects() {
    let host = Host::start().await;
    let (_, tip) = pack(&host, 3).await;
    let prefix = host.path("work/thin");
    let arguments = ["pack-objects", "--quiet", prefix.to_str().expect("text")];
    let name = host.git_with("work", &arguments, format!("{tip}\n").as_bytes()).await.ok();
    let bytes = std::fs::read(host.path("work").join(format!("thin-{name}.pack"))).expect("a pack");
    let response = post(&host, "git-receive-pack", &[], push("refs/heads/main", &tip, "", &bytes)).await.expect(200);
    let text = String::from_utf8_lossy(&response.body).into_owned();
    assert!(text.contains("ng refs/heads/main "), "{text}");
    assert_untouched(&host).await;
}

#[tokio::test]
async fn push_over_pack_limit_fails_with_message_in_git() {
    let host = Host::with_settings(|settings| {
        settings.git.pack_size_max = 4 << 20;
        settings.git.object_size_max = 1 << 20;
    })
    .await;
    host.work("work", OWNER, "octo-org/hello", 1).await;
    host.commit("work", "zeros", &"0".repeat(32 << 20)).await;
    let printed = host.git("work", &["push", "origin", "main"]).await.rejected();
    assert!(printed.contains("is larger than 1048576 bytes"), "{printed}");
    assert_untouched(&host).await;
    host.git("work", &["reset", "--quiet", "--hard", "HEAD~1"]).await.ok();
    let noise: String = (0..700_000u64).map(|n| format!("{:x}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    host.commit("work", "noise", &noise).await;
    let printed = host.git("work", &["push", "origin", "main"]).await.rejected();
    assert!(printed.contains("the pack is larger than 4194304 bytes"), "{printed}");
    assert_untouched(&host).await;
}

#[tokio::test]
async fn fetch_rejects_too_many_wants() {
    let host = Host::with_settings(|settings| settings.git.request_size_max = 8 << 20).await;
    let want = line(&format!("want {}\n", "a".repeat(40)));
    let newer = [line("command=fetch"), "0001".into(), want.repeat(1_000_000), "0000".into()].concat();
    let older = [want.repeat(1_000_000), "0000".into(), line("done\n")].concat();
    for (headers, body) in [(&[("git-protocol", "version=2")][..], newer), (&[], older)] {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(body.as_bytes()).unwrap();
        let packed = [headers, &[("content-encoding", "gzip")]].concat();
        let plain = post(&host, "git-upload-pack", headers, body.into_bytes()).await.expect(200);
        let bomb = post(&host, "git-upload-pack", &packed, gzip.finish().unwrap()).await.expect(200);
        for response in [plain, bomb] {
            let text = String::from_utf8_lossy(&response.body).into_owned();
            assert!(text.contains("ERR the request has more than 8388608 bytes"), "{text}");
        }
    }
    assert_eq!(host.service.app.git_permits.available(), host.service.app.settings.git.processes_max);
}

#[tokio::test]
async fn malformed_git_requests_are_rejected() {
    let host = Host::start().await;
    let (good, tip) = pack(&host, 1).await;
    let twice =
        [line(&format!("{ZERO} {tip} refs/heads/main\0report-status")), line(&format!("{ZERO} {tip} refs/heads/main"))];
    let twice = [twice.concat().into_bytes(), b"0000".to_vec(), good.clone()].concat();
    for (service, body, status, word) in [
        ("git-receive-pack", push("refs/heads/main", &tip, "push-options", &good), 400, "form of Git's protocol"),
        ("git-receive-pack", b"hello".to_vec(), 400, "form of Git's protocol"),
        ("git-receive-pack", b"0010abc".to_vec(), 400, "ended early"),
        ("git-receive-pack", twice, 200, "ng refs/heads/main the push changes this name more than once"),
        ("git-receive-pack", push("refs/heads/a\nb", &tip, "", &good), 200, "ng refs/heads/a b bad name"),
        ("git-receive-pack", push("refs/heads/-x", &tip, "", &good), 200, "begin with a dash"),
        ("git-receive-pack", push(&"x".repeat(60_000), &tip, "", &good), 200, "bad name"),
        ("git-receive-pack", push("refs/heads/main", &"b".repeat(40), "", &good), 200, "missing necessary objects"),
        ("git-upload-pack", b"hello".to_vec(), 400, "form of Git's protocol"),
        ("git-upload-pack", line("want x").into_bytes(), 200, ""),
    ] {
        let response = post(&host, service, &[], body).await;
        let text = String::from_utf8_lossy(&response.body).into_owned();
        assert!(response.status == status && text.contains(word), "{word}: {} {text}", response.status);
    }
    let typed = host.service.with_token(OWNER).send(Method::POST, "/octo-org/hello.git/git-receive-pack", "0000").await;
    assert_eq!(typed.status, 400, "{typed}");
    assert_untouched(&host).await;
}

#[tokio::test]
async fn silent_git_client_times_out() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let host = Host::with_settings(|settings| {
        settings.git.idle_timeout = std::time::Duration::from_millis(200);
    })
    .await;
    let mut stream = tokio::net::TcpStream::connect(&host.address).await.expect("it listens");
    let head = format!(
        "POST /octo-org/hello.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {OWNER}\r\n\
         Content-Type: application/x-git-receive-pack-request\r\nContent-Length: 100\r\n\r\n00"
    );
    stream.write_all(head.as_bytes()).await.expect("it reads");
    let mut response = String::new();
    let read = stream.read_to_string(&mut response);
    tokio::time::timeout(crate::support::wait::DEADLINE, read).await.expect("it responds").expect("text");
    assert!(response.starts_with("HTTP/1.1 400") && response.contains("The push came too slowly."), "{response}");
    assert_untouched(&host).await;
}

/// An unreachable object may lack objects that it needs, so a ref to it is rejected.
#[tokio::test]
async fn push_rejects_ref_to_incomplete_history() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 1).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    host.git("work", &["checkout", "--quiet", "--orphan", "topic"]).await.ok();
    host.commit("work", "lost", "lost").await;
    let before = host.pack_files();
    host.git("work", &["push", "--quiet", "origin", "topic"]).await.ok();
    let lost = host.pack_files().into_iter().find(|pack| !before.contains(pack)).expect("a new pack");
    let tip = host.commit("work", "kept", "kept").await;
    host.git("work", &["push", "--quiet", "origin", "topic"]).await.ok();
    host.git("work", &["push", "--quiet", "origin", ":topic"]).await.ok();
    for extension in ["idx", "pack", "rev"] {
        std::fs::remove_file(lost.with_extension(extension)).expect("it was there");
    }
    let mut empty = b"PACK\0\0\0\x02\0\0\0\0".to_vec();
    empty.extend_from_slice(b"\x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3\x1e");
    let response = post(&host, "git-receive-pack", &[], push("refs/heads/again", &tip, "", &empty)).await.expect(200);
    let text = String::from_utf8_lossy(&response.body).into_owned();
    assert!(text.contains("unpack ok") && text.contains("ng refs/heads/again missing necessary objects"), "{text}");
}
