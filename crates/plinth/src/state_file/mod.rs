//! The state file: a description of accounts, repositories, apps and tokens, which is applied to a store.

mod accounts;
mod apps;
mod file;
pub mod histories;
mod issue_fields;
mod name;
mod projects;
mod pulls;
mod report;
mod repos;
mod tokens;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::operator::Operator;
use file::StateFile;
use histories::Histories;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_git::Repositories;
use plinth_store::{Store, Transaction};
pub use report::{Effect, Report};

/// A parsed file, with the keys that it names.
pub struct State {
    file: StateFile,
    keys: Vec<apps::Key>,
    directory: PathBuf,
}

/// Checks that the text is a state file. Creates no keys.
pub fn check_syntax(text: &str) -> Result<()> {
    file::parse(text).map(drop)
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
        let file = file::parse(text)?;
        let keys = apps::read_keys(&file.apps, directory)?;
        Ok(Self { file, keys, directory: directory.to_owned() })
    }

    /// Applies everything in one transaction. The objects of repositories are durable before it begins.
    pub async fn apply(self, store: &Store, repositories: &Arc<Repositories>, now: Timestamp) -> Result<Report> {
        let histories = Histories::prepare(store, repositories, &self.file, &self.directory).await?;
        let pulls = pulls::prepare(store, repositories, &self.file, &histories).await?;
        let clean_up = histories.clean_up();
        let context = (self, histories, pulls, now);
        let applied = store
            .write(Operator, context, |tx, (state, histories, pulls, now)| {
                Box::pin(state.apply_in(tx, histories, pulls, *now))
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
        now: Timestamp,
    ) -> Result<Report> {
        let mut report = Report::default();
        accounts::apply_users(tx, &self.file.users, now, &mut report).await?;
        accounts::apply_orgs(tx, &self.file.orgs, now, &mut report).await?;
        repos::apply(tx, &self.file.repos, histories, now, &mut report).await?;
        issue_fields::apply(tx, &self.file.issue_fields, now, &mut report).await?;
        projects::apply(tx, &self.file.projects, now, &mut report).await?;
        pulls::apply(tx, &self.file.pulls, pulls, now, &mut report).await?;
        apps::apply(tx, &self.file.apps, &self.keys, now, &mut report).await?;
        apps::apply_oauth(tx, &self.file.oauth_apps, now, &mut report).await?;
        apps::apply_installations(tx, &self.file.installations, now, &mut report).await?;
        tokens::apply(tx, &self.file.tokens, now, &mut report).await?;
        Ok(report)
    }
}
