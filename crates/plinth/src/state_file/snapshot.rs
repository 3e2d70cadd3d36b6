//! The whole content of a store in a state file: what the other sections cannot describe, such as ids and times.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::backup::list_repos;
use plinth_base::error::{Error, Result};
use plinth_core::webhooks::key_file;
use plinth_git::Repositories;
use plinth_store::{Rows, Snapshot};

/// The key of the section.
const KEY: &str = "snapshot";
const DATABASE: &str = "plinth.db";
const REPOSITORIES: &str = "repositories";
const PACKS: &str = "objects/pack";
const EXTENSIONS: [&str; 3] = ["pack", "idx", "rev"];

/// A data directory with an embedded store, which no instance uses.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct StoreSnapshot {
    #[serde(flatten)]
    #[schemars(with = "Value")]
    rows: Rows,
    /// Packs and the key of secrets: contents in Base64 by path.
    files: BTreeMap<String, String>,
}

impl StoreSnapshot {
    /// Takes the snapshot out of a state file that is written as JSON, and returns the rest. A large one would take long as
    /// YAML.
    pub fn split(text: &str) -> Result<Option<(Self, String)>> {
        if !text.trim_start().starts_with('{') {
            return Ok(None);
        }
        // Other state files may begin with a brace, too; YAML reports what is wrong with them.
        let Ok(Value::Object(mut file)) = serde_json::from_str(text) else { return Ok(None) };
        let Some(snapshot) = file.remove(KEY) else { return Ok(None) };
        let snapshot =
            serde_json::from_value(snapshot).map_err(|error| Error::BadRequest(format!("{KEY}: {error}")))?;
        Ok(Some((snapshot, Value::Object(file).to_string())))
    }

    /// Reads a directory that nobody changes.
    pub fn read(directory: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if !path.ends_with(DATABASE) {
                read_files(directory, &path, &mut files)?;
            }
        }
        Ok(Self { rows: Rows::read(&directory.join(DATABASE))?, files })
    }

    /// Fills an empty directory.
    pub async fn write(&self, directory: &Path) -> Result<()> {
        for (path, content) in &self.files {
            let invalid = |why: &dyn std::fmt::Display| Error::BadRequest(format!("{KEY}.files, {path:?}: {why}"));
            if !is_allowed(Path::new(path)) {
                return Err(invalid(&"only packs of repositories and the key of secrets are files of a snapshot"));
            }
            let bytes = STANDARD.decode(content).map_err(|error| invalid(&error))?;
            let target = directory.join(path);
            fs::create_dir_all(target.parent().unwrap_or(directory))?;
            fs::write(target, bytes)?;
        }
        let database = directory.join(DATABASE);
        self.rows.write(&database)?;
        let repositories = Repositories::at(directory)?;
        for repo in list_repos(&mut Snapshot::of_file(&database)?).await? {
            repositories.complete(repo)?;
        }
        Ok(())
    }
}

fn read_files(root: &Path, path: &Path, files: &mut BTreeMap<String, String>) -> Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            read_files(root, &entry?.path(), files)?;
        }
        return Ok(());
    }
    let name = path.strip_prefix(root).ok().and_then(Path::to_str);
    let name = name.ok_or_else(|| Error::internal("a file of a data directory has a strange name"))?;
    if is_allowed(Path::new(name)) {
        files.insert(name.to_owned(), STANDARD.encode(fs::read(path)?));
    }
    Ok(())
}

/// Whether a path stays below the directory and is of a file that belongs to a snapshot. The configuration of a repository
/// is not one of these: git would run the programs that it names.
fn is_allowed(path: &Path) -> bool {
    let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
    let is_pack = path.starts_with(REPOSITORIES)
        && path.parent().is_some_and(|parent| parent.ends_with(PACKS))
        && path.extension().and_then(OsStr::to_str).is_some_and(|extension| EXTENSIONS.contains(&extension));
    is_below && (is_pack || path == Path::new(key_file::FILE_NAME))
}
