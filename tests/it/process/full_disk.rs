//! A full data directory: pushes and clones get 503, readiness reports it, and the service recovers by itself.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{Server, wait_until};
use crate::support::TestDatabase;

/// A small file system, which only root can mount.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(directory: &Path) -> Option<Self> {
        std::fs::create_dir_all(directory).expect("a directory can be created");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=16m", "tmpfs"]).arg(directory).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(directory.to_owned()))
    }

    fn fill(&self) {
        let mut filler = std::fs::File::create(self.0.join("filler")).expect("a file can be made");
        for length in [64 * 1024, 4096, 1] {
            while filler.write_all(&vec![7; length]).is_ok() {}
        }
    }

    fn make_room(&self) {
        std::fs::remove_file(self.0.join("filler")).expect("a file can be removed");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

fn git(directory: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .current_dir(directory)
        .args(["-c", "user.name=m", "-c", "user.email=m@example.com"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_TRACE_CURL", "1")
        .env("GIT_TRACE_CURL_NO_DATA", "1")
        .output()
        .expect("git starts")
}

/// Git received an error response that asks it to retry.
#[track_caller]
fn assert_unavailable(what: &str, output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr).to_lowercase();
    assert!(!output.status.success(), "{what} succeeded on a full disk");
    assert!(text.contains("http/1.1 503") && text.contains("retry-after: "), "{what}: {text}");
    assert!(!text.contains("http/1.1 500"), "{what}: {text}");
}

#[tokio::test]
async fn full_disk_returns_503_for_pushes_and_clones_and_recovers() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let path = directory.path();
    let Some(disk) = SmallDisk::mount(&path.join("data")) else {
        println!("skipped: mounting a small file system requires root");
        return;
    };
    let database = TestDatabase::create().await;
    let url = database.url();
    let mut flags: Vec<&str> = url.iter().flat_map(|url| ["--database", url]).collect();
    flags.extend(["--metrics-listen", "127.0.0.1:0"]);
    let server = Server::start(path, &flags);
    let post = |path: &str, body: &str| {
        server.request(&format!("POST {path} HTTP/1.1\r\nauthorization: Bearer ghp_monamona"), body)
    };
    assert_eq!(post("/user/repos", r#"{"name":"rocket"}"#).status(), 201);
    let url = format!("http://mona:ghp_monamona@{}/mona/rocket.git", server.address);
    assert!(git(path, &["init", "--quiet", "--initial-branch=main", "work"]).status.success());
    let work = path.join("work");
    let commit = |seed: u64, length: u64| {
        let noise: String =
            (0..length).map(|n| format!("{:x}\n", (n + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
        std::fs::write(work.join("file"), noise).expect("a file");
        assert!(git(&work, &["add", "."]).status.success());
        assert!(git(&work, &["commit", "--quiet", "-m", "x"]).status.success());
    };
    commit(1, 10);
    let pushed = git(&work, &["push", "--quiet", &url, "main"]);
    assert!(pushed.status.success(), "{}", String::from_utf8_lossy(&pushed.stderr));
    // An object that no pack has yet: a clone packs it.
    assert_eq!(post("/repos/mona/rocket/git/blobs", r#"{"content":"through the API"}"#).status(), 201);
    let (blob, keep) = ("2472e1b0e64a07df939249cd9113ea3051672ebc", "refs/keep/blob");
    assert_eq!(post("/repos/mona/rocket/git/refs", &format!(r#"{{"ref":"{keep}","sha":"{blob}"}}"#)).status(), 201);
    commit(2, 100_000);
    assert_eq!(server.get("/readyz").status(), 200);

    disk.fill();
    wait_until("a full disk is noticed", || server.get("/readyz").status() == 503);
    assert!(!server.get("/readyz").body().contains("disk"), "why is for operators alone");
    let metrics = metrics_address(&server);
    let details = get(&metrics, "/readyz/details");
    assert!(details.starts_with("HTTP/1.1 503") && details.contains(r#""name": "disk""#), "{details}");
    assert!(details.contains("No space left on device") && details.contains("data/repositories"), "{details}");
    assert_unavailable("a push", &git(&work, &["push", "--quiet", &url, "main"]));
    assert_unavailable("a clone", &git(path, &["clone", "--quiet", "--mirror", &url, "full"]));
    assert_eq!(server.get("/repos/mona/rocket/git/ref/heads/main").status(), 200, "reading goes on");

    disk.make_room();
    wait_until("room is noticed", || server.get("/readyz").status() == 200);
    let pushed = git(&work, &["push", "--quiet", &url, "main"]);
    assert!(pushed.status.success(), "{}", String::from_utf8_lossy(&pushed.stderr));
    let cloned = git(path, &["clone", "--quiet", "--mirror", &url, "mirror"]);
    assert!(cloned.status.success(), "{}", String::from_utf8_lossy(&cloned.stderr));
    assert!(git(&path.join("mirror"), &["fsck", "--strict"]).status.success());
    assert!(get(&metrics, "/readyz/details").starts_with("HTTP/1.1 200"));
    drop(server);
}

/// The metrics address in the log.
pub fn metrics_address(server: &Server) -> String {
    let log = server.log();
    let (_, rest) = log.split_once("metrics at http://").expect("the log says where metrics are");
    rest.split('/').next().expect("an address").to_owned()
}

pub fn get(address: &str, path: &str) -> String {
    use std::io::Read;
    let mut stream = std::net::TcpStream::connect(address).expect("the listener accepts connections");
    stream
        .write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes())
        .expect("it reads");
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text);
    text
}
