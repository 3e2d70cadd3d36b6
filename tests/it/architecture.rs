//! The house as it is drawn in docs/architecture.md: which folder may know which, and what stands in one place only.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Floors from the ground up; a folder may know the folders on floors below its own.
const FLOORS: &[&[&str]] = &[
    &["error", "ids", "clock", "urls"],
    &["git", "db", "markdown"],
    &["accounts", "repos", "tokens", "apps", "refs", "objects"],
    &["api", "app", "config"],
    &["pulls", "projects", "notifications", "git_http"],
    &[
        "project_fields",
        "issue_fields",
        "review_comments",
        "git_refs",
        "installations",
        "oauth",
        "profiles",
        "repositories",
        "meta",
    ],
    &["web", "sweep"],
    &["router"],
    &["server"],
    &["cli"],
];

/// Arrows between folders on one floor, each with its reason.
const BESIDE: &[(&str, &str)] = &[
    // Addresses are made of ids.
    ("urls", "ids"),
    // Repositories and tokens belong to accounts; apps hand out tokens.
    ("repos", "accounts"),
    ("tokens", "accounts"),
    ("apps", "tokens"),
    // An app acts through an account of its own.
    ("apps", "accounts"),
    // Objects that only the store holds are found beside the packs of a repository.
    ("objects", "refs"),
    // A request shares the service's parts, and these speak the vocabulary of HTTP.
    ("api", "app"),
    ("app", "api"),
    ("app", "config"),
    ("config", "api"),
    // A push moves pull requests.
    ("git_http", "pulls"),
    // A comment on a pull request notifies.
    ("pulls", "notifications"),
    // A project field can follow an issue field.
    ("project_fields", "issue_fields"),
];

/// Words that only some folders may say.
const KEPT_APART: &[(&str, &[&str])] = &[
    ("gix::", &["git"]),
    ("Command::new(", &["git"]),
    ("rusqlite::", &["db"]),
    ("tokio_postgres::", &["db"]),
    ("StatusCode::", &["api"]),
    // A reader without a budget is for commands of the operator.
    (".reader(&", &["git", "cli"]),
];

/// Everything that allows a write transaction, each in the only file that can use it, with its reason.
const WRITE_AUTHORITIES: &[(&str, &str)] = &[
    // The right of a caller, checked again inside the transaction.
    ("impl<E: Endpoint, T: Target> WriteAuthority for", "src/api/access/recheck.rs"),
    // Whoever runs commands on the store, or applies a state file.
    ("pub(in crate::cli) Operator =", "src/cli/operator.rs"),
    // A store that is opened for the first time gets its secret.
    ("FirstStart =", "src/app.rs"),
    // Time ends tokens and device codes.
    ("Expiry =", "src/sweep.rs"),
    // What follows from commits and comments that are there already.
    ("Refresh =", "src/pulls/follow.rs"),
    ("Reanchor =", "src/pulls/threads/place.rs"),
    // Objects move into packs, where everyone finds the same.
    ("Flush =", "src/objects/flush.rs"),
];

const FILE_LINES_MAX: usize = 300;

#[test]
fn arrows_point_down() {
    let mut wrong = BTreeSet::new();
    for (file, text) in sources() {
        let from = module_of(&file);
        for to in mentioned_modules(&text) {
            if to != from && !may_know(&from, &to) {
                wrong.insert(format!("{from} → {to} ({})", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that the architecture does not have:\n{}", join(wrong));
}

#[test]
fn every_folder_has_a_floor() {
    let known: BTreeSet<&str> = FLOORS.iter().flat_map(|floor| floor.iter().copied()).collect();
    let unknown: BTreeSet<String> = sources()
        .into_iter()
        .map(|(file, _)| module_of(&file))
        .filter(|module| !known.contains(module.as_str()) && module != "main" && module != "lib")
        .collect();
    assert!(unknown.is_empty(), "folders without a floor: {}", join(unknown));
}

#[test]
fn some_words_are_said_in_one_place_only() {
    let mut wrong = BTreeSet::new();
    for (file, text) in sources() {
        let module = module_of(&file);
        for (word, allowed) in KEPT_APART {
            let said = code_lines(&text).any(|line| line.contains(word));
            if said && !allowed.contains(&module.as_str()) {
                wrong.insert(format!("{word} in {}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "said in the wrong place:\n{}", join(wrong));
}

/// A transaction is opened in one function, and that takes one of the authorities above.
#[test]
fn every_write_authority_is_known() {
    let mut found = BTreeSet::new();
    for (file, text) in sources().into_iter().filter(|(file, _)| !file.starts_with("src/db")) {
        let name = file.display().to_string();
        let lines: Vec<&str> = code_lines(&text).collect();
        for (index, line) in lines.iter().enumerate() {
            let declares = line.contains("internal_authority!(");
            if declares || line.contains("WriteAuthority for") {
                let rest = lines[index..].iter().take(3).copied().collect::<Vec<_>>().join(" ");
                let known = WRITE_AUTHORITIES.iter().find(|(what, place)| *place == name && rest.contains(what));
                found.insert(known.map_or_else(|| panic!("{name}: {rest}"), |(what, _)| *what));
            }
            assert!(!line.contains("Transaction::new("), "{name} opens a transaction by itself");
        }
    }
    let known: BTreeSet<&str> = WRITE_AUTHORITIES.iter().map(|(what, _)| *what).collect();
    assert_eq!(found, known, "authorities that are on the list and do not exist");
}

#[test]
fn files_are_small_enough_to_see_whole() {
    let long: BTreeSet<String> = sources()
        .into_iter()
        .filter(|(_, text)| text.lines().count() > FILE_LINES_MAX)
        .map(|(file, text)| format!("{} has {} lines", file.display(), text.lines().count()))
        .collect();
    assert!(long.is_empty(), "cut these along a noun:\n{}", join(long));
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: BTreeSet<String> = sources()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//! "))
        .map(|(file, _)| file.display().to_string())
        .collect();
    assert!(silent.is_empty(), "files without a first sentence:\n{}", join(silent));
}

fn may_know(from: &str, to: &str) -> bool {
    let floor = |module: &str| FLOORS.iter().position(|floor| floor.contains(&module));
    match (floor(from), floor(to)) {
        // The program itself and the list of modules know everything.
        (None, _) => from == "main" || from == "lib",
        (Some(from_floor), Some(to_floor)) => from_floor > to_floor || BESIDE.contains(&(from, to)),
        (Some(_), None) => true,
    }
}

/// Top-level modules that a text names through `crate::`.
fn mentioned_modules(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in code_lines(text) {
        for (_, rest) in line.match_indices("crate::").map(|(start, word)| line.split_at(start + word.len())) {
            if let Some(group) = rest.strip_prefix('{') {
                let names = group.split(['}', ';']).next().unwrap_or_default().split(',');
                found.extend(names.map(|name| first_word(name.trim())));
            } else {
                found.insert(first_word(rest));
            }
        }
    }
    found.retain(|word| word.starts_with(|first: char| first.is_ascii_lowercase()));
    found
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// The first folder or file below `src`.
fn module_of(file: &Path) -> String {
    let first = file.components().nth(1).expect("every file lies below src");
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// Every source file, with its path from the root of the package.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the sources can be read") {
            let path = entry.expect("the sources can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("sources are text");
                files.push((path.strip_prefix(root).expect("below the root").to_owned(), text));
            }
        }
    }
    assert!(files.len() > 50, "the sources were found");
    files
}

fn join(items: BTreeSet<String>) -> String {
    items.into_iter().collect::<Vec<_>>().join("\n")
}
