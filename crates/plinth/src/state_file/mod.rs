//! The state file: a description of accounts, repositories, apps and tokens, which is applied to a store.

mod accounts;
mod apps;
mod file;
pub mod histories;
mod hook;
mod hooks;
mod issue;
mod issue_fields;
mod issues;
mod name;
mod project_item;
mod project_items;
mod projects;
mod pulls;
mod release;
mod releases;
mod report;
mod repos;
mod snapshot;
mod statuses;
mod tokens;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::operator::Operator;
use file::StateFile;
use histories::Histories;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_core::webhooks::key_file;
use plinth_core::webhooks::secret::SecretKey;
use plinth_git::Repositories;
use plinth_store::{Store, Transaction};
pub use report::{Effect, Report};
pub use snapshot::StoreSnapshot;

/// A parsed file, with the keys that it names.
pub struct State {
    file: StateFile,
    keys: Vec<apps::Key>,
    directory: PathBuf,
    /// The file with the key of secrets; by default that of the data directory.
    secrets_key_file: Option<PathBuf>,
    /// What the other sections are applied to.
    snapshot: Option<StoreSnapshot>,
}

/// Checks that the text is a state file. Creates no keys.
pub fn check_syntax(text: &str) -> Result<()> {
    parse(text).map(drop)
}

fn parse(text: &str) -> Result<(Option<StoreSnapshot>, StateFile)> {
    match StoreSnapshot::split(text)? {
        Some((snapshot, rest)) => Ok((Some(snapshot), file::parse(&rest)?)),
        None => Ok((None, file::parse(text)?)),
    }
}

impl State {
    /// Reads the file at `path`. Creates the private keys that it names and that do not exist, relative to its directory.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).map_err(|error| Error::BadRequest(format!("{}: {error}", path.display())))?;
        Self::parse(&text, path.parent().unwrap_or(Path::new(".")))
            .map_err(|error| Error::BadRequest(format!("{}: {error}", path.display())))
    }

    /// Like [`State::read`], from a text whose paths are relative to `directory`.
    pub fn parse(text: &str, directory: &Path) -> Result<Self> {
        let (snapshot, file) = parse(text)?;
        let keys = apps::read_keys(&file.apps, directory)?;
        Ok(Self { file, keys, directory: directory.to_owned(), secrets_key_file: None, snapshot })
    }

    /// The snapshot of the file, which the caller puts in the place of everything before the rest is applied.
    pub fn take_snapshot(&mut self) -> Option<StoreSnapshot> {
        self.snapshot.take()
    }

    /// Encrypts secrets with the key in this file.
    #[must_use]
    pub fn with_secrets_key_file(self, file: PathBuf) -> Self {
        Self { secrets_key_file: Some(file), ..self }
    }

    /// Applies everything in one transaction. The objects of repositories are durable before it begins.
    pub async fn apply(self, store: &Store, repositories: &Arc<Repositories>, now: Timestamp) -> Result<Report> {
        if self.snapshot.is_some() {
            let message = "a snapshot replaces everything, which only a server with --ephemeral on SQLite does";
            return Err(Error::Conflict(message.into()));
        }
        let histories = Histories::prepare(store, repositories, &self.file, &self.directory).await?;
        let pulls = pulls::prepare(store, repositories, &self.file, &histories).await?;
        let clean_up = histories.clean_up();
        let file = self.secrets_key_file.clone();
        let file = file.unwrap_or_else(|| repositories.data_directory().join(key_file::FILE_NAME));
        let secrets_key = hooks::read_key(store, file, &self.file).await?;
        let context = (self, histories, pulls, secrets_key, now);
        let applied = store
            .write(Operator, context, |tx, (state, histories, pulls, secrets_key, now)| {
                Box::pin(state.apply_in(tx, histories, pulls, secrets_key.as_deref(), *now))
            })
            .await;
        if applied.is_err() {
            clean_up.run();
        }
        applied
    }

    async fn apply_in(
        &self,
        tx: &mut Transaction,
        histories: &Histories,
        pulls: &[pulls::Prepared],
        secrets_key: Option<&SecretKey>,
        now: Timestamp,
    ) -> Result<Report> {
        let mut report = Report::default();
        accounts::apply_users(tx, &self.file.users, now, &mut report).await?;
        accounts::apply_orgs(tx, &self.file.orgs, now, &mut report).await?;
        repos::apply(tx, &self.file.repos, histories, now, &mut report).await?;
        issue_fields::apply(tx, &self.file.issue_fields, now, &mut report).await?;
        let projects = projects::apply(tx, &self.file.projects, now, &mut report).await?;
        pulls::apply(tx, &self.file.pulls, pulls, now, &mut report).await?;
        issues::apply(tx, &self.file.issues, now, &mut report).await?;
        project_items::apply(tx, &self.file.projects, &projects, now, &mut report).await?;
        apps::apply(tx, &self.file.apps, &self.keys, now, &mut report).await?;
        apps::apply_oauth(tx, &self.file.oauth_apps, now, &mut report).await?;
        apps::apply_installations(tx, &self.file.installations, now, &mut report).await?;
        tokens::apply(tx, &self.file.tokens, now, &mut report).await?;
        hooks::apply(tx, &self.file, secrets_key, now, &mut report).await?;
        Ok(report)
    }
}
