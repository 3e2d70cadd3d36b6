//! Backups as an operator makes them: under writes, restored elsewhere, served, cloned and compared.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use super::files::{damage, files_below, first_pack, git, url};
use super::owners::{Instance, plinth, succeed, text};
use super::{Server, wait_until};
use crate::support::fixtures::mona;

static STATE: LazyLock<String> = LazyLock::new(|| {
    mona()
        .users(&["hubot"])
        .repo(
            "mona/work",
            r#"commits: [
                { branch: main, author: mona, message: one, files: { a.txt: "1\n2\n3\n", b/c.txt: deep } },
                { branch: feature, from: main, author: mona, message: two, files: { a.txt: "1\ntwo\n3\n" } }]"#,
        )
        .repo("mona/empty", "")
        .pull(
            "mona/work",
            "mona",
            "title: Change a, head: feature, base: main, \
             comments: [{ author: hubot, path: a.txt, line: 2, body: Why? }]",
        )
        .to_string()
});

/// The paths whose responses are compared.
const PATHS: [&str; 9] = [
    "/user",
    "/repos/mona/work",
    "/repos/mona/work/git/matching-refs/heads",
    "/repos/mona/work/git/matching-refs/tags?per_page=100",
    "/repos/mona/work/pulls/1",
    "/repos/mona/work/pulls/1/comments",
    "/repos/mona/empty",
    "/repos/mona/empty/git/ref/heads/main",
    "/repos/mona/work/git/ref/heads/feature",
];

pub fn instance() -> Instance {
    let instance = Instance::new();
    std::fs::write(instance.path().join("state.yaml"), &*STATE).expect("the file can be written");
    instance
}

fn post(server: &Server, path: &str, body: &str) -> u16 {
    server.request(&format!("POST {path} HTTP/1.1\r\nauthorization: Bearer ghp_monamona"), body).status()
}

pub fn tip(server: &Server, name: &str) -> String {
    let response = server.get(&format!("/repos/mona/work/git/ref/{name}"));
    let value: serde_json::Value = serde_json::from_str(response.body()).unwrap_or_else(|_| panic!("{response:?}"));
    value["object"]["sha"].as_str().expect("a reference has an object").to_owned()
}

pub fn create_tag(server: &Server, number: u64, sha: &str) -> u16 {
    let body = format!(r#"{{"ref":"refs/tags/n{number}","sha":"{sha}"}}"#);
    post(server, "/repos/mona/work/git/refs", &body)
}

/// Restores into a new instance and serves it.
fn restore(backup: &Path) -> (Instance, Server) {
    let other = Instance::new();
    // All of its data comes from the backup.
    std::fs::write(other.path().join("state.yaml"), "users: []\n").expect("the file can be written");
    succeed(other.run(&["restore", &backup.display().to_string()]));
    let server = other.serve();
    (other, server)
}

/// Clones, checks every object, commits and pushes.
fn clone_and_push(server: &Server, directory: &Path) {
    succeed(git(directory, &["clone", "--quiet", &url(server), "clone"]));
    let clone = directory.join("clone");
    succeed(git(&clone, &["fsck", "--full", "--strict"]));
    std::fs::write(clone.join("new.txt"), "new").expect("a file can be written");
    succeed(git(&clone, &["add", "."]));
    succeed(git(&clone, &["commit", "--quiet", "-m", "after the restore"]));
    succeed(git(&clone, &["push", "--quiet", "origin", "HEAD:refs/heads/after"]));
    let pushed = succeed(git(&clone, &["rev-parse", "HEAD"]));
    assert_eq!(tip(server, "heads/after"), pushed.trim());
}

/// Waits for what each of them computes in the background: merge tests, languages and sizes.
#[track_caller]
fn assert_same(one: &Server, other: &Server) {
    for path in PATHS {
        let same = || {
            let (was, is) = (one.get(path), other.get(path));
            (was.status(), was.body()) == (is.status(), is.body())
        };
        wait_until(&format!("{path} is the same"), same);
    }
    let remote = |server: &Server| succeed(git(Path::new("/"), &["ls-remote", &url(server)]));
    assert_eq!(remote(one), remote(other));
}

fn assert_private(directory: &Path) {
    use std::os::unix::fs::MetadataExt;
    let mut paths = vec![directory.to_owned()];
    while let Some(path) = paths.pop() {
        let metadata = path.metadata().expect("it is there");
        assert_eq!(metadata.mode() & 0o077, 0, "{}", path.display());
        if metadata.is_dir() {
            paths.extend(std::fs::read_dir(&path).expect("a directory").map(|entry| entry.expect("an entry").path()));
        }
    }
}

#[test]
fn restored_backup_serves_git_clone_and_push_and_equals_source() {
    let instance = instance();
    let server = instance.serve();
    let sha = tip(&server, "heads/main");
    assert_eq!(create_tag(&server, 1, &sha), 201);
    let backup = instance.path().join("backup");
    // Packs being received or imported are not part of a backup.
    let quarantine = instance.path().join("data/repositories/01/1.git/quarantine/half");
    std::fs::create_dir_all(&quarantine).expect("a quarantine");
    std::fs::write(quarantine.join("pack"), "half").expect("half a pack");
    let output = instance.run(&["backup", "--progress", &backup.display().to_string()]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("MiB"), "{}", text(&output));
    succeed(output);
    assert!(files_below(&backup).iter().all(|path| !path.to_string_lossy().contains("quarantine")));
    assert!(!instance.path().join("backup.unfinished").exists());
    let (other, restored) = restore(&backup);
    assert_same(&server, &restored);
    clone_and_push(&restored, other.path());
    assert_private(&backup);
    let staging = instance.path().join("data/repositories/staging");
    assert_eq!(std::fs::read_dir(staging).expect("there were links").count(), 0, "nothing stays behind");
    // New ids continue after those of the backup.
    assert_eq!(post(&restored, "/user/repos", r#"{"name":"next"}"#), 201);
    let next = restored.get("/repos/mona/next");
    assert!(next.body().contains(r#""id":3,"#), "{next:?}");
}

/// Commits to the database almost continuously, as another process would, and counts the commits.
fn commit_directly(instance: &Instance, stop: &Arc<AtomicBool>, count: &Arc<AtomicU64>) -> std::thread::JoinHandle<()> {
    let (file, stop, count) = (instance.path().join("data/plinth.db"), stop.clone(), count.clone());
    std::thread::spawn(move || {
        let mut connection = rusqlite::Connection::open(file).expect("the store opens");
        // Tries more often than SQLite's own handler, which can sleep longer than the backup takes.
        let retry = |attempt| {
            std::thread::sleep(Duration::from_millis(1));
            attempt < 10_000
        };
        connection.busy_handler(Some(retry)).expect("a handler");
        connection.pragma_update(None, "synchronous", "OFF").expect("a setting");
        while !stop.load(Ordering::SeqCst) {
            connection
                .execute("update account set updated_at = updated_at + 1 where login = 'hubot'", [])
                .expect("a commit");
            // SQLite's locks are not fair: without pauses, the server can wait for seconds.
            if count.fetch_add(1, Ordering::SeqCst).is_multiple_of(20) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    })
}

#[test]
fn backup_under_load_completes_and_is_consistent() {
    let instance = instance();
    let server = Arc::new(instance.serve());
    let sha = tip(&server, "heads/main");
    let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let commits = Arc::new(AtomicU64::new(0));
    let committing = instance.url().is_none().then(|| commit_directly(&instance, &stop, &commits));
    let tagging = {
        let (server, stop, acknowledged, sha) = (server.clone(), stop.clone(), acknowledged.clone(), sha.clone());
        std::thread::spawn(move || {
            while !stop.load(Ordering::SeqCst) {
                let next = acknowledged.load(Ordering::SeqCst) + 1;
                assert_eq!(create_tag(&server, next, &sha), 201);
                acknowledged.store(next, Ordering::SeqCst);
            }
        })
    };
    let pushing = {
        let (server, stop, directory) = (server.clone(), stop.clone(), instance.path().to_owned());
        std::thread::spawn(move || push_commits(&server, &directory, &stop))
    };
    // A thread that has failed is joined below.
    wait_until("there is load", || tagging.is_finished() || acknowledged.load(Ordering::SeqCst) >= 5);
    let before = acknowledged.load(Ordering::SeqCst);
    let commits_before = commits.load(Ordering::SeqCst);
    let started = Instant::now();
    let backup = instance.path().join("backup");
    succeed(instance.run(&["backup", &backup.display().to_string()]));
    let took = started.elapsed();
    let after = acknowledged.load(Ordering::SeqCst);
    let commits_during = commits.load(Ordering::SeqCst) - commits_before;
    wait_until("writes went on", || tagging.is_finished() || acknowledged.load(Ordering::SeqCst) > after);
    stop.store(true, Ordering::SeqCst);
    tagging.join().expect("every tag is acknowledged");
    let pushed = pushing.join().expect("every push is acknowledged");
    if let Some(committing) = committing {
        committing.join().expect("every commit is taken");
        assert!(commits_during >= 20, "{commits_during} commits are no load");
    }
    assert!(after >= before && took < Duration::from_secs(60), "{took:?}");

    let (other, restored) = restore(&backup);
    clone_and_push(&restored, other.path());
    // Everything up to one point in time, and nothing later.
    let listed = succeed(git(other.path(), &["ls-remote", "--tags", &url(&restored)]));
    let tags = listed.lines().count() as u64;
    assert!((before..=after + 1).contains(&tags), "{before} {tags} {after}");
    assert!((1..=tags).all(|number| listed.contains(&format!("refs/tags/n{number}\n"))), "{listed}");
    let pushed_then = restored.get("/repos/mona/work/git/ref/heads/pushed");
    assert!(
        pushed_then.status() == 404 || pushed.iter().any(|sha| pushed_then.body().contains(sha)),
        "{pushed_then:?}"
    );

    // Without writes, a second backup is complete.
    let second = instance.path().join("second");
    let words = ["backup", "--incremental-from", &backup.display().to_string(), &second.display().to_string()];
    succeed(instance.run(&words));
    let (_other, restored) = restore(&second);
    assert_same(&server, &restored);
    assert_eq!(tip(&restored, "heads/pushed"), *pushed.last().expect("something was pushed"));
}

/// Pushes one commit after another and returns their ids.
pub fn push_commits(server: &Server, directory: &Path, stop: &AtomicBool) -> Vec<String> {
    succeed(git(directory, &["clone", "--quiet", &url(server), "pushing"]));
    let clone = directory.join("pushing");
    let mut pushed = Vec::new();
    while !stop.load(Ordering::SeqCst) || pushed.is_empty() {
        succeed(git(&clone, &["commit", "--quiet", "--allow-empty", "-m", "another"]));
        succeed(git(&clone, &["push", "--quiet", "origin", "HEAD:refs/heads/pushed"]));
        pushed.push(succeed(git(&clone, &["rev-parse", "HEAD"])).trim().to_owned());
    }
    pushed
}

#[test]
fn incremental_backup_links_unchanged_files() {
    use std::os::unix::fs::MetadataExt;
    let instance = instance();
    let server = instance.serve();
    let [first, second] = ["first", "second"].map(|name| instance.path().join(name));
    succeed(instance.run(&["backup", &first.display().to_string()]));
    let words = ["backup", "--incremental-from", &first.display().to_string(), &second.display().to_string()];
    succeed(instance.run(&words));
    let packs: Vec<PathBuf> =
        files_below(&first).into_iter().filter(|path| path.extension().is_some_and(|end| end == "pack")).collect();
    assert!(!packs.is_empty());
    for pack in packs {
        let again = second.join(pack.strip_prefix(&first).expect("below the first"));
        assert_eq!(pack.metadata().expect("it is there").ino(), again.metadata().expect("it is there").ino());
    }
    std::fs::remove_dir_all(&first).expect("the first can go");
    let (_other, restored) = restore(&second);
    assert_same(&server, &restored);
}

#[test]
fn restore_rejects_damaged_backup() {
    let instance = instance();
    let server = instance.serve();
    let backup = instance.path().join("backup");
    succeed(instance.run(&["backup", &backup.display().to_string()]));
    drop(server);
    for file in files_below(&backup) {
        let whole = std::fs::read(&file).expect("it can be read");
        let mut damaged = whole.clone();
        let middle = damaged.len() / 2;
        if let Some(byte) = damaged.get_mut(middle) {
            *byte ^= 0x55;
        } else {
            continue;
        }
        std::fs::write(&file, &damaged).expect("it can be written");
        let target = instance.path().join("restored");
        let rejected = plinth(&target, instance.url().as_deref(), &["restore", &backup.display().to_string()]);
        assert!(!rejected.status.success(), "{} was changed: {}", file.display(), text(&rejected));
        assert!(!target.exists() && !instance.path().join("restored.unfinished").exists(), "{}", file.display());
        std::fs::write(&file, &whole).expect("it can be written");
    }
}

#[test]
fn backup_of_damaged_pack_completes_and_reports_it() {
    let instance = instance();
    let server = instance.serve();
    let pack = first_pack(&instance.path().join("data/repositories"));
    damage(&pack);
    let backup = instance.path().join("backup");
    let output = instance.run(&["backup", &backup.display().to_string()]);
    assert!(!output.status.success(), "{}", text(&output));
    let name = pack.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(text(&output).contains(&name), "{}", text(&output));
    assert!(backup.join("manifest.json").exists(), "what is whole is backed up");
    drop(server);
}

#[test]
fn backup_rejects_other_data_directory() {
    let instance = instance();
    drop(instance.serve());
    let rejected = instance.run_in("other", &["backup", &instance.path().join("backup").display().to_string()]);
    assert!(!rejected.status.success(), "{}", text(&rejected));
    assert!(!instance.path().join("backup").exists());
}
