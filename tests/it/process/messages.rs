//! Log messages: no colors in files, no floods, and errors that name their cause.

use std::path::Path;
use std::process::{Command, Output};

use rustix::process::Signal;

use super::Server;

#[test]
fn log_file_has_no_colors_and_aggregates_repeated_messages() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let mut server = Server::start(directory.path(), &[]);
    let post = |path: &str, headers: &str, body: &str| {
        server.request(&format!("POST {path} HTTP/1.1\r\nauthorization: Bearer ghp_monamona{headers}"), body)
    };
    assert_eq!(post("/user/repos", "", r#"{"name":"rocket"}"#).status(), 201);
    // Each of them is rejected with a warning.
    for _ in 0..100 {
        let headers = "\r\ngit-protocol: version=2\r\ncontent-type: application/x-git-upload-pack-request";
        let rejected = post("/mona/rocket.git/git-upload-pack", headers, "0010command=nope0000");
        assert!(rejected.body().contains("ERR"), "{rejected:?}");
    }
    server.signal(Signal::TERM);
    assert_eq!(server.wait(), Some(0));
    let log = server.log();
    assert!(!log.contains('\x1b'), "{log}");
    let lines = log.lines().filter(|line| line.contains("a fetch was rejected")).count();
    assert!((2..=20).contains(&lines), "{log}");
    assert!(log.contains("the command is not known here") && log.contains("repeated 95 more times"), "{log}");
}

fn serve(data: &Path, path: &str) -> Output {
    Command::new(crate::process::program_path())
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .env_clear()
        .env("PATH", path)
        .output()
        .expect("the program starts")
}

#[test]
fn start_without_git_fails() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let nowhere = directory.path().join("no-programs").display().to_string();
    let ended = serve(directory.path(), &nowhere);
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success() && text.contains("git") && text.contains(&nowhere), "{text}");
    assert!(!directory.path().join("plinth.db").exists(), "nothing is made");
}

#[test]
fn start_names_database_that_cannot_be_opened() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let database = directory.path().join("plinth.db");
    std::fs::create_dir(&database).expect("a directory in its way");
    let ended = serve(directory.path(), &std::env::var("PATH").expect("a path"));
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success() && text.contains(&database.display().to_string()), "{text}");
}
