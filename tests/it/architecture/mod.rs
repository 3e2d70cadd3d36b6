//! The structure that docs/architecture.md describes: which crate may use which, modules without cycles, and what may
//! appear in one place only.

mod modules;
mod sources;

use std::collections::{BTreeMap, BTreeSet};

use sources::{Source, sources};

use crate::support::workspace_root;

/// The crates from the bottom up; a crate may use those before it.
const LAYERS: &[&str] = &[
    "plinth-base",
    "plinth-markdown",
    "plinth-git",
    "plinth-store",
    "plinth-core",
    "plinth-api",
    "plinth-web",
    "plinth-webhooks",
    "plinth",
];

/// Code that only some crates may contain.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("Command::new(", &["plinth-git"]),
    ("rusqlite::", &["plinth-store"]),
    ("tokio_postgres::", &["plinth-store"]),
    // The status codes of responses, and those that receivers of webhooks send.
    ("StatusCode::", &["plinth-api", "plinth-web", "plinth-webhooks"]),
    // A reader without a budget is for commands of the operator.
    (".reader(&", &["plinth-git", "plinth"]),
];

/// Everything that allows a write transaction, each in the only file that can use it, with its reason.
const WRITE_AUTHORITIES: &[(&str, &str)] = &[
    // The right of a caller, checked again inside the transaction.
    ("impl<T: Target> WriteAuthority for", "crates/plinth-core/src/access/write_access.rs"),
    // Whoever runs commands on the store, or applies a state file.
    ("pub(crate) Operator =", "crates/plinth/src/operator.rs"),
    // A store that is opened for the first time gets its secret.
    ("FirstStart =", "crates/plinth-core/src/settings.rs"),
    // Time ends tokens and device codes.
    ("Expiry =", "crates/plinth-core/src/expiry.rs"),
    // What follows from commits and comments that are there already.
    ("Refresh =", "crates/plinth-core/src/pulls/versions.rs"),
    ("TestMerging =", "crates/plinth-core/src/pulls/mergeability.rs"),
    ("Description =", "crates/plinth-core/src/repos/statistics/operations.rs"),
    ("PushedMerge =", "crates/plinth-core/src/pulls/pushed_merge.rs"),
    ("Reanchor =", "crates/plinth-core/src/pulls/threads/operations.rs"),
    // The rest of a repository that nobody finds any more.
    ("RemoveDeleted =", "crates/plinth-core/src/repos/deletion/mod.rs"),
    // Files of releases that nobody sees.
    ("RemoveLeftovers =", "crates/plinth-core/src/releases/assets/maintenance.rs"),
    // Events that are recorded already become deliveries, and these get results.
    ("WriteAuthority for QueueWork", "crates/plinth-core/src/webhooks/queue/mod.rs"),
    // Objects move into packs, where everyone finds the same.
    ("Flush =", "crates/plinth-core/src/objects/flush.rs"),
    ("Publication =", "crates/plinth-core/src/objects/shared/mod.rs"),
    ("Claim =", "crates/plinth-core/src/objects/shared/identity.rs"),
    ("DeletedRepository =", "crates/plinth-core/src/objects/shared/removal.rs"),
    ("RemovedPacks =", "crates/plinth-core/src/objects/shared/removal.rs"),
    ("Replacement =", "crates/plinth-core/src/objects/shared_maintenance.rs"),
];

const FILE_LINES_MAX: usize = 300;

#[test]
fn crates_use_only_the_layers_below() {
    let mut wrong = BTreeSet::new();
    for (index, name) in LAYERS.iter().enumerate() {
        for used in dependencies(name).iter().filter(|used| LAYERS.contains(&used.as_str())) {
            if !LAYERS[..index].contains(&used.as_str()) {
                wrong.insert(format!("{name} uses {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that point upward:\n{}", join(wrong));
}

#[test]
fn every_crate_has_a_layer() {
    let crates: BTreeSet<String> = sources().into_iter().map(|source| source.package).collect();
    assert_eq!(crates, LAYERS.iter().map(|name| (*name).to_owned()).collect());
}

#[test]
fn modules_of_a_crate_have_no_cycles() {
    let mut by_crate: BTreeMap<String, Vec<Source>> = BTreeMap::new();
    for source in sources() {
        by_crate.entry(source.package.clone()).or_default().push(source);
    }
    let cycles: BTreeSet<String> = by_crate
        .into_iter()
        .flat_map(|(name, sources)| modules::cycles(&sources).into_iter().map(move |cycle| format!("{name}: {cycle}")))
        .collect();
    assert!(cycles.is_empty(), "modules that need each other:\n{}", join(cycles));
}

#[test]
fn some_libraries_are_used_in_one_crate_only() {
    let mut wrong = BTreeSet::new();
    for source in sources() {
        for (code, allowed) in ONLY_IN {
            let used = code_lines(&source.text).any(|line| line.contains(code));
            if used && !allowed.contains(&source.package.as_str()) {
                wrong.insert(format!("{code} in {}", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "used in the wrong place:\n{}", join(wrong));
}

/// gix consists of many crates, so the manifests are checked and not the code. Ref names are validated by `gix-validate`.
#[test]
fn gix_is_used_in_plinth_git_only() {
    let mut wrong = BTreeSet::new();
    for name in LAYERS.iter().filter(|name| **name != "plinth-git") {
        for used in dependencies(name).into_iter().filter(|used| used.starts_with("gix")) {
            if (*name, used.as_str()) != ("plinth-base", "gix-validate") {
                wrong.insert(format!("{name} uses {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "used in the wrong place:\n{}", join(wrong));
}

/// A transaction is opened in one function, and that takes one of the authorities above.
#[test]
fn every_write_authority_is_listed() {
    let mut found = BTreeSet::new();
    for source in sources().into_iter().filter(|source| source.package != "plinth-store") {
        let lines: Vec<&str> = code_lines(&source.text).collect();
        for (index, line) in lines.iter().enumerate() {
            let declares = line.contains("internal_authority!(");
            if declares || line.contains("WriteAuthority for") {
                let rest = lines[index..].iter().take(3).copied().collect::<Vec<_>>().join(" ");
                let listed = WRITE_AUTHORITIES.iter().find(|(what, path)| *path == source.path && rest.contains(what));
                found.insert(listed.map_or_else(|| panic!("{}: {rest}", source.path), |(what, _)| *what));
            }
            assert!(!line.contains("Transaction::new("), "{} opens a transaction by itself", source.path);
        }
    }
    let listed: BTreeSet<&str> = WRITE_AUTHORITIES.iter().map(|(what, _)| *what).collect();
    assert_eq!(found, listed, "authorities that are listed and do not exist");
}

/// A deleted repository has a row until everything in it is removed. No name finds it; all other statements must exclude
/// it themselves.
#[test]
fn statements_that_read_repositories_exclude_deleted_ones() {
    let mut count = 0;
    for source in sources().into_iter().filter(|source| source.package != "plinth-store") {
        let code = code_lines(&source.text).collect::<Vec<_>>().join("\n");
        for (start, _) in code.match_indices("from repo ").chain(code.match_indices("join repo ")) {
            let rest = code[start..].split('"').next().expect("a split has at least one part");
            let is_safe = rest.contains("deleted") || rest.contains("name_key = $");
            assert!(is_safe, "{}: {rest}", source.path);
            count += 1;
        }
    }
    assert!(count > 10, "the statements were found");
}

#[test]
fn files_are_short_enough_to_read_at_once() {
    let long: BTreeSet<String> = sources()
        .into_iter()
        .filter(|source| source.text.lines().count() > FILE_LINES_MAX)
        .map(|source| format!("{} has {} lines", source.path, source.text.lines().count()))
        .collect();
    assert!(long.is_empty(), "split these along a noun:\n{}", join(long));
}

#[test]
fn every_file_begins_with_its_purpose() {
    let silent: BTreeSet<String> =
        sources().into_iter().filter(|source| !source.text.starts_with("//! ")).map(|source| source.path).collect();
    assert!(silent.is_empty(), "files without a first sentence:\n{}", join(silent));
}

/// The dependencies in the manifest of a crate, also those of its tests.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = std::fs::read_to_string(workspace_root().join("crates").join(name).join("Cargo.toml"));
    let manifest = manifest.expect("every layer is a crate");
    manifest.lines().filter_map(|line| line.strip_suffix(".workspace = true")).map(str::to_owned).collect()
}

/// Lines that are no comments, without the unit tests at the end of the file.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    code.filter(|line| !line.trim_start().starts_with("//"))
}

fn join(items: BTreeSet<String>) -> String {
    items.into_iter().collect::<Vec<_>>().join("\n")
}
