//! Which servers may run on a database, and with which storage.

use std::process::Output;

use super::storage::Storage;
use super::{Nodes, ROCKET, clone};
use crate::process::owners::{plinth, text};

const SERVE: &[&str] = &["serve", "--listen", "127.0.0.1:0"];

#[track_caller]
fn rejected(output: &Output, parts: &[&str]) {
    let message = text(output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
}

#[test]
fn servers_that_start_at_once_create_one_store() {
    let Some(nodes) = Nodes::new() else { return };
    let servers: Vec<_> = std::thread::scope(|threads| {
        let starting: Vec<_> = ["a", "b", "c"].map(|name| threads.spawn(|| nodes.start(name))).into_iter().collect();
        starting.into_iter().map(|thread| thread.join().expect("the server starts")).collect()
    });
    for (server, name) in servers.iter().zip(["from-a", "from-b", "from-c"]) {
        clone(server, &nodes.of(name));
    }
}

#[test]
fn server_with_packs_of_its_own_is_rejected() {
    let Some(nodes) = Nodes::new() else { return };
    let a = nodes.start("a");
    rejected(&plinth(&nodes.of("b").join("data"), Some(&nodes.database_url()), SERVE), &["in use by"]);
    drop(a);
    let alone = plinth(&nodes.of("b").join("data"), Some(&nodes.database_url()), SERVE);
    rejected(&alone, &["--objects", &nodes.storage.url()]);
    assert_eq!(nodes.start("a").get(ROCKET).status(), 200);
}

#[test]
fn storage_of_another_database_is_rejected() {
    let Some(first) = Nodes::new() else { return };
    drop(first.start("a"));
    let other = Nodes::with_storage(Storage::start()).expect("it is PostgreSQL");
    // A new database with a storage that has an owner.
    let mut words = SERVE.to_vec();
    let (url, database) = (first.storage.url(), other.database_url());
    words.extend(["--objects", &url]);
    let with_environment = |data: &str, database: &str, words: &[&str], storage: &Storage| {
        let mut program = std::process::Command::new(crate::process::program_path());
        program
            .args(words)
            .envs(storage.environment())
            .arg("--data")
            .arg(other.of(data))
            .args(["--database", database]);
        program.output().expect("the program starts")
    };
    rejected(&with_environment("x", &database, &words, &first.storage), &["belongs to another database"]);
    // A database with an owner and a new storage.
    let url = other.storage.url();
    let words = [SERVE, &["--objects", &url]].concat();
    let output = with_environment("y", &first.database_url(), &words, &other.storage);
    rejected(&output, &["is not the object storage of this database"]);
}

#[test]
fn objects_without_postgres_or_with_other_urls_are_rejected() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let words = |url: &'static str| [SERVE, &["--objects", url]].concat();
    rejected(&plinth(directory.path(), None, &words("s3://bucket")), &["several servers need PostgreSQL"]);
    let other = plinth(directory.path(), Some("postgres://127.0.0.1:1/none"), &words("ftp://host/bucket"));
    rejected(&other, &["ftp://host/bucket", "s3://BUCKET/PREFIX"]);
}
