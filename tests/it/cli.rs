//! The command line, run in process on a store of its own.

use std::path::Path;

use clap::Parser;
use plinth::cli::{self, Cli};
use plinth_base::ids::RepoId;
use plinth_store::Location;

use crate::support::TestDatabase;

/// A data folder and the words that people type.
struct Shell {
    folder: tempfile::TempDir,
}

impl Shell {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder can be made") }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Runs a command and returns what it printed, or its complaint.
    async fn run(&self, words: &[&str]) -> Result<String, String> {
        let data = self.path("data");
        let all = ["plinth", "--data", &data].into_iter().chain(words.iter().copied());
        let cli = Cli::try_parse_from(all).map_err(|error| error.to_string())?;
        let mut out = Vec::new();
        cli::run(cli, &mut out).await.map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).expect("output is text"))
    }
}

#[tokio::test]
async fn accounts_repositories_and_tokens_are_made_by_hand() {
    let shell = Shell::new();
    shell.run(&["user", "create", "mona", "--name", "Mona"]).await.expect("a user");
    shell.run(&["org", "create", "octo-org"]).await.expect("an organization");
    shell.run(&["org", "add-member", "octo-org", "mona", "--role", "admin"]).await.expect("a member");
    shell.run(&["repo", "create", "octo-org/hello", "--private"]).await.expect("a repository");
    let token =
        shell.run(&["token", "create", "--kind", "classic", "--user", "mona", "--scopes", "repo,project"]).await;
    let token = token.expect("a token");
    assert!(token.starts_with("ghp_"), "{token}");
    let listed = shell.run(&["token", "list", "--user", "mona"]).await.expect("a list");
    assert!(listed.contains("project, repo") && !listed.contains(token.trim()), "{listed}");
    assert!(shell.run(&["repo", "list"]).await.expect("a list").contains("private  octo-org/hello"));
    shell.run(&["token", "revoke", "1"]).await.expect("it was in use");
    let again = shell.run(&["token", "revoke", "1"]).await.expect_err("it is not in use any more");
    assert!(again.contains("no token 1"), "{again}");
}

#[tokio::test]
async fn mistakes_are_told_and_change_nothing() {
    let shell = Shell::new();
    for (words, complaint) in [
        (&["user", "create", "repos"][..], "reserved"),
        (&["org", "add-member", "none", "mona"], "there is no organization \"none\""),
        (&["repo", "create", "hello"], "owner/name"),
        (&["token", "create", "--kind", "fine-grained", "--user", "mona"], "--owner"),
        (&["token", "create", "--kind", "classic", "--user", "nobody"], "there is no user \"nobody\""),
        (&["apply", "/nonexistent/file.yaml"], "/nonexistent/file.yaml"),
        (&["--public-url", "ftp://x", "check"], "public URL"),
        (&["--listen", "nowhere", "check"], "invalid value 'nowhere'"),
    ] {
        let message = shell.run(words).await.expect_err("it is a mistake");
        assert!(message.contains(complaint), "{words:?}: {message}");
    }
    assert_eq!(shell.run(&["user", "list"]).await.expect("a list"), "");
}

#[tokio::test]
async fn a_copy_brings_everything_back() {
    let shell = Shell::new();
    shell.run(&["user", "create", "mona"]).await.expect("a user");
    let copy = shell.path("copy");
    shell.run(&["backup", &copy]).await.expect("a copy");
    let again = shell.run(&["backup", &copy]).await.expect_err("an earlier copy is not overwritten");
    assert!(again.contains("copy"), "{again}");
    let over = shell.run(&["restore", &copy]).await.expect_err("the store is not overwritten");
    assert!(over.contains("exists already"), "{over}");
    std::fs::remove_dir_all(shell.path("data")).expect("the store is lost");
    shell.run(&["restore", &copy]).await.expect("it comes back");
    assert!(shell.run(&["user", "list"]).await.expect("a list").contains("mona"));
}

#[tokio::test]
async fn a_copy_that_was_cut_off_is_not_taken_for_whole() {
    let shell = Shell::new();
    shell.run(&["user", "create", "mona"]).await.expect("a user");
    // What a backup that was killed has left behind is in nobody's way.
    std::fs::create_dir(shell.path("copy.unfinished")).expect("a folder can be made");
    std::fs::write(shell.path("copy.unfinished/plinth.db"), "half").expect("a file can be written");
    shell.run(&["backup", &shell.path("copy")]).await.expect("a copy");
    assert!(!Path::new(&shell.path("copy.unfinished")).exists());
    std::fs::remove_dir_all(shell.path("data")).expect("the store is lost");

    let whole = std::fs::read(shell.path("copy/plinth.db")).expect("the copy can be read");
    for kept in [0, 100, 5_000, whole.len() - 4096] {
        std::fs::write(shell.path("copy/plinth.db"), &whole[..kept]).expect("a file can be written");
        let message = shell.run(&["restore", &shell.path("copy")]).await.expect_err("it is not whole");
        assert!(message.contains("is not whole"), "{kept}: {message}");
        let left = ["data", "data.unfinished"].map(|name| Path::new(&shell.path(name)).exists());
        assert_eq!(left, [false, false], "nothing is made of half a copy");
    }
    std::fs::write(shell.path("copy/plinth.db"), &whole).expect("a file can be written");
    shell.run(&["restore", &shell.path("copy")]).await.expect("the whole copy comes back");
    // There is no repository yet, so the store and its manifest are all that a copy has.
    let names = std::fs::read_dir(shell.path("copy")).expect("the copy can be listed").count();
    assert_eq!(names, 2, "a copy is not changed by being read");
    assert!(shell.run(&["user", "list"]).await.expect("a list").contains("mona"));
}

#[tokio::test]
async fn a_copy_has_the_repositories_too() {
    let shell = Shell::new();
    let state = shell.path("state.yaml");
    let text = "users: [{ login: mona }]\n\
                repos: [{ name: mona/notes, commits: [{ branch: main, author: mona, message: m, files: { a: b } }] }]";
    std::fs::write(&state, text).expect("a file can be written");
    shell.run(&["apply", &state]).await.expect("it applies");
    shell.run(&["backup", &shell.path("copy")]).await.expect("a copy");
    std::fs::remove_dir_all(shell.path("data")).expect("the store is lost");
    shell.run(&["restore", &shell.path("copy")]).await.expect("it comes back");
    let again = shell.run(&["apply", &state]).await.expect("everything is there");
    assert!(again.contains("0 created, 0 changed"), "{again}");

    let repositories = plinth_git::Repositories::at(Path::new(&shell.path("data"))).expect("they open");
    let repository = repositories.get(RepoId(1)).expect("it is there");
    assert_eq!(repository.pack_count().expect("packs are counted"), 1);
}

#[tokio::test]
async fn repositories_have_their_folder_beside_a_database_too() {
    let shell = Shell::new();
    let database = TestDatabase::create().await;
    let Location::Postgres { url, .. } = database.location() else {
        let message = shell.run(&["--database", "postgres://nobody@127.0.0.1:1/none", "check"]).await;
        // It comes to the point of asking the database.
        let message = message.expect_err("nobody answers there");
        assert!(!message.contains("cannot be used with"), "{message}");
        return;
    };
    let state = shell.path("state.yaml");
    let text = "users: [{ login: mona }]\n\
                repos: [{ name: mona/notes, commits: [{ branch: main, author: mona, message: m, files: { a: b } }] }]";
    std::fs::write(&state, text).expect("a file can be written");
    shell.run(&["--database", &url, "apply", &state]).await.expect("it applies");
    assert!(Path::new(&shell.path("data/repositories")).is_dir());
    assert!(!Path::new(&shell.path("data/plinth.db")).exists());
    let shown = shell.run(&["--database", &url, "check", "--print"]).await.expect("settings");
    assert!(shown.contains(&format!("data = \"{}\"\n", shell.path("data"))), "{shown}");
}

#[tokio::test]
async fn settings_come_from_the_file_unless_a_flag_says_otherwise() {
    let shell = Shell::new();
    let file = shell.path("plinth.toml");
    std::fs::write(&file, "requests_per_hour = 7\nrequests_max = 3\n").expect("a file can be written");
    let shown = shell.run(&["--config", &file, "--requests-max", "9", "check", "--print"]).await.expect("settings");
    assert!(shown.contains("requests_per_hour = 7\n") && shown.contains("requests_max = 9\n"), "{shown}");
    std::fs::write(&file, "requets_per_hour = 7\n").expect("a file can be written");
    let message = shell.run(&["--config", &file, "check"]).await.expect_err("a word is wrong");
    assert!(message.contains("requets_per_hour"), "{message}");
}

#[tokio::test]
async fn completions_are_written() {
    let shell = Shell::new();
    assert!(shell.run(&["completions", "bash"]).await.expect("a script").contains("_plinth"));
}
