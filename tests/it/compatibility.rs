//! docs/compatibility.md matches the client suites: its tables are generated from the suites' own data.
//!
//! `UPDATE_EXPECT=1 cargo test --test it compatibility` regenerates the page. `tests/clients/run.mjs --covers` checks that
//! a suite calls each operation, with success and with an error.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use serde::Deserialize;

const BY_ROUTE: &str = "by route";
const BEGIN: &str = "<!-- made by tests/it/compatibility.rs -->\n\n";
const END: &str = "\n<!-- end -->\n";
const AREAS: [(&str, &str); 5] = [
    ("projects/", "Project fields"),
    ("orgs/", "Issue fields"),
    ("pulls/", "Review comments"),
    ("git/", "Git references"),
    ("apps/", "App installations"),
];

#[derive(Deserialize)]
struct Operation {
    operation: String,
    method: String,
    path: String,
}

#[derive(Deserialize)]
struct Client {
    name: String,
    language: String,
    /// The directory of its suite, and the prefix of its file names.
    suite: String,
    files: String,
    /// The lock file with the version; none for clients that come with the system.
    pin: Option<String>,
    /// The client's method for each operation; the client lacks operations that are not listed.
    methods: BTreeMap<String, String>,
}

#[test]
fn compatibility_page_matches_client_suites() {
    let page = read("docs/compatibility.md");
    let (before, rest) = page.split_once(BEGIN).expect("the page has a marker for its tables");
    let (_, after) = rest.split_once(END).expect("the tables have an end");
    let made = format!("{before}{BEGIN}{}\n{}{END}{after}", areas(), methods());
    expect_file!["../../docs/compatibility.md"].assert_eq(&made);
}

#[test]
fn client_suites_call_their_listed_methods() {
    for client in clients() {
        let cases = sources(&client);
        for operation in operations() {
            let Some(method) = client.methods.get(&operation.operation) else { continue };
            let word = match method.as_str() {
                BY_ROUTE => last_name(&operation.path).to_owned(),
                typed => format!(".{}", typed.rsplit('.').next().unwrap_or(typed)),
            };
            assert!(cases.contains(&word), "{}: {word} is nowhere in {}", client.name, client.suite);
        }
    }
}

#[test]
fn missing_client_methods_are_listed() {
    let all: BTreeSet<String> = operations().into_iter().map(|row| row.operation).collect();
    for client in clients() {
        let has: BTreeSet<String> = client.methods.keys().cloned().collect();
        let lacks: Vec<&String> = all.difference(&has).collect();
        let file = format!("{}/{}-lacks.txt", client.suite, client.name.to_lowercase());
        let known = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        let known: BTreeSet<&str> = known.split_whitespace().collect();
        assert!(lacks.iter().all(|operation| known.contains(operation.as_str())), "{}: {lacks:?}", client.name);
        assert_eq!(lacks.len(), known.len(), "{}", client.name);
        assert!(has.is_subset(&all), "{}", client.name);
    }
}

/// The last segment of a path that is not a parameter.
fn last_name(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.starts_with('{')).expect("a path has a name in it")
}

/// The table of clients by area.
fn areas() -> String {
    let heads: Vec<String> = AREAS.iter().map(|(_, title)| format!(" {title} |")).collect();
    let mut table =
        format!("| Client | Version | Suite |{}\n|---|---|---|{}\n", heads.concat(), "---|".repeat(AREAS.len()));
    for client in clients() {
        let cells: Vec<String> = AREAS.iter().map(|(prefix, _)| format!(" {} |", area(&client, prefix))).collect();
        let (name, language, suite) = (&client.name, &client.language, &client.suite);
        let version = client.pin.as_deref().map_or("the system's".into(), |file| version(name, &read(file)));
        writeln!(table, "| {name} ({language}) | {version} | [{suite}](../{suite}) |{}", cells.concat()).expect("text");
    }
    table
}

/// How many operations of an area a client calls, and by which means.
fn area(client: &Client, prefix: &str) -> String {
    let all = operations().iter().filter(|row| row.operation.starts_with(prefix)).count();
    let called: Vec<&String> =
        client.methods.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, method)| method).collect();
    let by_route = called.iter().filter(|method| **method == BY_ROUTE).count();
    match (called.len(), by_route) {
        (0, _) => "–".into(),
        (some, 0) => format!("{some} of {all}"),
        (some, _) => format!("{some} of {all}, {BY_ROUTE}"),
    }
}

/// The table of operations by client.
fn methods() -> String {
    let clients: Vec<Client> =
        clients().into_iter().filter(|client| client.methods.values().any(|method| method != BY_ROUTE)).collect();
    let heads: Vec<String> = clients.iter().map(|client| format!(" {} |", client.name)).collect();
    let mut table = format!("| Operation |{}\n|---|{}\n", heads.concat(), "---|".repeat(clients.len()));
    for row in operations() {
        let cell = |client: &Client| match client.methods.get(&row.operation).map(String::as_str) {
            None => " – |".into(),
            Some(BY_ROUTE) => format!(" {BY_ROUTE} |"),
            Some(method) => format!(" `{method}` |"),
        };
        let cells: Vec<String> = clients.iter().map(cell).collect();
        writeln!(table, "| `{} {}` |{}", row.method, row.path, cells.concat()).expect("text");
    }
    table
}

/// The version of a package in a lock file of any of the three formats.
fn version(package: &str, lock: &str) -> String {
    let lower = lock.to_lowercase();
    let after = [
        format!("name = \"{}\"\nversion = \"", package.to_lowercase()),
        format!("\"node_modules/{}\": {{\n      \"version\": \"", package.to_lowercase()),
        format!("\n{}==", package.to_lowercase()),
    ];
    let found = after.iter().find_map(|words| lower.split_once(words.as_str())).expect("the package is pinned");
    found.1.chars().take_while(|letter| letter.is_ascii_digit() || *letter == '.').collect()
}

/// The source of a client's tests, concatenated.
fn sources(client: &Client) -> String {
    let entries = std::fs::read_dir(root().join(&client.suite)).expect("the suite is there").flatten();
    let is_fixture = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(&client.files) && [".mjs", ".py", ".rs"].iter().any(|end| name.ends_with(end))
    };
    let cases = entries.map(|entry| entry.path()).filter(|path| is_fixture(path));
    cases.map(|path| std::fs::read_to_string(path).expect("a test can be read")).collect()
}

fn operations() -> Vec<Operation> {
    serde_json::from_str(&read("tests/clients/operations.json")).expect("a list of operations")
}

fn clients() -> Vec<Client> {
    serde_json::from_str(&read("tests/clients/methods.json")).expect("a list of clients")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn root() -> PathBuf {
    crate::support::workspace_root()
}
