//! `plinth installation`: installs apps on accounts, and suspends and deletes installations.

use std::io::Write;

use clap::{Args, Subcommand};

use super::arguments::parse_permission;
use crate::operator::Operator;
use plinth_base::clock::{Clock, Timestamp};
use plinth_base::error::{Error, Result};
use plinth_base::ids::InstallationId;
use plinth_core::accounts::{self, AccountKind};
use plinth_core::apps::store::{self, NewInstallation};
use plinth_core::apps::{AppKind, Installation};
use plinth_core::installations::events::Changer;
use plinth_core::installations::operations;
use plinth_core::repos;
use plinth_core::tokens::{Level, Permissions, SelectionMode};
use plinth_store::{Connection, Store, Transaction};

const LISTED_MAX: i64 = 1000;

#[derive(Debug, Subcommand)]
pub enum InstallationCommand {
    /// Install an app on a user or an organization
    Create(Create),
    /// List installations
    List,
    /// Suspend an installation; its tokens stop working at once
    Suspend { id: i64 },
    /// End the suspension of an installation
    Unsuspend { id: i64 },
    /// Remove an installation and its tokens
    Delete { id: i64 },
}

#[derive(Debug, Clone, Args)]
pub struct Create {
    /// The slug of the app
    app: String,
    /// The user or organization
    account: String,
    /// Names of repositories [default: all, including future ones]
    #[arg(long, value_delimiter = ',')]
    repositories: Vec<String>,
    /// At most the permissions of the app [default: all of them]
    #[arg(long, value_delimiter = ',', value_parser = parse_permission)]
    permissions: Vec<(String, Level)>,
}

impl InstallationCommand {
    pub async fn run(self, store: &Store, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        match self {
            InstallationCommand::Create(create) => {
                let context = (create, clock.now());
                let id = store.write(Operator, context, |tx, (create, now)| Box::pin(create.insert(tx, *now))).await?;
                writeln!(out, "{id}")?;
            }
            InstallationCommand::List => list(&mut store.read().await?, out).await?,
            InstallationCommand::Suspend { id } => {
                suspend(store, InstallationId(id), Suspension::Begins, clock.now()).await?;
                writeln!(out, "suspended {id}")?;
            }
            InstallationCommand::Unsuspend { id } => {
                suspend(store, InstallationId(id), Suspension::Ends, clock.now()).await?;
                writeln!(out, "unsuspended {id}")?;
            }
            InstallationCommand::Delete { id } => {
                store
                    .write(Operator, (InstallationId(id), clock.now()), |tx, (id, now)| {
                        Box::pin(async move {
                            find(tx, *id).await?;
                            operations::uninstall(tx, *id, Changer::Operator, *now).await
                        })
                    })
                    .await?;
                writeln!(out, "deleted {id}")?;
            }
        }
        Ok(())
    }
}

impl Create {
    async fn insert(&self, tx: &mut Transaction, now: Timestamp) -> Result<InstallationId> {
        let invalid = |text: String| Error::BadRequest(text);
        let app = store::find_by_slug(tx, &self.app).await?.filter(|app| app.kind == AppKind::GitHubApp);
        let app = app.ok_or_else(|| invalid(format!("there is no app {:?} that can be installed", self.app)))?;
        let account = accounts::store::find_by_login(tx, &self.account).await?;
        let account = account.filter(|account| account.kind != AccountKind::Bot);
        let account = account.ok_or_else(|| invalid(format!("there is no account {:?}", self.account)))?;
        let requested: Permissions = self.permissions.iter().cloned().collect();
        let granted = if requested.is_empty() { app.permissions.clone() } else { requested.with_metadata() };
        if !granted.is_within(&app.permissions) {
            return Err(invalid("an installation has at most the permissions of its app".into()));
        }
        let mode = if self.repositories.is_empty() { SelectionMode::All } else { SelectionMode::Selected };
        let new =
            NewInstallation { app: app.id, account: account.id, mode, permissions: &granted, events: &app.events };
        let mut selected = Vec::with_capacity(self.repositories.len());
        for name in &self.repositories {
            let found = repos::store::find(tx, &account.login, name.rsplit('/').next().unwrap_or(name), None).await?;
            let found = found.filter(|found| !name.contains('/') || found.is_called(name));
            let found = found.ok_or_else(|| invalid(format!("{} has no repository {name:?}", account.login)))?;
            selected.push(found.repo.id);
        }
        operations::install(tx, &new, &selected, now).await
    }
}

async fn list(db: &mut Connection, out: &mut (dyn Write + Send)) -> Result<()> {
    for (installation, slug, login) in store::list_installations(db, LISTED_MAX).await? {
        let state = if installation.suspended_at.is_some() { "suspended" } else { "active" };
        let Installation { id, repository_selection, permissions, .. } = &installation;
        let (selection, permissions) = (repository_selection.as_str(), permissions.to_text());
        writeln!(out, "{id}\t{slug}\t{login}\t{selection}\t{state}\t{permissions}")?;
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Suspension {
    Begins,
    Ends,
}

async fn suspend(store: &Store, id: InstallationId, suspension: Suspension, now: Timestamp) -> Result<()> {
    store
        .write(Operator, (id, suspension, now), |tx, (id, suspension, now)| {
            Box::pin(async move {
                let found = find(tx, *id).await?;
                let since = (*suspension == Suspension::Begins).then_some(*now);
                operations::set_suspended(tx, &found, (since, None), Changer::Operator, *now).await
            })
        })
        .await
}

async fn find(db: &mut Connection, id: InstallationId) -> Result<Installation> {
    let found = store::find_installation(db, id).await?;
    found.ok_or_else(|| Error::BadRequest(format!("there is no installation {id}")))
}
