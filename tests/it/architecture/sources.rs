//! The sources of all crates.

use std::path::Path;

use crate::support::workspace_root;

/// One source file.
pub struct Source {
    /// The crate that it belongs to.
    pub package: String,
    /// Its path from the root of the workspace.
    pub path: String,
    /// Its module, such as `["pulls", "threads"]`; empty for the root of the crate.
    pub module: Vec<String>,
    pub text: String,
}

pub fn sources() -> Vec<Source> {
    let root = workspace_root();
    let mut found = Vec::new();
    for package in std::fs::read_dir(root.join("crates")).expect("the crates can be read") {
        let package = package.expect("the crates can be read");
        let name = package.file_name().into_string().expect("crates have names in UTF-8");
        let mut directories = vec![package.path().join("src")];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(&directory).expect("the sources can be read") {
                let path = entry.expect("the sources can be read").path();
                if path.is_dir() {
                    directories.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let module = module_of(path.strip_prefix(package.path().join("src")).expect("below the crate"));
                    let text = std::fs::read_to_string(&path).expect("sources are text");
                    let path = path.strip_prefix(&root).expect("below the root").display().to_string();
                    found.push(Source { package: name.clone(), path, module, text });
                }
            }
        }
    }
    assert!(found.len() > 50, "the sources were found");
    found
}

fn module_of(file: &Path) -> Vec<String> {
    let parts = file.with_extension("");
    let mut module: Vec<String> = parts.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        module.pop();
    }
    module
}
