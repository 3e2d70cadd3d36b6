//! The command line, run in process.

use std::path::Path;

use clap::Parser;
use plinth::cli::{self, Cli};
use plinth_base::ids::RepoId;
use plinth_store::Location;

use crate::support::TestDatabase;

/// A data directory on which commands run.
struct Shell {
    directory: tempfile::TempDir,
}

impl Shell {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory can be created") }
    }

    fn path(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    /// Runs a command and returns its output, or its error.
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
async fn commands_create_accounts_repositories_and_tokens() {
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
async fn invalid_commands_report_mistakes_and_change_nothing() {
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
async fn backup_restores_everything() {
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
async fn interrupted_backup_is_not_restored() {
    let shell = Shell::new();
    shell.run(&["user", "create", "mona"]).await.expect("a user");
    // The leftovers of a killed backup do not matter.
    std::fs::create_dir(shell.path("copy.unfinished")).expect("a directory can be created");
    std::fs::write(shell.path("copy.unfinished/plinth.db"), "half").expect("a file can be written");
    shell.run(&["backup", &shell.path("copy")]).await.expect("a copy");
    assert!(!Path::new(&shell.path("copy.unfinished")).exists());
    std::fs::remove_dir_all(shell.path("data")).expect("the store is lost");

    let whole = std::fs::read(shell.path("copy/plinth.db")).expect("the copy can be read");
    for bytes_left in [0, 100, 5_000, whole.len() - 4096] {
        std::fs::write(shell.path("copy/plinth.db"), &whole[..bytes_left]).expect("a file can be written");
        let message = shell.run(&["restore", &shell.path("copy")]).await.expect_err("it is not whole");
        assert!(message.contains("is not whole"), "{bytes_left}: {message}");
        let left = ["data", "data.unfinished"].map(|name| Path::new(&shell.path(name)).exists());
        assert_eq!(left, [false, false], "nothing is made of half a copy");
    }
    std::fs::write(shell.path("copy/plinth.db"), &whole).expect("a file can be written");
    shell.run(&["restore", &shell.path("copy")]).await.expect("the whole copy comes back");
    // There is no repository yet, so a backup has only the database and its manifest.
    let names = std::fs::read_dir(shell.path("copy")).expect("the copy can be listed").count();
    assert_eq!(names, 2, "a copy is not changed by being read");
    assert!(shell.run(&["user", "list"]).await.expect("a list").contains("mona"));
}

#[tokio::test]
async fn backup_contains_repositories() {
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
async fn repository_directory_is_used_with_postgres() {
    let shell = Shell::new();
    let database = TestDatabase::create().await;
    let Location::Postgres { url, .. } = database.location() else {
        let message = shell.run(&["--database", "postgres://nobody@127.0.0.1:1/none", "check"]).await;
        // The command gets as far as connecting to the database.
        let message = message.expect_err("nothing responds there");
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
async fn flags_override_configuration_file() {
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
async fn manual_has_a_page_for_each_command() {
    let shell = Shell::new();
    let directory = shell.path("manual");
    shell.run(&["manual", &directory]).await.expect("the pages are written");
    let page = std::fs::read_to_string(std::path::Path::new(&directory).join("plinth-serve.1")).expect("a page");
    assert!(page.contains(".TH") && page.contains("ephemeral"), "{page}");
    assert!(std::path::Path::new(&directory).join("plinth-token-create.1").is_file());
}

#[tokio::test]
async fn completions_are_generated() {
    let shell = Shell::new();
    assert!(shell.run(&["completions", "bash"]).await.expect("a script").contains("_plinth"));
}
