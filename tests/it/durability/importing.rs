//! A power cut during an import leaves the repository as empty as before, or complete.

use std::path::Path;
use std::process::Command;

use super::disk::{Disk, Loss};
use super::recording::{git, traced, wait_for_end};
use super::trace::{self, Call};
use super::{LOSSES, check_clone, is_sync, replay};
use crate::process::Server;
use crate::support::fixtures::rocket;

#[test]
#[ignore = "needs strace: cargo xtask test --only durability"]
fn import_is_complete_or_absent_after_power_cut() {
    let directory = tempfile::tempdir().expect("a directory");
    let (home, source) = (directory.path().join("home"), directory.path().join("source"));
    std::fs::create_dir(&home).expect("a directory");
    std::fs::write(home.join("state.yaml"), rocket().to_string()).expect("a file");
    make_source(&source);
    run(Command::new(crate::process::program_path()).arg("apply").arg(home.join("state.yaml")), &home);
    let before = Disk::load(&home);
    let trace = directory.path().join("trace");
    let process = run(traced(&trace).args(["import", "mona/rocket"]).arg(&source), &home);
    wait_for_end(&trace, process);
    let calls = trace::read(&trace);
    let moments: Vec<usize> = calls.iter().filter(|call| is_sync(call)).map(|call| call.ended_at + 1).collect();
    assert!(moments.len() > 5, "{moments:?}");
    let all = git(&source, &["for-each-ref", "--format=%(objectname) %(refname)"]);
    let reported = line_of_success(&calls);
    let mut found = Vec::new();
    for moment in moments.into_iter().filter(|moment| *moment < reported).chain([reported]) {
        let disk = replay(&before, &calls, moment, |_| false);
        // Repeating the import takes time and has the same result at most points.
        let again = (found.len() % 8 == 1).then_some(source.as_path());
        let refs = LOSSES.map(|loss| refs_after(&disk, loss, again));
        assert!(refs.iter().all(|refs| refs.is_empty() || *refs == all), "at {moment}: {refs:?}");
        found.push(refs);
    }
    assert_eq!(found.last(), Some(&[all.clone(), all]), "what was reported as imported exists");
    assert_eq!(found[0], ["", ""], "the first moment is before the import");
}

fn make_source(source: &Path) {
    std::fs::create_dir(source).expect("a directory");
    git(source, &["init", "--quiet", "--initial-branch=main"]);
    for number in 0..3 {
        std::fs::write(source.join("file"), format!("{number}\n").repeat(500)).expect("a file");
        git(source, &["add", "."]);
        git(source, &["commit", "--quiet", "-m", "write"]);
    }
    git(source, &["tag", "-a", "-m", "one", "v1", "HEAD~1"]);
    git(source, &["update-ref", "refs/notes/x", "HEAD~2"]);
}

/// Runs the program on the data of `home` and returns its process id.
fn run(command: &mut Command, home: &Path) -> u32 {
    let command = command.arg("--data").arg(home.join("data"));
    let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("the program starts");
    assert!(child.wait().expect("it ends").success());
    child.id()
}

/// The line in which the program reports success.
fn line_of_success(calls: &[Call]) -> usize {
    let reported = calls.iter().find(|call| call.name == "write" && call.data().starts_with(b"imported "));
    reported.expect("it says so").begun_at
}

/// The refs after a power cut. If there are none, the import can be repeated.
fn refs_after(disk: &Disk, loss: Loss, again: Option<&Path>) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    disk.write_after_cut(loss, directory.path());
    let server = Server::start(directory.path(), &[]);
    let refs = refs_of(&server);
    match again {
        _ if !refs.is_empty() => check_clone(&server, directory.path()),
        None => {}
        Some(source) => {
            drop(server);
            let mut import = Command::new(crate::process::program_path());
            run(import.args(["import", "mona/rocket"]).arg(source), directory.path());
            check_clone(&Server::start(directory.path(), &[]), directory.path());
        }
    }
    refs
}

fn refs_of(server: &Server) -> String {
    let body = server.get("/repos/mona/rocket/git/matching-refs/");
    let list: serde_json::Value = serde_json::from_str(body.body()).expect("JSON");
    let lines = list.as_array().into_iter().flatten().map(|item| {
        let word = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        format!("{} {}", word(&item["object"]["sha"]), word(&item["ref"]))
    });
    lines.collect::<Vec<String>>().join("\n")
}
