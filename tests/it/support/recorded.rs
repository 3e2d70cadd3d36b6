//! Records responses for `tests/conformance`, which validates them against GitHub's own OpenAPI description.

use std::collections::HashSet;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use http::Method;
use serde_json::{Value, json};

use super::Response;

/// Names the directory; without it, nothing is recorded.
const DIRECTORY_VARIABLE: &str = "PLINTH_TEST_RESPONSES";
const OPERATIONS: [&str; 2] =
    [include_str!("../../clients/operations.json"), include_str!("../../conformance/operations.json")];

struct Record {
    operations: HashSet<String>,
    state: Mutex<(File, HashSet<u64>)>,
}

/// Records a response to an operation that GitHub has too, equal responses once.
pub fn keep(operation: &str, method: &Method, target: &str, response: &Response) {
    let Some(record) = record() else { return };
    // Tests request every compressed response without compression, too.
    if !record.operations.contains(operation) || response.header("content-encoding").is_some() {
        return;
    }
    // GitHub describes the JSON of a response, but not its diff, its raw content, its HTML or its bytes.
    let others = ["application/vnd.github.", "application/octet-stream"];
    let has_type = |media: &str| others.iter().any(|other| media.starts_with(other));
    if response.header("content-type").is_some_and(has_type) {
        return;
    }
    let line = line(method, target, response).to_string();
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    let mut state = record.state.lock().expect("no test panics while it writes");
    let (file, known) = &mut *state;
    if known.insert(hasher.finish()) {
        writeln!(file, "{line}").expect("the record can be written");
    }
}

/// Records the payload of an event for `tests/conformance/payloads.mjs`.
pub fn keep_payload(event: &str, action: Option<&str>, payload: &Value) {
    static FILE: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    let open = |directory: std::ffi::OsString| Mutex::new(open_file(Path::new(&directory), "payloads"));
    let Some(file) = FILE.get_or_init(|| std::env::var_os(DIRECTORY_VARIABLE).map(open)) else { return };
    let line = json!({ "event": event, "action": action, "payload": payload });
    writeln!(file.lock().expect("no test panics while it writes"), "{line}").expect("the record can be written");
}

fn line(method: &Method, target: &str, response: &Response) -> Value {
    let mut line = json!({ "method": method.as_str(), "target": target, "status": response.status, "headers": {} });
    for name in ["content-type", "x-github-media-type"] {
        if let Some(value) = response.header(name) {
            line["headers"][name] = value.into();
        }
    }
    // The validation decides whether there must be a body in JSON.
    if !response.body.is_empty() {
        let text = || String::from_utf8_lossy(&response.body).into_owned().into();
        line["body"] = serde_json::from_slice(&response.body).unwrap_or_else(|_| text());
    }
    line
}

fn record() -> Option<&'static Record> {
    static RECORD: OnceLock<Option<Record>> = OnceLock::new();
    RECORD.get_or_init(|| std::env::var_os(DIRECTORY_VARIABLE).map(|directory| open(Path::new(&directory)))).as_ref()
}

/// A file of this process, with this extension.
fn open_file(directory: &Path, extension: &str) -> File {
    fs::create_dir_all(directory).expect("the directory for the record can be created");
    let path = directory.join(format!("{}.{extension}", std::process::id()));
    File::create(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn open(directory: &Path) -> Record {
    let file = open_file(directory, "jsonl");
    let lists =
        OPERATIONS.map(|list| serde_json::from_str::<Vec<Value>>(list).expect("the lists of operations are JSON"));
    let rows = lists.concat();
    let operations = rows.iter().map(|row| row["operation"].as_str().expect("each row has a name").to_owned());
    Record { operations: operations.collect(), state: Mutex::new((file, HashSet::new())) }
}
