//! Fixtures: a repository, and the git program to compare with.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::{Repositories, Repository};
use plinth_base::ids::{RepoId, Sha};

/// One repository in a temporary directory.
pub(crate) struct Fixture {
    pub repositories: Repositories,
    pub repository: Arc<Repository>,
    pub data: tempfile::TempDir,
}

impl Fixture {
    pub fn empty() -> Self {
        let data = tempfile::tempdir().expect("a temporary directory");
        let repositories = Repositories::at(data.path()).expect("a data directory");
        let repository = repositories.create(RepoId(1)).expect("a repository");
        Self { repositories, repository, data }
    }

    /// Runs git in the repository and returns its output without the last line feed.
    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.repository.directory, arguments, b"")
    }

    pub fn git_with(&self, arguments: &[&str], input: &[u8]) -> String {
        git(&self.repository.directory, arguments, input)
    }

    /// Runs a fast-import stream and returns the ids of its marks, from 1 on. Leaves no refs.
    pub fn fast_import(&self, stream: &str) -> Vec<Sha> {
        let marks = self.data.path().join("marks");
        let export = format!("--export-marks={}", marks.display());
        self.git_with(
            &["-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--force", &export],
            stream.as_bytes(),
        );
        for name in self.git(&["for-each-ref", "--format=%(refname)"]).lines() {
            self.git(&["update-ref", "-d", name]);
        }
        let mut ids: Vec<(usize, Sha)> = std::fs::read_to_string(marks)
            .expect("marks were written")
            .lines()
            .map(|line| {
                let (mark, id) = line[1..].split_once(' ').expect("mark and id");
                (mark.parse().expect("a number"), id.parse().expect("an id"))
            })
            .collect();
        ids.sort_unstable();
        ids.into_iter().map(|(_, id)| id).collect()
    }

    /// Asserts that git finds no fault in any object.
    pub fn check(&self) {
        let report = self.git(&["fsck", "--strict", "--full", "--no-dangling", "--unreachable"]);
        assert!(report.lines().all(|line| line.starts_with("unreachable ") || line.starts_with("notice:")), "{report}");
    }
}

/// Runs git on a repository and expects success.
pub(crate) fn git(directory: &Path, arguments: &[&str], input: &[u8]) -> String {
    let (success, output, errors) = try_git(directory, arguments, input);
    assert!(success, "git {arguments:?}: {errors}");
    output
}

pub(crate) fn try_git(directory: &Path, arguments: &[&str], input: &[u8]) -> (bool, String, String) {
    let mut child = Command::new("git")
        .arg("--git-dir")
        .arg(directory)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("git starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("git ends")
    });
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\n').to_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// A date that increases with the number of a commit.
pub(crate) fn seconds(mark: usize) -> i64 {
    i64::try_from(mark).expect("tests make few commits")
}

/// A fast-import stream of commits without files, each described by the numbers of its parents, from 1 on.
pub(crate) fn commits_stream(parents: &[Vec<usize>], date_of: impl Fn(usize) -> i64) -> String {
    let mut stream = String::new();
    for (index, parents) in parents.iter().enumerate() {
        let mark = index + 1;
        // Without a reset, a root commit would continue the branch.
        stream.push_str("reset refs/heads/x\n");
        stream.push_str(&format!("commit refs/heads/x\nmark :{mark}\n"));
        stream.push_str(&format!("committer A <a@example.com> {} +0000\n", date_of(mark)));
        let message = format!("commit {mark}");
        stream.push_str(&format!("data {}\n{message}\n", message.len()));
        for (position, parent) in parents.iter().enumerate() {
            stream.push_str(&format!("{} :{parent}\n", if position == 0 { "from" } else { "merge" }));
        }
        stream.push('\n');
    }
    stream
}
