//! A service with a listener, and clones of its repositories.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::LazyLock;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::JoinHandle;

use crate::support::Service;
use crate::support::fixtures::octo_org;
use plinth_api::server::{self, HttpService};
use plinth_api::settings::Settings;

/// The owner's token, which has every right.
pub const OWNER: &str = "ghp_owner";
pub const READER: &str = "ghp_reader";
/// A fine-grained token that may only read contents.
pub const READ_ONLY: &str = "github_pat_readonly";
/// A fine-grained token that may push, but not change workflow files.
pub const WRITER: &str = "github_pat_writer";

/// With the name alone, a program with an environment of its own is started by copying the page tables of all tests.
static GIT: LazyLock<PathBuf> = LazyLock::new(|| {
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let mut candidates = std::env::split_paths(&search_path).map(|directory| directory.join("git"));
    candidates.find(|path| path.is_file()).expect("git is installed")
});

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona", "hubot", "stranger"])
        .repo("octo-org/hello", "")
        .repo("octo-org/secret", "private: true, collaborators: [{ user: hubot, permission: read }]")
        .repo("octo-org/old", "archived: true")
        .classic("mona", "repo, workflow", "ghp_owner")
        .classic("hubot", "repo", "ghp_reader")
        .classic("stranger", "repo", "ghp_stranger")
        .fine_grained("mona", "octo-org", "contents: read", "github_pat_readonly")
        .fine_grained("mona", "octo-org", "contents: write", "github_pat_writer")
        .to_string()
});

/// The service, its listener and a directory for clones.
pub struct Host {
    pub service: Service,
    pub address: String,
    directory: tempfile::TempDir,
    serving: JoinHandle<()>,
}

impl Drop for Host {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The result of a command.
#[derive(Debug)]
pub struct CommandOutput {
    pub success: bool,
    pub out: String,
    pub err: String,
}

impl CommandOutput {
    /// The output of a command that must succeed.
    #[track_caller]
    pub fn ok(self) -> String {
        assert!(self.success, "{}\n{}", self.out, self.err);
        self.out
    }

    /// The output of a command that must fail.
    #[track_caller]
    pub fn rejected(self) -> String {
        assert!(!self.success, "{}\n{}", self.out, self.err);
        format!("{}\n{}", self.out, self.err)
    }
}

impl Host {
    pub async fn start() -> Self {
        Self::with_settings(|_| {}).await
    }

    pub async fn with_settings(change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings::default();
        settings.rate_limits.enforced = false;
        change(&mut settings);
        let service = Service::with_settings(&STATE, settings).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let app = service.app.clone();
        let serving = tokio::spawn(async move {
            server::serve(listener, app.clone(), HttpService::new(app), std::future::pending())
                .await
                .expect("it serves");
        });
        Self { service, address, directory: tempfile::tempdir().expect("a directory"), serving }
    }

    /// The URL of a repository with a token as password.
    pub fn url(&self, token: &str, repo: &str) -> String {
        format!("http://x-access-token:{token}@{}/{repo}.git", self.address)
    }

    pub fn open_url(&self, repo: &str) -> String {
        format!("http://{}/{repo}.git", self.address)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs git in a directory of this host; an empty name means the directory of all clones.
    pub async fn git(&self, directory: &str, arguments: &[&str]) -> CommandOutput {
        self.git_with(directory, arguments, b"").await
    }

    pub async fn git_with(&self, directory: &str, arguments: &[&str], input: &[u8]) -> CommandOutput {
        let mut child = self.command(directory, arguments).spawn().expect("git starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input).await.expect("git listens");
        drop(stdin);
        let output = child.wait_with_output().await.expect("git ends");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        CommandOutput { success: output.status.success(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    pub fn command(&self, directory: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(&*GIT);
        command
            .args(["-c", "init.defaultBranch=main", "-c", "advice.detachedHead=false"])
            .args(arguments)
            .current_dir(self.path(directory))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.directory.path())
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .envs([("GIT_AUTHOR_NAME", "Mona"), ("GIT_AUTHOR_EMAIL", "mona@example.com")])
            .envs([("GIT_COMMITTER_NAME", "Mona"), ("GIT_COMMITTER_EMAIL", "mona@example.com")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// A new repository in `directory` with `count` commits on `main` and the remote `repo`.
    pub async fn work(&self, directory: &str, token: &str, repo: &str, count: usize) {
        self.git("", &["init", "--quiet", directory]).await.ok();
        self.git(directory, &["remote", "add", "origin", &self.url(token, repo)]).await.ok();
        for number in 1..=count {
            self.commit(directory, "file.txt", &format!("{number}\n")).await;
        }
    }

    /// Commits a file and returns the commit's id.
    pub async fn commit(&self, directory: &str, file: &str, content: &str) -> String {
        let path = self.path(directory).join(file);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(&path, content).expect("a file");
        self.git(directory, &["add", "."]).await.ok();
        self.git(directory, &["commit", "--quiet", "-m", &format!("write {file}")]).await.ok();
        self.git(directory, &["rev-parse", "HEAD"]).await.ok()
    }

    /// The refs that the server advertises, each with its target.
    pub async fn refs(&self, repo: &str) -> Vec<String> {
        let listed = self.git("", &["ls-remote", "--quiet", &self.url(OWNER, repo)]).await.ok();
        listed.lines().map(|line| line.replace('\t', " ")).collect()
    }

    /// A fresh clone is complete and passes `git fsck`.
    pub async fn check_fresh_clone(&self, repo: &str) {
        let directory = format!("fresh-{}", self.directory.path().read_dir().expect("a directory").count());
        self.git("", &["clone", "--quiet", "--mirror", &self.url(OWNER, repo), &directory]).await.ok();
        self.git(&directory, &["fsck", "--strict", "--full"]).await.ok();
    }

    /// No quarantine and no temporary pack file is left.
    pub fn assert_nothing_left(&self) {
        let mut leftovers = Vec::new();
        for directory in find(self.service.directory(), &|path| path.ends_with("quarantine")) {
            leftovers.extend(find(&directory, &|path| *path != *directory));
        }
        leftovers.extend(find(self.service.directory(), &|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("tmp_"))
        }));
        assert!(leftovers.is_empty(), "{leftovers:?}");
    }

    /// The number of packs on the server.
    pub fn packs(&self) -> usize {
        self.pack_files().len()
    }

    pub fn pack_files(&self) -> Vec<PathBuf> {
        find(self.service.directory(), &|path| path.extension().is_some_and(|extension| extension == "pack"))
    }
}

fn find(directory: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).expect("readable").map(|entry| entry.expect("readable").path()));
        }
        if wanted(&path) {
            found.push(path);
        }
    }
    found
}
