//! The documentation is correct: links resolve, every setting is described, and code samples match their files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};
use plinth::cli::{self, Cli};

const PAGES: [&str; 4] = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];

/// The security page names limits by settings that exist.
#[test]
fn documented_limits_are_settings() {
    let (limits, settings) = (read(&root().join("SECURITY.md")), read(&root().join("docs/configuration.md")));
    let rows = limits.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    let cells: Vec<&str> = rows.filter_map(|row| row.rsplit('|').nth(1)).collect();
    let named: Vec<&str> = cells.iter().flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    assert!(named.len() > 10, "{named:?}");
    for name in named {
        assert!(settings.contains(&format!("| `{name}` |")), "docs/configuration.md has no setting {name}");
    }
}

#[test]
fn links_resolve() {
    let mut lost = BTreeSet::new();
    for page in pages() {
        for target in links(&read(&page)) {
            let (file, _) = target.split_once('#').unwrap_or((&target, ""));
            let directory = page.parent().expect("a page is in a directory");
            if !file.is_empty() && !file.contains("://") && !directory.join(file).exists() {
                lost.insert(format!("{} → {target}", page.display()));
            }
        }
    }
    assert!(lost.is_empty(), "links that lead nowhere:\n{}", Vec::from_iter(lost).join("\n"));
}

/// A block that follows the link to a file and a colon is a part of that file.
#[test]
fn code_samples_match_their_files() {
    let mut shown = 0;
    for page in pages() {
        let text = read(&page);
        let parts: Vec<&str> = text.split("```").collect();
        // Text and code blocks alternate, text first.
        for pair in parts.chunks(2) {
            let (words, Some(block)) = (pair[0], pair.get(1)) else { continue };
            let Some(file) = source_of(words) else { continue };
            let (_, code) = block.split_once('\n').expect("a block begins with its language");
            let directory = page.parent().expect("a page is in a directory");
            assert!(read(&directory.join(file)).contains(code), "{}: this is not in {file}:\n{code}", page.display());
            shown += 1;
        }
    }
    assert!(shown >= 6, "the page about tests shows the examples: {shown}");
}

#[test]
fn every_setting_is_documented() {
    let page = read(&root().join("docs/configuration.md"));
    let rows: BTreeSet<&str> = page.lines().filter(|line| line.starts_with("| `--")).collect();
    let command = Cli::command();
    let settings: Vec<_> =
        command.get_arguments().filter(|setting| setting.get_id() != "config" && !setting.is_hide_set()).collect();
    for setting in &settings {
        let (Some(flag), Some(variable)) = (setting.get_long(), setting.get_env()) else { continue };
        let row = format!("| `--{flag}` | `{}` | `{}` |", variable.display(), setting.get_id());
        assert!(rows.iter().any(|found| found.starts_with(&row)), "docs/configuration.md has no line {row}");
    }
    let known = settings.iter().filter(|setting| setting.get_env().is_some()).count();
    assert_eq!(rows.len(), known, "docs/configuration.md has a line for a setting that is not there");
}

#[test]
fn every_command_is_documented() {
    let pages: String = pages().iter().map(|page| read(page)).collect();
    for command in Cli::command().get_subcommands() {
        let words = format!("plinth {}", command.get_name());
        assert!(pages.contains(&words), "no page says `{words}`");
    }
}

#[test]
fn architecture_page_names_every_crate_and_area() {
    let page = read(&root().join("docs/architecture.md"));
    for package in std::fs::read_dir(root().join("crates")).expect("there are crates").flatten() {
        let name = package.file_name().into_string().expect("a name in UTF-8");
        assert!(page.contains(&name), "docs/architecture.md does not name {name}");
    }
    for area in std::fs::read_dir(root().join("crates/plinth-core/src")).expect("there is a domain").flatten() {
        let name = area.file_name().into_string().expect("a name in UTF-8");
        let is_area = area.path().is_dir();
        assert!(!is_area || page.contains(&name), "docs/architecture.md does not name the area {name}");
    }
}

#[tokio::test]
async fn documented_state_file_applies() {
    let page = read(&root().join("docs/state-file.md"));
    let text = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a file is shown");
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let (file, data) = (directory.path().join("state.yaml"), directory.path().join("data"));
    std::fs::write(&file, text).expect("a file can be written");
    let words = ["plinth".as_ref(), "apply".as_ref(), file.as_os_str(), "--data".as_ref(), data.as_os_str()];
    let cli = Cli::try_parse_from(words).expect("a command");
    let mut out = Vec::new();
    cli::run(cli, &mut out).await.expect("it applies");
    assert!(String::from_utf8_lossy(&out).contains("0 changed, 0 unchanged"));
}

#[test]
fn state_file_fields_are_documented() {
    let page = read(&root().join("docs/state-file.md"));
    let schema = read(&root().join("docs/state-file.schema.json"));
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("a schema");
    for (section, form) in schema["properties"].as_object().expect("sections") {
        assert!(page.contains(&format!("| `{section}` |")), "docs/state-file.md does not explain {section}");
        // A program writes it.
        if section == "snapshot" {
            continue;
        }
        for field in form["items"]["properties"].as_object().expect("fields").keys().filter(|field| *field != "token") {
            assert!(page.contains(&format!("`{field}`")), "docs/state-file.md does not explain {field} of {section}");
        }
    }
}

/// The file of a code block, if the text before it ends with a link and a colon.
fn source_of(words: &str) -> Option<&str> {
    let (_, target) = words.trim_end().strip_suffix("):")?.rsplit_once("](")?;
    Some(target)
}

/// The target between `](` and `)`, outside of code.
fn links(text: &str) -> Vec<String> {
    let words = text.split("```").step_by(2);
    let targets = words.flat_map(|part| part.split("](").skip(1)).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

fn pages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = PAGES.iter().map(|page| root().join(page)).collect();
    for directory in ["docs", "docs/decisions", "packages/action", "packages/node", "packages/python", "packages/rust"]
    {
        let entries = std::fs::read_dir(root().join(directory)).expect("there is documentation").flatten();
        found.extend(entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn root() -> PathBuf {
    crate::support::workspace_root()
}
