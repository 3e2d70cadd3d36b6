//! Writes answers down for `tests/conformance`, which holds them against GitHub's own description of its API.

use std::collections::HashSet;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use http::Method;
use serde_json::{Value, json};

use super::Answer;

/// Names the folder; without it, nothing is written.
const FOLDER: &str = "PLINTH_TEST_RESPONSES";
const OPERATIONS: &str = include_str!("../../clients/operations.json");

struct Record {
    operations: HashSet<String>,
    kept: Mutex<(File, HashSet<u64>)>,
}

/// Keeps an answer to one of the operations that GitHub has too; the same answer again only once.
pub fn keep(operation: &str, method: &Method, target: &str, answer: &Answer) {
    let Some(record) = record() else { return };
    // What is compressed was also asked for as it is, by the same story.
    if !record.operations.contains(operation) || answer.header("content-encoding").is_some() {
        return;
    }
    let line = line(method, target, answer).to_string();
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    let mut kept = record.kept.lock().expect("no story ends while it writes");
    let (file, known) = &mut *kept;
    if known.insert(hasher.finish()) {
        writeln!(file, "{line}").expect("the record takes another line");
    }
}

fn line(method: &Method, target: &str, answer: &Answer) -> Value {
    let mut line = json!({ "method": method.as_str(), "target": target, "status": answer.status, "headers": {} });
    for name in ["content-type", "x-github-media-type"] {
        if let Some(value) = answer.header(name) {
            line["headers"][name] = value.into();
        }
    }
    // Whether a body should be there, and be JSON, is for the check to say.
    if !answer.body.is_empty() {
        let text = || String::from_utf8_lossy(&answer.body).into_owned().into();
        line["body"] = serde_json::from_slice(&answer.body).unwrap_or_else(|_| text());
    }
    line
}

fn record() -> Option<&'static Record> {
    static RECORD: OnceLock<Option<Record>> = OnceLock::new();
    RECORD.get_or_init(|| std::env::var_os(FOLDER).map(|folder| open(Path::new(&folder)))).as_ref()
}

fn open(folder: &Path) -> Record {
    fs::create_dir_all(folder).expect("the folder for the record can be made");
    let path = folder.join(format!("{}.jsonl", std::process::id()));
    let file = File::create(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let rows: Vec<Value> = serde_json::from_str(OPERATIONS).expect("the list of operations is JSON");
    let operations = rows.iter().map(|row| row["operation"].as_str().expect("each row has a name").to_owned());
    Record { operations: operations.collect(), kept: Mutex::new((file, HashSet::new())) }
}
