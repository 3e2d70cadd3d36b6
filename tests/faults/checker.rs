//! Checks a server and its files after a fault.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use crate::client::{Client, Response};
use crate::comparison::{Observed, compare, forgeries, settle};
use crate::history::History;
use crate::ledger::Ledger;
use crate::server::Server;
use crate::subject::{REPO, Subject, TOKEN};

/// Much more than a case creates; ends a list that never does.
const PAGES_MAX: usize = 10_000;

/// The numbers of a check, for figures.
#[derive(Debug, Default, Clone, Copy)]
pub struct Checked {
    pub acknowledged: usize,
}

/// Compares the ledger with an idle server, checks its files, and records outcomes that were unknown.
pub fn check(subject: &Subject) -> Result<Checked, Vec<String>> {
    let (ledger, server) = (subject.ledger(), subject.server());
    let observed = observe(server).map_err(|reason| vec![reason])?;
    let history = History::new(&ledger.read());
    let mut wrong = compare(&history, &observed);
    wrong.extend(check_clone(server, subject.home()));
    wrong.extend(check_files(&subject.data()));
    if !wrong.is_empty() {
        return Err(wrong);
    }
    for event in settle(&history, &observed) {
        ledger.write(&event);
    }
    let acknowledged = history.acknowledged();
    Ok(Checked { acknowledged })
}

/// Like `check`, and panics if anything is wrong.
#[track_caller]
pub fn expect_whole(subject: &Subject, when: &str) -> Checked {
    check(subject).unwrap_or_else(|wrong| {
        let ledger = subject.keep_ledger();
        panic!("{when}: {} differences, ledger in {}:\n{}", wrong.len(), ledger.display(), show(&wrong))
    })
}

/// The control of every case with a ledger: the comparison must fail for ledgers that are wrong by one operation.
#[track_caller]
pub fn expect_forgeries_noticed(server: &Server, ledger: &Ledger) {
    let observed = observe(server).expect("the server was just checked");
    let events = ledger.read();
    assert!(compare(&History::new(&events), &observed).is_empty(), "the true ledger agrees");
    for (what, forged) in forgeries(&events) {
        let wrong = compare(&History::new(&forged), &observed);
        assert!(!wrong.is_empty(), "nobody would notice if {what}");
    }
}

fn show(wrong: &[String]) -> String {
    wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
}

/// What the server shows over REST, which must equal what it shows to git.
pub fn observe(server: &Server) -> Result<Observed, String> {
    let mut client = Client::new(server.address, TOKEN);
    let refs = refs_by_rest(&mut client)?;
    let by_git = refs_by_git(server)?;
    if refs != by_git {
        return Err(format!("REST shows {} refs and git {}", refs.len(), by_git.len()));
    }
    Ok(Observed { refs, comments: comments(&mut client)? })
}

fn get(client: &mut Client, path: &str) -> Result<Response, String> {
    match client.get(path) {
        Ok(response) if response.status == 200 => Ok(response),
        other => Err(format!("GET {path}: {other:?}")),
    }
}

fn refs_by_rest(client: &mut Client) -> Result<BTreeMap<String, String>, String> {
    let list = get(client, &format!("{REPO}/git/matching-refs/heads"))?.json();
    let list = list.as_array().cloned().unwrap_or_default();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    Ok(list.iter().map(|item| (text(&item["ref"]), text(&item["object"]["sha"]))).collect())
}

fn refs_by_git(server: &Server) -> Result<BTreeMap<String, String>, String> {
    let output = git(Path::new("/"), &["ls-remote", "--heads", &url(server)]);
    if !output.status.success() {
        return Err(format!("git ls-remote: {}", printed(&output)));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.split_once('\t')).map(|(sha, name)| (name.into(), sha.into())).collect())
}

fn comments(client: &mut Client) -> Result<BTreeMap<i64, String>, String> {
    let mut comments = BTreeMap::new();
    for page in 1..PAGES_MAX {
        let path = format!("{REPO}/pulls/1/comments?per_page=100&page={page}");
        let list = get(client, &path)?.json();
        let list = list.as_array().cloned().unwrap_or_default();
        if list.is_empty() {
            break;
        }
        for item in &list {
            let (Some(id), Some(body)) = (item["id"].as_i64(), item["body"].as_str()) else {
                return Err(format!("half a comment: {item}"));
            };
            // A comment without its review would be half an operation.
            if !item["pull_request_review_id"].is_i64() {
                return Err(format!("comment {id} has no review"));
            }
            if comments.insert(id, body.to_owned()).is_some() {
                return Err(format!("comment {id} is listed twice"));
            }
        }
    }
    Ok(comments)
}

/// Git finds everything that the refs need.
fn check_clone(server: &Server, home: &Path) -> Vec<String> {
    let directory = tempfile::tempdir_in(home).expect("a temporary directory can be created");
    let cloned = git(directory.path(), &["clone", "--quiet", "--mirror", &url(server), "mirror"]);
    if !cloned.status.success() {
        return vec![format!("git clone: {}", printed(&cloned))];
    }
    fsck(&directory.path().join("mirror"))
}

fn fsck(repository: &Path) -> Vec<String> {
    let output = git(repository, &["fsck", "--full", "--strict", "--no-dangling", "--no-progress"]);
    if output.status.success() {
        Vec::new()
    } else {
        vec![format!("git fsck in {}: {}", repository.display(), printed(&output))]
    }
}

/// The database is intact, packs match their checksums, and nothing partial is left.
fn check_files(data: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    let database = data.join("plinth.db");
    if database.exists() {
        wrong.extend(check_database(&database));
    }
    let (mut repositories, mut left) = (Vec::new(), Vec::new());
    walk(&data.join("repositories"), &mut |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let parent = path.parent().and_then(Path::file_name).unwrap_or_default();
        if name == "HEAD" {
            repositories.extend(path.parent().map(Path::to_owned));
        }
        if name.ends_with(".lock") || name.starts_with("tmp_") || parent == "quarantine" || parent == "staging" {
            left.push(path.to_owned());
        }
    });
    wrong.extend(left.iter().map(|path| format!("left behind: {}", path.display())));
    for repository in repositories {
        wrong.extend(fsck(&repository));
    }
    wrong
}

fn check_database(file: &Path) -> Vec<String> {
    let open = || rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY);
    let result =
        open().and_then(|connection| connection.query_row("pragma integrity_check", [], |row| row.get::<_, String>(0)));
    match result {
        Ok(result) if result == "ok" => Vec::new(),
        Ok(result) => vec![format!("integrity_check: {result}")],
        Err(error) => vec![format!("integrity_check: {error}")],
    }
}

fn walk(directory: &Path, visit: &mut impl FnMut(&Path)) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        visit(&path);
        if path.is_dir() && !path.is_symlink() {
            walk(&path, visit);
        }
    }
}

pub fn url(server: &Server) -> String {
    format!("http://x:{TOKEN}@{}/mona/rocket.git", server.address)
}

/// Runs git without the machine's configuration.
pub fn git(directory: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .args(arguments)
        .current_dir(directory)
        .envs([("HOME", "/nonexistent"), ("LC_ALL", "C"), ("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_TERMINAL_PROMPT", "0")])
        .envs([("GIT_AUTHOR_NAME", "Mona"), ("GIT_AUTHOR_EMAIL", "mona@example.com")])
        .envs([("GIT_COMMITTER_NAME", "Mona"), ("GIT_COMMITTER_EMAIL", "mona@example.com")])
        .output()
        .expect("git runs")
}

/// Like `git`, for a command that must succeed; returns its output.
#[track_caller]
pub fn git_ok(directory: &Path, arguments: &[&str]) -> String {
    let output = git(directory, arguments);
    assert!(output.status.success(), "git {arguments:?}: {}", printed(&output));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

pub fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).trim().to_owned()
}
