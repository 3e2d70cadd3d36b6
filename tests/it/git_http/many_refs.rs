//! A clone of a repository with very many refs requests every one of them.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

use crate::durability::git;
use crate::process::Server;
use crate::support::TestDatabase;
use crate::support::fixtures::rocket;

/// The number of refs; 1000000 takes minutes (`cargo xtask faults --only large-clone`).
const COUNT: &str = "PLINTH_TEST_REFS";
const COUNT_DEFAULT: usize = 70_000;
const MEMORY_MAX_KIB: u64 = 512 * 1024;

/// A bare repository in which every ref has its own commit.
fn make_source(directory: &Path, count: usize) {
    git(directory, &["init", "--quiet", "--bare", "--initial-branch=main", "source"]);
    let mut stream = String::new();
    for number in 0..count {
        let _ = write!(
            stream,
            "commit refs/heads/all\nmark :{}\ncommitter m <m@example.com> {} +0000\ndata 1\nx\n",
            number + 1,
            1_700_000_000 + number
        );
    }
    let source = directory.join("source");
    std::fs::write(directory.join("stream"), stream).expect("a file");
    let marks = directory.join("marks");
    let imported = Command::new("git")
        .args(["-C", "source", "fast-import", "--quiet", &format!("--export-marks={}", marks.display())])
        .current_dir(directory)
        .stdin(std::fs::File::open(directory.join("stream")).expect("a file"))
        .status();
    assert!(imported.expect("git starts").success());
    let marks = std::fs::read_to_string(marks).expect("a file");
    let mut packed = String::from("# pack-refs with: sorted\n");
    let mut names: Vec<(String, &str)> = Vec::with_capacity(count);
    for (number, line) in marks.lines().enumerate() {
        let (_, sha) = line.split_once(' ').expect("a mark and its commit");
        names.push((format!("refs/heads/branch-{number:07}"), sha));
    }
    names.iter().for_each(|(name, sha)| {
        let _ = writeln!(packed, "{sha} {name}");
    });
    std::fs::remove_file(source.join("refs/heads/all")).expect("a file");
    std::fs::write(source.join("packed-refs"), packed).expect("a file");
}

fn clone(server: &Server, directory: &Path, target: &str) -> Output {
    let url = format!("http://x:ghp_monamona@{}/mona/rocket.git", server.address);
    Command::new("git")
        .current_dir(directory)
        .args(["clone", "--quiet", "--mirror", &url, target])
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git starts")
}

fn peak_memory_kib(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).expect("the server runs");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("the kernel reports a peak");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
}

#[tokio::test]
async fn mirror_clone_has_every_ref_of_large_repository() {
    let count = std::env::var(COUNT).ok().and_then(|count| count.parse().ok()).unwrap_or(COUNT_DEFAULT);
    let (directory, database) = (tempfile::tempdir().expect("a directory"), TestDatabase::create().await);
    let path = directory.path();
    make_source(path, count);
    std::fs::write(path.join("state.yaml"), rocket().to_string()).expect("a file");
    let url = database.url();
    let flags: Vec<&str> = url.iter().flat_map(|url| ["--database", url]).collect();
    let data = path.join("data");
    let data = ["--data", data.to_str().expect("text")];
    for arguments in [vec!["apply", "state.yaml"], vec!["import", "mona/rocket", "source"]] {
        let mut command = Command::new(crate::process::program_path());
        let done = command.current_dir(path).args(arguments).args(data).args(&flags).output().expect("it starts");
        assert!(done.status.success(), "{done:?}");
    }

    let server = Server::start(path, &flags);
    let started = Instant::now();
    let cloned = clone(&server, path, "mirror");
    let took = started.elapsed();
    assert!(cloned.status.success(), "{}", String::from_utf8_lossy(&cloned.stderr));
    let refs = |name: &str| git(&path.join(name), &["for-each-ref", "--format=%(objectname) %(refname)"]);
    let (sent, received) = (refs("source"), refs("mirror"));
    assert_eq!(sent.lines().count(), count);
    assert!(sent == received, "{} refs were cloned, and not all are the same", received.lines().count());
    let peak = peak_memory_kib(&server);
    println!("figure:  large clone: {count} refs in {took:.1?}, the server used at most {} MiB", peak / 1024);
    assert!(peak < MEMORY_MAX_KIB, "{peak} KiB");
    drop(server);

    // A limit that is too low is reported to the client and in the server's log.
    let flags = [&flags[..], &["--git-request-bytes-max", "1000000"]].concat();
    let server = Server::start(path, &flags);
    let rejected = clone(&server, path, "refused");
    let text = String::from_utf8_lossy(&rejected.stderr).into_owned();
    assert!(!rejected.status.success() && text.contains("the request has more than 1000000 bytes"), "{text}");
    let log = server.log();
    assert!(log.contains("a fetch was rejected") && log.contains("more than 1000000 bytes"), "{log}");
}
