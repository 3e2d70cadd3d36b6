//! Hostile clone and push requests: rejected with a message, in bounded memory, without leftovers.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aws_lc_rs::digest;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use super::files::files_below;
use super::{HttpResponse, Server};
use crate::support::fixtures::rocket;
use plinth_git::{ObjectKind, RawObject};

/// How much the server may grow, and how large a child process may be.
const GROWTH_MAX: u64 = 64 << 20;
const CHILD_MAX: u64 = 1 << 30;
const ZERO: &str = "0000000000000000000000000000000000000000";

const COMMIT: u8 = 1;
const TREE: u8 = 2;
const BLOB: u8 = 3;
const DELTA: u8 = 7;

#[test]
fn hostile_requests_are_rejected_with_bounded_memory_and_no_leftovers() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("state.yaml"), rocket().to_string()).expect("a file");
    let server = Server::start(directory.path(), &["--git-object-bytes-max", "67108864"]);
    let before = peak(server.id());
    let ended = AtomicBool::new(false);
    let children = std::thread::scope(|scope| {
        let sampling = scope.spawn(|| sample_children(server.id(), &ended));
        let at_the_end = Ends(&ended);
        for (what, service, body, word) in requests() {
            let response = post(&server, service, &body);
            assert!(
                [200, 400, 413].contains(&response.status()) && response.0.contains(word),
                "{what}: {:.900}",
                response.0
            );
            assert!(
                !response.0.contains("\nok refs/") && !response.0.contains("unpack ok\n0017ok"),
                "{what}: {:.900}",
                response.0
            );
        }
        drop(at_the_end);
        sampling.join().expect("it only looks")
    });
    let growth = peak(server.id()) - before;
    assert!(growth < GROWTH_MAX, "the server grew by {growth} bytes");
    assert!(!children.is_empty(), "children were seen");
    assert!(children.values().all(|peak| *peak < CHILD_MAX), "{children:?}");
    let listed = server.get("/repos/mona/rocket/git/matching-refs/");
    assert_eq!(listed.status(), 409, "the repository is still empty: {listed:?}");
    let left = files_below(&directory.path().join("data/repositories"));
    let left: Vec<&PathBuf> = left.iter().filter(|path| !path.ends_with("HEAD") && !path.ends_with("config")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(server.log().lines().all(|line| !line.contains("panicked") && !line.contains("ERROR")), "{}", server.log());
}

/// Stops the memory monitor, also when the test fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A request, the service it goes to, and the text that the response must contain.
fn requests() -> Vec<(String, &'static str, Vec<u8>, &'static str)> {
    let blob = object(ObjectKind::Blob, b"hello".to_vec());
    let good = pack(&[entry(BLOB, &blob)]);
    let tip = "b".repeat(40);
    let mut requests: Vec<(String, &'static str, Vec<u8>, &'static str)> = [
        ("a bomb of zeros", push(&tip, &pack(&[zeros(96)])), "is larger than 67108864 bytes"),
        ("a bomb of copies", push(&tip, &pack(&copies())), "is larger than 67108864 bytes"),
        ("deltas in a circle", push(&tip, &pack(&circle())), "unpack The pack is refused"),
        ("half a pack", push(&tip, &good[..good.len() / 2]), "unpack The pack is refused"),
        ("a pack that promises more", push(&tip, &promising(&good)), "unpack The pack is refused"),
        ("an unknown object", push(&tip, &good), "missing necessary objects"),
        ("a name that is too long", push_to(&format!("refs/heads/{}", "x".repeat(5_000)), &tip, &good), "bad name"),
        ("a million updates", lines(&format!("{ZERO} {tip} refs/heads/main\0report-status"), 1_000_000), ""),
    ]
    .map(|(what, body, word)| (what.to_owned(), "git-receive-pack", body, word))
    .into();
    let (deep, top) = deep_tree();
    requests.push(("a deep tree".into(), "git-receive-pack", push(&top, &deep), "ng refs/heads/main"));
    for name in NAMES {
        requests.push((format!("{name:?}"), "git-receive-pack", push_to(name, &tip, &good), "bad name"));
    }
    let wants = lines(&format!("want {tip}\n"), 1_000_000);
    requests.push(("a million wants for what is not here".into(), "git-upload-pack", wants, "ERR "));
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&lines(&format!("want {tip}\n"), 200_000)).expect("memory takes all");
    let packed = packed.finish().expect("memory takes all");
    requests.push(("many wants, packed".into(), "git-upload-pack gzip", packed, "ERR "));
    let want = lines(&format!("want {tip}\n"), 1);
    requests.push((
        "a want that is not there".into(),
        "git-upload-pack",
        [want, b"0009done\n".to_vec()].concat(),
        "ERR",
    ));
    requests
}

/// Hostile ref names, as far as one line can hold them.
const NAMES: &[&str] = &[
    "-h",
    "--output=x",
    "refs/heads/-x",
    "refs/heads/--upload-pack=touch x",
    "refs/heads/a..b",
    "refs/heads/@{-1}",
    "HEAD~1",
    "refs/heads/HEAD~1",
    "refs/heads/x.lock",
    "refs/heads/a\rb",
    "refs/heads/a\u{7f}b",
    "refs/heads/a b",
    "refs/heads/.a",
    "refs/heads/a.",
    "refs/heads//a",
    "refs/heads/a/",
    "refs/heads/^",
    "refs/heads/:",
    "refs/heads/?",
    "refs/heads/*",
    "refs/heads/[",
    "refs/heads/\\",
    "refs/heads/../../x",
    "../../etc/passwd",
    "HEAD",
    "refs/heads",
];

fn post(server: &Server, service: &str, body: &[u8]) -> HttpResponse {
    let (service, encoding) = match service.split_once(' ') {
        Some((service, encoding)) => (service, format!("content-encoding: {encoding}\r\n")),
        None => (service, String::new()),
    };
    let mut raw = server.connect();
    raw.send(&format!(
        "POST /mona/rocket.git/{service} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ghp_monamona\r\n{encoding}\
         content-type: application/x-{service}-request\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    ));
    raw.try_send_bytes(body);
    raw.response()
}

fn lines(text: &str, count: usize) -> Vec<u8> {
    let mut lines = format!("{:04x}{text}", text.len() + 4).repeat(count).into_bytes();
    lines.extend(b"0000");
    lines
}

fn push(new: &str, pack: &[u8]) -> Vec<u8> {
    push_to("refs/heads/main", new, pack)
}

fn push_to(name: &str, new: &str, pack: &[u8]) -> Vec<u8> {
    [lines(&format!("{ZERO} {new} {name}\0report-status"), 1), pack.to_vec()].concat()
}

fn object(kind: ObjectKind, data: Vec<u8>) -> RawObject {
    RawObject::new(kind, data).expect("an object")
}

/// One object as it is stored in a pack.
fn entry(kind: u8, object: &RawObject) -> Vec<u8> {
    [head(kind, object.data().len()), zlib(object.data())].concat()
}

fn delta(base: &[u8; 20], data: &[u8]) -> Vec<u8> {
    [head(DELTA, data.len()), base.to_vec(), zlib(data)].concat()
}

fn head(kind: u8, mut size: usize) -> Vec<u8> {
    let mut head = vec![kind << 4 | (size & 15) as u8];
    size >>= 4;
    while size > 0 {
        *head.last_mut().expect("never empty") |= 0x80;
        head.push((size & 0x7f) as u8);
        size >>= 7;
    }
    head
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

fn pack(entries: &[Vec<u8>]) -> Vec<u8> {
    let count = u32::try_from(entries.len()).expect("few");
    checked([b"PACK\0\0\0\x02".as_slice(), &count.to_be_bytes(), &entries.concat()].concat())
}

fn checked(mut pack: Vec<u8>) -> Vec<u8> {
    let checksum = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, &pack);
    pack.extend(checksum.as_ref());
    pack
}

/// The same pack with a header that announces a million objects.
fn promising(pack: &[u8]) -> Vec<u8> {
    let mut more = pack[..pack.len() - 20].to_vec();
    more[8..12].copy_from_slice(&1_000_000u32.to_be_bytes());
    checked(more)
}

fn zeros(mebibytes: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let some = vec![0; 1 << 20];
    (0..mebibytes).for_each(|_| encoder.write_all(&some).expect("memory takes all"));
    [head(BLOB, mebibytes << 20), encoder.finish().expect("memory takes all")].concat()
}

/// A blob of 64 KiB, and a delta that repeats it 4,096 times.
fn copies() -> Vec<Vec<u8>> {
    let base = object(ObjectKind::Blob, vec![1; 65_536]);
    let mut data = vec![0x80, 0x80, 0x04, 0x80, 0x80, 0x80, 0x80, 0x01];
    data.extend(std::iter::repeat_n(0x80u8, 4_096));
    vec![entry(BLOB, &base), delta(base.sha().as_bytes(), &data)]
}

/// Two deltas, each with the other as its base.
fn circle() -> Vec<Vec<u8>> {
    let (one, two) = ([1; 20], [2; 20]);
    vec![delta(&one, b"\x01\x01\x90\x01"), delta(&two, b"\x01\x01\x90\x01")]
}

/// A commit with a tree that is nested five thousand deep.
fn deep_tree() -> (Vec<u8>, String) {
    let file = object(ObjectKind::Blob, b"deep".to_vec());
    let mut entries = vec![entry(BLOB, &file)];
    let mut below = file;
    for depth in 0..5_000 {
        let mode: &[u8] = if depth == 0 { b"100644 a\0" } else { b"40000 a\0" };
        below = object(ObjectKind::Tree, [mode, below.sha().as_bytes()].concat());
        entries.push(entry(TREE, &below));
    }
    let text = format!("tree {}\nauthor A <a@b.c> 1 +0000\ncommitter A <a@b.c> 1 +0000\n\ndeep\n", below.sha());
    let commit = object(ObjectKind::Commit, text.into_bytes());
    entries.push(entry(COMMIT, &commit));
    (pack(&entries), commit.sha().to_string())
}

/// The peak memory of a process.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or_default() * 1024
}

/// Samples the memory of a process's children until `ended` is set.
fn sample_children(process: u32, ended: &AtomicBool) -> HashMap<u32, u64> {
    let mut peaks = HashMap::new();
    while !ended.load(Ordering::Relaxed) {
        for child in children(process) {
            let memory = peaks.entry(child).or_default();
            *memory = peak(child).max(*memory);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    peaks
}

fn children(process: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()).collect()
}
