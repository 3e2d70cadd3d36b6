//! The first commit of a new repository.

use std::sync::Arc;

use plinth_base::error::{Code, FieldError, Result};
use plinth_base::ids::Sha;
use plinth_git::{Budget, EntryMode, Identity, MemoryObjects, NewCommit, NoObjects, RawObject, TreeChange, TreeEdit};

use super::templates;
use crate::repos::{NewRepository, rules};

/// The commit, and all objects that it needs, itself included.
pub struct InitialCommit {
    pub commit_id: Sha,
    pub objects: Vec<Arc<RawObject>>,
}

impl InitialCommit {
    /// The commit that the caller asks for, if any: a README, or files from templates.
    pub fn for_repository(new: &NewRepository, author: &Identity) -> Result<Option<Self>> {
        let files = files(new, author)?;
        if files.is_empty() {
            return Ok(None);
        }
        let mut edit = TreeEdit::from_empty();
        for (path, content) in files {
            edit.change(path, TreeChange::Write { mode: EntryMode::File, content: content.into_bytes() })?;
        }
        let mut objects = MemoryObjects::default();
        let commit = NewCommit {
            tree_id: edit.build(&NoObjects, &mut objects, Budget::unlimited())?,
            parent_ids: Vec::new(),
            author: author.clone(),
            committer: author.clone(),
            message: "Initial commit".into(),
            signature: None,
        };
        let commit_id = objects.insert(commit.to_object()?);
        Ok(Some(Self { commit_id, objects: objects.into_sorted() }))
    }
}

fn files(new: &NewRepository, author: &Identity) -> Result<Vec<(&'static str, String)>> {
    let mut files = Vec::new();
    let mut unknown = Vec::new();
    if new.auto_init {
        files.push(("README.md", readme(new)));
    }
    if let Some(name) = &new.gitignore_template {
        match templates::gitignore(name) {
            Some(text) => files.push((".gitignore", text.to_owned())),
            None => unknown.push("gitignore_template"),
        }
    }
    if let Some(key) = &new.license_template {
        match templates::license(key, author) {
            Some(text) => files.push(("LICENSE", text)),
            None => unknown.push("license_template"),
        }
    }
    if unknown.is_empty() {
        return Ok(files);
    }
    let field = |name: &&str| FieldError::new("Repository", *name, Code::Invalid);
    Err(rules::creation_failed(unknown.iter().map(field).collect()))
}

fn readme(new: &NewRepository) -> String {
    match new.description.as_deref().filter(|text| !text.is_empty()) {
        Some(description) => format!("# {}\n{description}\n", new.name),
        None => format!("# {}", new.name),
    }
}
