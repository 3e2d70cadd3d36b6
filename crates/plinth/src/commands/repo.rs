//! `plinth repo`: creates, lists, deletes and purges repositories, and manages their collaborators.

use std::io::Write;

use clap::Subcommand;

use super::lookup::{find_repo, find_user, split_full_name};
use super::purge;
use crate::config::Options;
use crate::operator::Operator;
use plinth_base::clock::{Clock, Timestamp};
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::access::Role;
use plinth_core::repos::store::{self, NewRepo};
use plinth_core::repos::{RepoName, deletion, operations};
use plinth_core::{Core, CoreSettings, accounts};
use plinth_git::Repositories;
use plinth_store::{Store, Transaction};

const LISTED_MAX: i64 = 10_000;

#[derive(Debug, Subcommand)]
pub enum RepoCommand {
    /// Create a repository, written owner/name
    Create {
        name: String,
        #[arg(long)]
        private: bool,
        #[arg(long)]
        description: Option<String>,
        #[arg(long, default_value = "main")]
        default_branch: String,
    },
    /// List all repositories
    List,
    /// Give a user a role in a repository
    AddCollaborator {
        repo: String,
        user: String,
        /// read, triage, write, maintain or admin
        #[arg(long, default_value = "write", value_parser = parse_role)]
        permission: Role,
    },
    /// Delete a repository and everything in it
    Delete { name: String },
    /// Remove all unreachable objects at once, instead of in two weeks
    Purge { name: String },
}

fn parse_role(text: &str) -> Result<Role, String> {
    text.parse().map_err(|()| "a permission is read, triage, write, maintain or admin".into())
}

impl RepoCommand {
    pub async fn run(
        self,
        options: &Options,
        store: &Store,
        repositories: Repositories,
        clock: &Clock,
        out: &mut (dyn Write + Send),
    ) -> Result<()> {
        match self {
            RepoCommand::Purge { name } => purge::run(options, store, repositories, clock, (&name, out)).await,
            RepoCommand::Create { name, private, description, default_branch } => {
                let done = format!("created {name}");
                let context = (name, private, description, default_branch, clock.now());
                store.write(Operator, context, |tx, context| Box::pin(create(tx, context))).await?;
                Ok(writeln!(out, "{done}")?)
            }
            RepoCommand::List => {
                let mut db = store.read().await?;
                for repo in store::list(&mut db, LISTED_MAX).await? {
                    let visibility = if repo.private { "private" } else { "public" };
                    writeln!(out, "{:>6}  {visibility:<7}  {}/{}", repo.id, repo.owner_login, repo.name)?;
                }
                Ok(())
            }
            RepoCommand::AddCollaborator { repo, user, permission } => {
                let done = format!("{user} has {} in {repo}", permission.as_str());
                store
                    .write(Operator, (repo, user, permission, clock.now()), |tx, (repo, user, permission, now)| {
                        Box::pin(add_collaborator(tx, repo, user, *permission, *now))
                    })
                    .await?;
                Ok(writeln!(out, "{done}")?)
            }
            RepoCommand::Delete { name } => {
                let done = format!("deleted {name}");
                let context = (name, clock.now());
                let id = store.write(Operator, context, |tx, (name, now)| Box::pin(delete(tx, name, *now))).await?;
                let core = Core::new(store.clone(), repositories, clock.clone(), CoreSettings::default());
                writeln!(out, "{done}")?;
                deletion::remove(&core, id).await.map_err(|error| {
                    let continues = "a server on this store removes the rest";
                    Error::Unavailable(format!("not everything in the repository is removed yet; {continues}: {error}"))
                })
            }
        }
    }
}

async fn create(
    tx: &mut Transaction,
    (name, private, description, default_branch, now): &(String, bool, Option<String>, String, Timestamp),
) -> Result<()> {
    let (owner, name) = split_full_name(name)?;
    RepoName::parse(name).map_err(|error| Error::BadRequest(error.to_string()))?;
    let found = accounts::store::find_by_login(tx, owner).await?;
    let owner = found.ok_or_else(|| Error::BadRequest(format!("there is no account {owner:?}")))?;
    let new = NewRepo { owner: owner.id, name, description: description.as_deref(), private: *private, default_branch };
    operations::insert(tx, &new, None, *now).await?;
    Ok(())
}

async fn add_collaborator(
    tx: &mut Transaction,
    repo: &str,
    user: &str,
    permission: Role,
    now: Timestamp,
) -> Result<()> {
    let found = find_repo(tx, repo).await?;
    let user = find_user(tx, user).await?;
    operations::set_collaborator(tx, found.repo.id, user.id, permission, (None, now)).await?;
    Ok(())
}

async fn delete(tx: &mut Transaction, name: &str, now: Timestamp) -> Result<RepoId> {
    let found = find_repo(tx, name).await?;
    operations::remove(tx, found.repo.id, None, now).await?;
    Ok(found.repo.id)
}
