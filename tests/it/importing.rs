//! The command `plinth import`: a whole repository or nothing.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::durability::git;
use crate::process::Server;
use crate::support::TestDatabase;
use crate::support::fixtures::rocket;

/// More than the program copies before it first reports progress.
const LARGE: usize = 20 << 20;

/// A data directory, and a database if the tests run on PostgreSQL.
struct Home {
    directory: tempfile::TempDir,
    database: TestDatabase,
}

impl Home {
    async fn new() -> Self {
        let home =
            Self { directory: tempfile::tempdir().expect("a directory"), database: TestDatabase::create().await };
        std::fs::write(home.path("state.yaml"), rocket().repo("mona/other", "").to_string()).expect("a file");
        let applied = home.plinth().arg("apply").arg(home.path("state.yaml")).output().expect("the program runs");
        assert!(applied.status.success(), "{applied:?}");
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn plinth(&self) -> Command {
        let mut command = Command::new(crate::process::program_path());
        command.arg("--data").arg(self.path("data")).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(url) = self.database.url() {
            command.arg("--database").arg(url);
        }
        command
    }

    fn import(&self, source: &Path) -> Output {
        self.plinth().args(["import", "mona/rocket"]).arg(source).output().expect("the program runs")
    }

    /// The output of an import that must fail.
    fn rejected(&self, source: &Path) -> String {
        let output = self.import(source);
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).expect("text")
    }

    fn serve(&self) -> Server {
        let url = self.database.url();
        let flags: Vec<&str> = url.iter().flat_map(|url| ["--database", url]).collect();
        Server::start(self.directory.path(), &flags)
    }

    /// A repository with branches, a tag, notes and a ref in a reserved namespace.
    fn make_source(&self) -> PathBuf {
        let source = self.path("source");
        std::fs::create_dir(&source).expect("a directory");
        git(&source, &["init", "--quiet", "--initial-branch=trunk"]);
        for number in 0..3 {
            std::fs::write(source.join("file"), format!("{number}\n").repeat(500)).expect("a file");
            git(&source, &["add", "."]);
            git(&source, &["commit", "--quiet", "-m", "write"]);
        }
        git(&source, &["tag", "-a", "-m", "one", "v1", "HEAD~1"]);
        git(&source, &["branch", "a/deep/name", "HEAD~2"]);
        git(&source, &["update-ref", "refs/notes/x", "HEAD~2"]);
        source
    }

    /// Neither the repository nor its surroundings have a new file.
    fn assert_untouched(&self) {
        let left = files_below(&self.path("data/repositories"));
        assert!(left.is_empty(), "{left:?}");
        assert_eq!(self.refs(&self.serve()), "");
    }

    fn refs(&self, server: &Server) -> String {
        let url = format!("http://x:ghp_monamona@{}/mona/rocket.git", server.address);
        let listed = git(self.directory.path(), &["ls-remote", "--quiet", "--refs", &url]);
        let lines = listed.lines().filter(|line| !line.ends_with("\tHEAD"));
        lines.map(|line| line.replace('\t', " ")).collect::<Vec<_>>().join("\n")
    }

    /// Git finds the refs of the source, and everything that they need.
    fn assert_whole(&self, source: &Path) {
        let server = self.serve();
        let all = git(source, &["for-each-ref", "--format=%(objectname) %(refname)"]);
        assert_eq!(self.refs(&server), all);
        let url = format!("http://x:ghp_monamona@{}/mona/rocket.git", server.address);
        let mirror = format!("mirror-{}", server.id());
        git(self.directory.path(), &["clone", "--quiet", "--mirror", &url, &mirror]);
        git(&self.path(&mirror), &["fsck", "--strict", "--full"]);
        assert_eq!(std::fs::read_dir(self.path("data/repositories/staging")).expect("a directory").count(), 0);
    }
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found
}

/// Incompressible bytes, so that copying takes some time.
fn noise() -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    std::iter::repeat_with(next).take(LARGE / 8).flatten().collect()
}

fn add_noise(source: &Path) {
    std::fs::write(source.join("noise"), noise()).expect("a file");
    git(source, &["add", "."]);
    git(source, &["commit", "--quiet", "-m", "much"]);
}

#[tokio::test]
async fn import_copies_repository_and_reuses_objects() {
    let home = Home::new().await;
    let source = home.make_source();
    let output = home.import(&source);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success() && printed.ends_with("imported 4 references into mona/rocket\n"), "{printed}");
    home.assert_whole(&source);
    let again = home.import(&source);
    let printed = String::from_utf8(again.stdout).expect("text");
    assert!(again.status.success() && printed.ends_with("mona/rocket has these 4 references already\n"), "{printed}");
    home.assert_whole(&source);
    let before = git(&source, &["rev-parse", "HEAD"]);
    git(&source, &["commit", "--quiet", "--allow-empty", "-m", "later"]);
    let printed = home.rejected(&source);
    assert!(printed.contains("refs/heads/trunk is not the same there: import into a new repository"), "{printed}");
    git(&source, &["reset", "--quiet", "--hard", &before]);
    home.assert_whole(&source);
    let repo = home.serve().get("/repos/mona/rocket");
    assert!(repo.body().contains("\"default_branch\":\"trunk\""), "{repo:?}");
}

#[tokio::test]
async fn killed_import_leaves_nothing_and_can_be_repeated() {
    let home = Home::new().await;
    let source = home.make_source();
    add_noise(&source);
    let mut child = home.plinth().args(["import", "mona/rocket"]).arg(&source).spawn().expect("the program starts");
    let mut output = BufReader::new(child.stdout.take().expect("standard output is ours"));
    let mut reported = String::new();
    while !reported.contains("copied 16 MiB") {
        assert_ne!(output.read_line(&mut reported).expect("it speaks"), 0, "{reported}");
    }
    child.kill().expect("our own child can be killed");
    child.wait().expect("it is gone");
    output.read_to_string(&mut reported).expect("text");
    assert!(!reported.contains("imported"), "{reported}");
    assert!(!files_below(&home.path("data/repositories")).is_empty(), "the kill came in the middle");
    assert_eq!(home.refs(&home.serve()), "");
    home.assert_untouched();
    let again = home.import(&source);
    assert!(again.status.success(), "{again:?}");
    home.assert_whole(&source);
}

#[tokio::test]
async fn failed_import_is_reported_and_leaves_nothing() {
    let home = Home::new().await;
    let source = home.make_source();
    let [empty, shallow, longer] = ["empty", "shallow", "longer"].map(|name| home.path(name));
    std::fs::create_dir(&empty).expect("a directory");
    let url = format!("file://{}", source.display());
    git(home.directory.path(), &["clone", "--quiet", "--depth", "1", &url, "shallow"]);
    git(home.directory.path(), &["init", "--quiet", "--object-format=sha256", "longer"]);
    git(&longer, &["commit", "--quiet", "--allow-empty", "-m", "one"]);
    for (path, word) in [
        (home.path("absent"), "is not a directory"),
        (home.path("state.yaml"), "is not a Git repository"),
        (empty, "is not a Git repository"),
        (shallow, "is a shallow clone"),
        (longer, "only SHA-1 repositories can be imported"),
    ] {
        let printed = home.rejected(&path);
        assert!(printed.contains(word), "{}: {printed}", path.display());
    }
    let mut elsewhere = home.plinth();
    let output = elsewhere.args(["import", "mona/absent"]).arg(&source).output().expect("the program runs");
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("mona/absent"), "{output:?}");
    home.assert_untouched();
}

#[tokio::test]
async fn damaged_repository_is_not_partially_imported() {
    let home = Home::new().await;
    let source = home.make_source();
    git(&source, &["repack", "-a", "-d", "--quiet"]);
    let packs = source.join(".git/objects/pack");
    let pack = files_below(&packs).into_iter().find(|path| path.extension().is_some_and(|name| name == "pack"));
    let pack = pack.expect("a pack");
    let good = std::fs::read(&pack).expect("a pack");
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 0x55;
    for damaged in [flipped, good[..good.len() / 2].to_vec(), Vec::new()] {
        std::fs::remove_file(&pack).expect("it was there");
        std::fs::write(&pack, damaged).expect("a file");
        let printed = home.rejected(&source);
        assert!(printed.contains("cannot be read") || printed.contains("listing the refs"), "{printed}");
        home.assert_untouched();
    }
    std::fs::write(&pack, &good).expect("a file");
    assert!(home.import(&source).status.success());
    home.assert_whole(&source);
}

#[tokio::test]
async fn hostile_repository_runs_nothing_and_imports_no_bad_ref() {
    let home = Home::new().await;
    let source = home.make_source();
    let canary = home.path("canary");
    let script = home.path("evil.sh");
    std::fs::write(&script, format!("#!/bin/sh\ntouch {}\n", canary.display())).expect("a file");
    let runnable = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(&script, runnable.clone()).expect("it can be run");
    let evil = script.to_str().expect("text");
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.alternateRefsCommand",
        "uploadpack.packObjectsHook",
        "credential.helper",
        "gpg.program",
        "diff.external",
        "alias.pack-objects",
    ] {
        git(&source, &["config", key, evil]);
    }
    git(&source, &["config", "core.hooksPath", home.directory.path().to_str().expect("text")]);
    for hook in ["post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout"] {
        std::fs::copy(&script, home.path(hook)).expect("a copy");
        std::fs::set_permissions(home.path(hook), runnable.clone()).expect("it can be run");
    }
    let names = source.join(".git/packed-refs");
    let tip = git(&source, &["rev-parse", "HEAD~1"]);
    for bad in
        ["refs/heads/-x".to_owned(), "refs/heads/--upload-pack=evil".into(), format!("refs/heads/{}", "x".repeat(300))]
    {
        std::fs::write(&names, format!("# pack-refs with: peeled fully-peeled sorted\n{tip} {bad}\n")).expect("a file");
        let printed = home.rejected(&source);
        assert!(printed.contains("cannot be imported"), "{bad}: {printed}");
        home.assert_untouched();
    }
    // A reserved ref is omitted; the rest is imported.
    std::fs::write(&names, format!("# pack-refs with: peeled fully-peeled sorted\n{tip} refs/pull/1/head\n"))
        .expect("a file");
    let output = home.import(&source);
    assert!(output.status.success(), "{output:?}");
    std::fs::remove_file(&names).expect("it was there");
    home.assert_whole(&source);
    assert!(!canary.exists(), "something of the source was run");
}

#[tokio::test]
async fn running_server_shows_import_at_once() {
    let home = Home::new().await;
    let source = home.make_source();
    let server = home.serve();
    assert_eq!(home.refs(&server), "");
    assert!(home.import(&source).status.success());
    let all = git(&source, &["for-each-ref", "--format=%(objectname) %(refname)"]);
    assert_eq!(home.refs(&server), all);
    let tip = git(&source, &["rev-parse", "HEAD"]);
    assert_eq!(server.get(&format!("/repos/mona/rocket/git/commits/{tip}")).status(), 200);
    let url = format!("http://x:ghp_monamona@{}/mona/rocket.git", server.address);
    git(&source, &["push", "--quiet", &url, "HEAD:refs/heads/more"]);
    drop(server);
    git(&source, &["branch", "more"]);
    home.assert_whole(&source);
}
