//! What other users of the machine can read of the data directory and of a backup.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::git;
use crate::process::Server;
use crate::support::TestDatabase;

/// The files that group or others can access, with their modes.
fn open_to_others(root: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(path) = waiting.pop() {
        let data = std::fs::symlink_metadata(&path).expect("the test may look everywhere");
        let mode = data.permissions().mode() & 0o7777;
        if mode & 0o077 != 0 {
            found.push((path.clone(), format!("{mode:o}")));
        }
        if data.is_dir() {
            waiting.extend(std::fs::read_dir(&path).expect("a directory").map(|entry| entry.expect("an entry").path()));
        }
    }
    found
}

/// The program under the most permissive umask.
fn careless() -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "umask 000; exec \"$0\" \"$@\""]).arg(crate::process::program_path());
    command
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("the test owns it");
}

fn database() -> (TestDatabase, Vec<String>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let database = runtime.block_on(TestDatabase::create());
    let flags = database.url().map(|url| vec!["--database".to_owned(), url]).unwrap_or_default();
    (database, flags)
}

fn push(server: &Server, directory: &Path) {
    let body = r#"{"name":"hello"}"#;
    let made = server.request("POST /user/repos HTTP/1.1\r\nauthorization: Bearer ghp_monamona", body);
    assert_eq!(made.status(), 201, "{made:?}");
    assert!(git(directory, &["init", "--quiet", "work"]).status.success());
    let work = directory.join("work");
    assert!(git(&work, &["commit", "--quiet", "--allow-empty", "-m", "one"]).status.success());
    let url = format!("http://x:ghp_monamona@{}/mona/hello.git", server.address);
    let pushed = git(&work, &["push", "--quiet", &url, "HEAD:refs/heads/main"]);
    assert!(pushed.status.success(), "{pushed:?}");
    let cloned = git(directory, &["clone", "--quiet", "--depth", "1", &url, "clone"]);
    assert!(cloned.status.success(), "{cloned:?}");
}

#[test]
fn data_and_backups_are_private_under_any_umask() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (_database, flags) = database();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let data = directory.path().join("data");
    let server = Server::start_by(careless(), directory.path(), &flags);
    push(&server, directory.path());
    assert_eq!(open_to_others(&data), []);
    if !flags.is_empty() {
        return;
    }
    let backup = directory.path().join("backup");
    let copied = careless().args(["backup", "--data"]).arg(&data).arg(&backup).output().expect("it runs");
    assert!(copied.status.success(), "{copied:?}");
    assert_eq!(open_to_others(&backup), []);
    let restored = directory.path().join("restored");
    let brought = careless().args(["restore", "--data"]).arg(&restored).arg(&backup).output().expect("it runs");
    assert!(brought.status.success(), "{brought:?}");
    assert_eq!(open_to_others(&restored), []);
}

#[test]
fn start_makes_open_directory_private() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (_database, flags) = database();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let data = directory.path().join("data");
    let server = Server::start(directory.path(), &flags);
    push(&server, directory.path());
    drop(server);
    let mut waiting = vec![data.clone()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(&path).expect("a directory").map(|entry| entry.expect("an entry").path()));
            set_mode(&path, 0o755);
        } else {
            set_mode(&path, 0o644);
        }
    }
    let server = Server::start(directory.path(), &flags);
    assert_eq!(open_to_others(&data), []);
    assert_eq!(server.get("/repos/mona/hello/git/ref/heads/main").status(), 200);
}
