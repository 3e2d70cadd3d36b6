//! Damage is detected and named: never reported as healthy, and never served as a missing object.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::backups::{create_tag, instance, push_commits, tip};
use super::files::{damage, first_pack, git};
use super::owners::{Instance, succeed, text};
use super::{Server, try_request, wait_until};

/// An instance with a repository and no running server.
fn stopped() -> Instance {
    let instance = instance();
    drop(instance.serve());
    // The next start applies no state.
    std::fs::write(instance.path().join("state.yaml"), "users: []\n").expect("the file can be written");
    instance
}

fn repositories(instance: &Instance) -> PathBuf {
    instance.path().join("data/repositories")
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(output)))
}

#[track_caller]
fn verify(instance: &Instance, flags: &[&str], code: i32) -> Value {
    let output = instance.run(&[&["verify", "--json"], flags].concat());
    assert_eq!(output.status.code(), Some(code), "{}", text(&output));
    let report = report(&output);
    assert_eq!(report["healthy"], code == 0, "{report}");
    report
}

fn kinds(report: &Value) -> Vec<&str> {
    report["findings"].as_array().expect("findings").iter().filter_map(|finding| finding["kind"].as_str()).collect()
}

#[test]
fn verify_of_healthy_store_under_writes_has_no_findings() {
    let instance = instance();
    let server = Arc::new(instance.serve());
    let sha = tip(&server, "heads/main");
    let (stop, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let tagging = {
        let (server, stop, count) = (server.clone(), stop.clone(), count.clone());
        std::thread::spawn(move || {
            while !stop.load(Ordering::SeqCst) {
                let next = count.fetch_add(1, Ordering::SeqCst) + 1;
                assert_eq!(create_tag(&server, next, &sha), 201);
            }
        })
    };
    let pushing = {
        let (server, stop, directory) = (server.clone(), stop.clone(), instance.path().to_owned());
        std::thread::spawn(move || push_commits(&server, &directory, &stop))
    };
    wait_until("there is load", || count.load(Ordering::SeqCst) > 5);
    for _ in 0..3 {
        let report = verify(&instance, &[], 0);
        assert_eq!(kinds(&report), [""; 0], "{report}");
        assert_eq!(report["checked"]["repositories"], 2, "{report}");
        assert!(report["checked"]["pack_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{report}");
        assert!(report["checked"]["pull_request_commits"].as_u64().is_some_and(|commits| commits >= 2), "{report}");
    }
    stop.store(true, Ordering::SeqCst);
    tagging.join().expect("every tag is acknowledged");
    pushing.join().expect("every push is acknowledged");
    let lines = instance.run(&["verify", "--progress"]);
    assert!(String::from_utf8_lossy(&lines.stderr).contains("MiB"), "{}", text(&lines));
    assert!(succeed(lines).contains("healthy: 2 repositories"));
}

/// The API path of each object of the first repository.
fn objects(instance: &Instance) -> Vec<String> {
    let directory = repositories(instance).join("01/1.git").display().to_string();
    let listed = git(Path::new("/"), &["--git-dir", &directory, "cat-file", "--batch-all-objects", "--batch-check"]);
    let listed = succeed(listed);
    let path = |line: &str| {
        let mut words = line.split(' ');
        let (sha, kind) = (words.next().expect("a name"), words.next().expect("a kind"));
        format!("/repos/mona/work/git/{kind}s/{sha}")
    };
    listed.lines().map(path).collect()
}

fn metric(url: &str) -> String {
    let address = url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).expect("an address");
    let mut stream = std::net::TcpStream::connect(address).expect("the listener responds");
    std::io::Write::write_all(&mut stream, b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .expect("sent");
    let mut text = String::new();
    std::io::Read::read_to_string(&mut stream, &mut text).expect("received");
    text
}

/// Every object is served or reported as lost; returns the number of lost ones.
fn read_all(server: &Server, paths: &[String]) -> usize {
    let mut lost = 0;
    for path in paths {
        let response = server.get(path);
        assert!(matches!(response.status(), 200 | 500), "{path}: {response:?}");
        if response.status() == 500 {
            assert!(response.header("x-github-request-id").is_some(), "{response:?}");
            lost += 1;
        }
    }
    lost
}

#[test]
fn corrupt_pack_is_reported_and_never_a_404() {
    let instance = stopped();
    let paths = objects(&instance);
    let pack = first_pack(&repositories(&instance));
    damage(&pack);
    let name = pack.file_name().expect("a name").to_string_lossy().into_owned();
    let report = verify(&instance, &[], 1);
    let finding = &report["findings"][0];
    assert_eq!(finding["kind"], "damaged_pack", "{report}");
    assert_eq!(finding["repository"], "mona/work", "{report}");
    assert!(finding["path"].as_str().is_some_and(|path| path.ends_with(&name)), "{report}");
    // The object cannot be repaired, and an attempt does no harm.
    assert_eq!(kinds(&verify(&instance, &["--repair"], 1))[0], "damaged_pack");

    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let server = instance.serve_with(&["--metrics-listen", &free.to_string()]);
    let lost = read_all(&server, &paths) + read_all(&server, &paths);
    assert!(lost > 0, "thirty bytes are a part of some object");
    let log = server.log();
    let reported: Vec<&str> = log.lines().filter(|line| line.contains("run plinth verify")).collect();
    assert!(reported.len() == 1 && reported[0].contains(&name), "{log}");
    let metrics = metric(&format!("http://{free}"));
    let line = metrics.lines().find(|line| line.starts_with("plinth_damaged_objects_total")).expect("the metric");
    let count: usize = line.rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a number");
    assert!(count >= lost, "{line}");
    assert_eq!(server.get("/repos/mona/empty").status(), 200, "everything else is served");
}

#[test]
fn readiness_details_report_damage_and_server_stays_ready() {
    let instance = stopped();
    let paths = objects(&instance);
    let finding = |metrics| {
        let page = try_request(metrics, "GET /readyz/details HTTP/1.1").expect("details are served");
        let (head, body) = page.split_once("\r\n\r\n").expect("a response has a body");
        assert!(head.starts_with("HTTP/1.1 200"), "{page}");
        let details: Value = serde_json::from_str(body).expect("details are JSON");
        assert_eq!(details["ready"], true, "{details}");
        let checks = details["checks"].as_array().expect("a list of checks").clone();
        checks.into_iter().find(|check| check["name"] == "repositories").expect("repositories are checked")
    };
    let healthy = instance.serve_with(&[]);
    assert_eq!(finding(healthy.metrics), serde_json::json!({ "name": "repositories", "ok": true }));
    drop(healthy);
    damage(&first_pack(&repositories(&instance)));
    let server = instance.serve_with(&[]);
    assert!(read_all(&server, &paths) > 0, "thirty bytes are a part of some object");
    let found = finding(server.metrics);
    assert_eq!(found["ok"], false, "{found}");
    assert!(found["message"].as_str().is_some_and(|message| message.contains("plinth verify")), "{found}");
    assert_eq!(server.get("/readyz").status(), 200);
}

#[test]
fn deleted_pack_is_reported_and_never_a_404() {
    for extensions in [&["pack"][..], &["pack", "idx", "rev"]] {
        let instance = stopped();
        let paths = objects(&instance);
        let pack = first_pack(&repositories(&instance));
        for extension in extensions {
            let _ = std::fs::remove_file(pack.with_extension(extension));
        }
        let checked = instance.run(&["check"]);
        assert!(!checked.status.success() && text(&checked).contains("refs/heads/main"), "{}", text(&checked));
        let report = verify(&instance, &[], 1);
        assert!(kinds(&report).iter().any(|kind| ["damaged_pack", "missing_object"].contains(kind)), "{report}");
        if extensions.len() > 1 {
            let about = |word: &str| report.to_string().contains(word);
            assert!(about("refs/heads/main") && about("a pull request version or a comment"), "{report}");
        }
        let server = instance.serve();
        assert_eq!(read_all(&server, &paths), paths.len(), "everything is lost");
        assert_eq!(server.get("/repos/mona/work/git/trees/main").status(), 500);
    }
}

#[test]
fn unknown_object_returns_404() {
    let instance = instance();
    let server = instance.serve();
    assert_eq!(server.get(&format!("/repos/mona/work/git/commits/{}", "1".repeat(40))).status(), 404);
}

#[test]
fn verify_rebuilds_indexes_and_directories() {
    let instance = stopped();
    let paths = objects(&instance);
    let index = first_pack(&repositories(&instance)).with_extension("idx");
    let directory = repositories(&instance).join("01/1.git");
    for harm in ["remove the index", "damage the index", "remove directories", "damage the commit-graph"] {
        match harm {
            "remove the index" => std::fs::remove_file(&index).expect("it can be removed"),
            "damage the index" => damage(&index),
            "remove directories" => {
                std::fs::remove_dir_all(directory.join("refs")).expect("it can be removed");
                let checked = instance.run(&["check"]);
                assert!(!checked.status.success() && text(&checked).contains("refs/heads"), "{}", text(&checked));
            }
            _ => {
                let graphs = directory.join("objects/info/commit-graphs");
                std::fs::create_dir_all(&graphs).expect("a directory");
                std::fs::write(graphs.join("commit-graph-chain"), format!("{}\n", "1".repeat(40))).expect("a chain");
            }
        }
        let report = verify(&instance, &[], 1);
        assert!(report.to_string().contains(r#""repair":"possible""#), "{harm}: {report}");
        let report = verify(&instance, &["--repair"], 0);
        assert!(report.to_string().contains(r#""repair":"done""#), "{harm}: {report}");
        assert_eq!(kinds(&verify(&instance, &[], 0)), [""; 0], "{harm}");
    }
    assert_eq!(read_all(&instance.serve(), &paths), 0);
}

#[test]
fn unneeded_files_are_removed_only_by_owner() {
    let instance = stopped();
    let orphan = repositories(&instance).join("63/99.git");
    std::fs::create_dir_all(&orphan).expect("a directory");
    let long_ago = SystemTime::now() - Duration::from_secs(7200);
    let set_back =
        |path: &Path| std::fs::File::open(path).and_then(|file| file.set_modified(long_ago)).expect("a time");
    set_back(&orphan);
    let half = repositories(&instance).join("01/1.git/objects/pack/tmp_pack_half");
    std::fs::write(&half, "half").expect("a file");
    set_back(&half);
    let report = verify(&instance, &[], 0);
    assert_eq!(kinds(&report), ["orphan", "leftover"], "{report}");
    // A server removes leftovers when it starts, but not the orphaned directory.
    let server = instance.serve();
    assert!(!half.exists());
    let report = verify(&instance, &["--repair"], 0);
    assert_eq!(report["findings"][0]["repair"], "needs_owner", "{report}");
    assert!(orphan.exists());
    drop(server);
    let report = verify(&instance, &["--repair"], 0);
    assert_eq!(report["findings"][0]["repair"], "done", "{report}");
    assert!(!orphan.exists());
}

#[test]
fn database_corruption_is_reported() {
    let instance = stopped();
    if instance.url().is_some() {
        return;
    }
    // The last process that closes the store checkpoints the log into the file.
    succeed(instance.run(&["user", "list"]));
    let file = instance.path().join("data/plinth.db");
    let whole = std::fs::read(&file).expect("it can be read");
    let garbage: Vec<u8> = (0..40_960u32).map(|byte| (byte.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for at in [0, whole.len() / 4096 / 2 * 4096] {
        let mut damaged = whole.clone();
        let end = damaged.len().min(at + garbage.len());
        damaged[at..end].copy_from_slice(&garbage[..end - at]);
        std::fs::write(&file, &damaged).expect("it can be written");
        let report = verify(&instance, &[], 1);
        assert_eq!(kinds(&report)[0], "damaged_database", "{at}: {report}");
    }
    std::fs::write(&file, &whole).expect("it can be written");
    verify(&instance, &[], 0);
}

#[test]
fn verify_reports_why_it_cannot_run() {
    let instance = Instance::new();
    let output = instance.run(&["verify"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(!instance.path().join("data").exists(), "nothing is made");
}

#[test]
fn damaged_backup_is_reported() {
    let instance = stopped();
    let backup = instance.path().join("backup").display().to_string();
    succeed(instance.run(&["backup", &backup]));
    assert_eq!(verify(&instance, &["--backup", &backup], 0)["checked"]["repositories"], 1);
    let printed = succeed(instance.run(&["verify", "--backup", &backup]));
    assert!(printed.starts_with("healthy: ") && printed.contains(" store, 1 repositories, "), "{printed}");
    damage(&first_pack(Path::new(&backup)));
    assert_eq!(kinds(&verify(&instance, &["--backup", &backup], 1)), ["damaged_backup"]);
}
