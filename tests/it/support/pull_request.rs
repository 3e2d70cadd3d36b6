//! A pull request in a repository that git has created, which moves by ref updates.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use plinth_base::ids::RepoId;
use plinth_core::objects::{GcRoots, Maintenance, Policy};
use serde_json::{Value, json};

use super::wait::wait_until_async;
use super::{Client, Response, Service};
use crate::support::fixtures::StateFile;

pub const PULL: &str = "/repos/acme/rocket/pulls/1";
pub const COMMENTS: &str = "/repos/acme/rocket/pulls/1/comments";

/// mona owns the organization `acme`, hubot may push to its repositories, and guest, reader and stranger may only read.
pub fn acme() -> StateFile {
    StateFile::default()
        .entry("users", "login: mona, name: Mona Lisa, email: mona@example.com")
        .entry("users", "login: hubot, email: hubot@example.com")
        .entry("users", "login: guest, email: guest@example.com")
        .users(&["reader", "stranger"])
        .org("acme", "{ user: mona, role: admin }")
        .classic("mona", "repo, workflow, notifications", "ghp_mona")
        .classic("hubot", "repo, notifications", "ghp_hubot")
        .classic("guest", "repo, notifications", "ghp_guest")
        .classic("reader", "repo, notifications", "ghp_reader")
        .classic("stranger", "repo, notifications", "ghp_stranger")
}

/// A service with `acme/rocket`, which has a pull request from `feature` to `main`.
pub struct PullRequestFixture {
    pub service: Service,
    pub work: WorkTree,
    pub base: String,
    pub head: String,
}

impl PullRequestFixture {
    /// Files of the base, and the changes of the head; `None` deletes a file.
    pub async fn new(base: &[(&str, &str)], head: &[(&str, Option<&str>)]) -> Self {
        Self::with_settings(base, head, None).await
    }

    pub async fn with_settings(
        base: &[(&str, &str)],
        head: &[(&str, Option<&str>)],
        settings: Option<plinth_api::settings::Settings>,
    ) -> Self {
        let work = WorkTree::new();
        for (path, content) in base {
            work.write(path, Some(content));
        }
        let base = work.commit("mona");
        work.git(&["checkout", "-q", "-b", "feature"]);
        for (path, content) in head {
            work.write(path, *content);
        }
        let head = work.commit("hubot");
        work.git(&["checkout", "-q", "--detach"]);
        let import = format!("import: {}", work.path().display());
        let rocket = format!("default_branch: main, {import}, collaborators: [{{ user: hubot, permission: write }}]");
        let state = acme().repo("acme/rocket", &rocket).repo("acme/other", &import).to_string();
        let service = match settings {
            Some(settings) => Service::with_settings(&state, settings).await,
            None => Service::with(&state).await,
        };
        let fixture = Self { service, work, base, head };
        for repo in ["rocket", "other"] {
            let body = json!({ "title": "Change", "head": "feature", "base": "main", "body": "Please" });
            fixture.user("mona").post(&format!("/repos/acme/{repo}/pulls"), body).await.expect(201);
        }
        fixture
    }

    pub fn user(&self, login: &str) -> Client<'_> {
        self.service.with_token(&format!("ghp_{login}"))
    }

    /// Creates a commit with these changes on top of `parent`, without updating a ref.
    pub fn commit_on(&self, parent: &str, changes: &[(&str, Option<&str>)]) -> String {
        self.work.git(&["checkout", "-q", "--detach", parent]);
        for (path, content) in changes {
            self.work.write(path, *content);
        }
        self.work.commit("hubot")
    }

    /// Copies the objects and moves a branch by force.
    pub async fn push(&self, branch: &str, sha: &str) {
        self.bring_objects().await;
        let path = format!("/repos/acme/rocket/git/refs/heads/{branch}");
        self.user("mona").patch(&path, json!({ "sha": sha, "force": true })).await.expect(200);
    }

    /// Copies every commit into the repository of the service.
    pub async fn bring_objects(&self) {
        self.bring_objects_to("rocket").await;
    }

    pub async fn bring_objects_to(&self, repo: &str) {
        let pack = self.directory(repo).await.join("objects/pack/pack");
        let pack = pack.to_str().expect("a path of the test");
        let listed = self.work.git(&["rev-list", "--objects", "--all"]);
        let names: String = listed.lines().map(|line| format!("{}\n", &line[..40])).collect();
        self.work.git_with(&["pack-objects", "-q", pack], &names);
    }

    /// The id of the repository.
    pub async fn repo_id(&self) -> RepoId {
        let repo = self.user("mona").get("/repos/acme/rocket").await.expect(200).json();
        RepoId(repo["id"].as_i64().expect("a number"))
    }

    /// Removes every object that neither refs nor garbage-collection roots need.
    pub async fn collect_garbage(&self, holders: &'static [GcRoots]) {
        let app = &self.service.app;
        let policy = Policy { packs_max: 2, grace: Duration::ZERO, old_packs_max: 1, ..Policy::default() };
        let mut maintenance = Maintenance::new(app.objects.clone(), app.clock.clone(), holders, policy);
        maintenance.round().await.expect("a round of maintenance");
    }

    /// Collects garbage until an object is gone. A round removes nothing while a test merge runs.
    pub async fn collect(&self, sha: &str, holders: &'static [GcRoots]) {
        self.service.settled().await;
        let is_gone = async || {
            self.collect_garbage(holders).await;
            !self.is_on_disk(sha).await
        };
        wait_until_async("the object is collected", is_gone).await;
    }

    /// The directory of a repository.
    async fn directory(&self, repo: &str) -> PathBuf {
        let repo = self.user("mona").get(&format!("/repos/acme/{repo}")).await.expect(200).json();
        let id = repo["id"].as_i64().expect("a number");
        self.service.directory().join(format!("data/repositories/{:02x}/{id}.git", id % 256))
    }

    /// Whether git finds an object in the repository of the service.
    pub async fn is_on_disk(&self, sha: &str) -> bool {
        let directory = self.directory("rocket").await;
        let found = Command::new("git").arg("--git-dir").arg(directory).args(["cat-file", "-e", sha]).output();
        found.expect("git is installed").status.success()
    }

    /// Creates a comment as mona on the head, with these fields.
    pub async fn comment(&self, fields: Value) -> Response {
        self.comment_as("mona", fields).await
    }

    pub async fn comment_as(&self, login: &str, fields: Value) -> Response {
        let mut body = json!({ "body": "Look", "commit_id": self.head, "path": "file" });
        merge(&mut body, fields);
        self.user(login).post(COMMENTS, body).await
    }

    /// Reads the comment.
    pub async fn get(&self, id: &Value) -> Value {
        self.user("mona").get(&format!("/repos/acme/rocket/pulls/comments/{id}")).await.expect(200).json()
    }
}

fn merge(body: &mut Value, fields: Value) {
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    for (name, value) in fields {
        match value {
            Value::Null => body.as_object_mut().expect("an object").remove(&name),
            value => body.as_object_mut().expect("an object").insert(name, value),
        };
    }
}

/// A work tree in which the git program makes commits.
pub struct WorkTree {
    directory: tempfile::TempDir,
}

impl WorkTree {
    pub fn new() -> Self {
        let work = Self { directory: tempfile::tempdir().expect("a temporary directory can be created") };
        work.git(&["init", "-q", "-b", "main"]);
        work
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn write(&self, path: &str, content: Option<&str>) {
        let file = self.path().join(path);
        match content {
            Some(content) => {
                std::fs::create_dir_all(file.parent().expect("inside the directory")).expect("a directory");
                std::fs::write(file, content).expect("a file can be written");
            }
            None => std::fs::remove_file(file).expect("the file was there"),
        }
    }

    /// Commits everything, with a tag that keeps the commit reachable.
    pub fn commit(&self, author: &str) -> String {
        self.git(&["add", "-A"]);
        let identity = format!("{author} <{author}@example.com>");
        self.git(&["commit", "-q", "--allow-empty", "-m", "state", "--author", &identity]);
        let sha = self.git(&["rev-parse", "HEAD"]).trim().to_owned();
        self.git(&["tag", "-f", &format!("reachable-{sha}"), &sha]);
        sha
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_with(arguments, "")
    }

    pub fn git_with(&self, arguments: &[&str], input: &str) -> String {
        String::from_utf8_lossy(&self.git_bytes(arguments, input)).into_owned()
    }

    pub fn git_bytes(&self, arguments: &[&str], input: &str) -> Vec<u8> {
        use std::io::Write;
        let mut child = Command::new("git")
            .current_dir(self.path())
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "core.autocrlf=false"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git is installed");
        let mut stdin = child.stdin.take().expect("a pipe");
        let input = input.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().expect("git ends");
        let _ = writer.join();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }
}
