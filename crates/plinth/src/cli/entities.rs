//! `plinth user`, `plinth org` and `plinth repo`: accounts and repositories by hand.

use std::io::Write;

use clap::{Subcommand, ValueEnum};

use super::operator::Operator;
use super::options::Options;
use super::purge;
use plinth_base::clock::{Clock, Timestamp};
use plinth_base::error::{Error, Result};
use plinth_core::access::Role;
use plinth_core::accounts::store::NewAccount;
use plinth_core::accounts::{self, Account, AccountKind, Login, OrgRole};
use plinth_core::repos::store::NewRepo;
use plinth_core::repos::{self, RepoName, RepoWithRole};
use plinth_git::Repositories;
use plinth_store::{Connection, Store, Transaction};

const LISTED_MAX: i64 = 10_000;

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Make a user
    Create {
        login: String,
        #[arg(long)]
        name: Option<String>,
        #[arg(long)]
        email: Option<String>,
        #[arg(long)]
        site_admin: bool,
    },
    /// Show all users
    List,
}

impl UserCommand {
    pub async fn run(self, store: &Store, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        match self {
            UserCommand::Create { login, name, email, site_admin } => {
                let new = Wanted { kind: AccountKind::User, login, name, email, site_admin };
                create_account(store, new, clock.now(), out).await
            }
            UserCommand::List => list_accounts(store, AccountKind::User, out).await,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum OrgCommand {
    /// Make an organization
    Create {
        login: String,
        #[arg(long)]
        name: Option<String>,
    },
    /// Show all organizations
    List,
    /// Make a user a member, or change its role
    AddMember {
        org: String,
        user: String,
        #[arg(long, value_enum, default_value = "member")]
        role: MemberRole,
    },
    /// Take a user out of an organization
    RemoveMember { org: String, user: String },
}

/// Roles as they are written on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum MemberRole {
    Member,
    Admin,
}

impl OrgCommand {
    pub async fn run(self, store: &Store, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        match self {
            OrgCommand::Create { login, name } => {
                let new = Wanted { kind: AccountKind::Organization, login, name, email: None, site_admin: false };
                create_account(store, new, clock.now(), out).await
            }
            OrgCommand::List => list_accounts(store, AccountKind::Organization, out).await,
            OrgCommand::AddMember { org, user, role } => {
                let role = match role {
                    MemberRole::Member => OrgRole::Member,
                    MemberRole::Admin => OrgRole::Admin,
                };
                let done = format!("{user} is {} of {org}", role.as_str());
                store
                    .write(Operator, (org, user, role), |tx, (org, user, role)| {
                        Box::pin(add_member(tx, org, user, *role))
                    })
                    .await?;
                say(out, &done)
            }
            OrgCommand::RemoveMember { org, user } => {
                let done = format!("{user} is no longer in {org}");
                store.write(Operator, (org, user), |tx, (org, user)| Box::pin(remove_member(tx, org, user))).await?;
                say(out, &done)
            }
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum RepoCommand {
    /// Make a repository, written owner/name
    Create {
        name: String,
        #[arg(long)]
        private: bool,
        #[arg(long)]
        description: Option<String>,
        #[arg(long, default_value = "main")]
        default_branch: String,
    },
    /// Show all repositories
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
    /// Remove all objects that nothing reaches at once, instead of in two weeks
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
                let done = format!("made {name}");
                let context = (name, private, description, default_branch, clock.now());
                store.write(Operator, context, |tx, context| Box::pin(create_repo(tx, context))).await?;
                say(out, &done)
            }
            RepoCommand::List => {
                let mut db = store.read().await?;
                for repo in repos::store::list(&mut db, LISTED_MAX).await? {
                    let visibility = if repo.private { "private" } else { "public" };
                    writeln!(out, "{:>6}  {visibility:<7}  {}/{}", repo.id, repo.owner_login, repo.name)?;
                }
                Ok(())
            }
            RepoCommand::AddCollaborator { repo, user, permission } => {
                let done = format!("{user} has {} in {repo}", permission.as_str());
                store
                    .write(Operator, (repo, user, permission), |tx, (repo, user, permission)| {
                        Box::pin(async move {
                            let found = find_repo(tx, repo).await?;
                            let user = find_account(tx, user, AccountKind::User).await?;
                            Ok(repos::store::upsert_collaborator(tx, found.repo.id, user.id, *permission).await?)
                        })
                    })
                    .await?;
                say(out, &done)
            }
            RepoCommand::Delete { name } => {
                let done = format!("deleted {name}");
                let id = store
                    .write(Operator, name, |tx, name| {
                        Box::pin(async move {
                            let found = find_repo(tx, name).await?;
                            repos::store::delete(tx, found.repo.id).await?;
                            Ok(found.repo.id)
                        })
                    })
                    .await?;
                repositories.delete(id)?;
                say(out, &done)
            }
        }
    }
}

/// Only what has happened is told.
fn say(out: &mut (dyn Write + Send), what: &str) -> Result<()> {
    writeln!(out, "{what}")?;
    Ok(())
}

struct Wanted {
    kind: AccountKind,
    login: String,
    name: Option<String>,
    email: Option<String>,
    site_admin: bool,
}

async fn create_account(store: &Store, wanted: Wanted, now: Timestamp, out: &mut (dyn Write + Send)) -> Result<()> {
    Login::parse(&wanted.login).map_err(|error| Error::BadRequest(error.to_string()))?;
    let login = wanted.login.clone();
    let id = store
        .write(Operator, (wanted, now), |tx, (wanted, now)| {
            Box::pin(async move {
                let new = NewAccount {
                    kind: wanted.kind,
                    login: &wanted.login,
                    name: wanted.name.as_deref(),
                    email: wanted.email.as_deref(),
                    site_admin: wanted.site_admin,
                };
                accounts::store::insert(tx, &new, *now).await
            })
        })
        .await?;
    writeln!(out, "made {login} (id {id})")?;
    Ok(())
}

async fn list_accounts(store: &Store, kind: AccountKind, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut db = store.read().await?;
    for account in accounts::store::list(&mut db, kind, LISTED_MAX).await? {
        let name = account.name.as_deref().unwrap_or_default();
        writeln!(out, "{:>6}  {:<39}  {name}", account.id, account.login)?;
    }
    Ok(())
}

async fn find_account(db: &mut Connection, login: &str, kind: AccountKind) -> Result<Account> {
    let found = accounts::store::find_of_kind(db, login, kind).await?;
    found.ok_or_else(|| Error::BadRequest(format!("there is no {} {login:?}", kind.as_str().to_lowercase())))
}

pub async fn find_repo(db: &mut Connection, name: &str) -> Result<RepoWithRole> {
    let (owner, name) = split(name)?;
    let found = repos::store::find(db, owner, name, None).await?;
    found.ok_or_else(|| Error::BadRequest(format!("there is no repository {owner}/{name}")))
}

fn split(name: &str) -> Result<(&str, &str)> {
    name.split_once('/').ok_or_else(|| Error::BadRequest("a repository is written owner/name".into()))
}

async fn add_member(tx: &mut Transaction, org: &str, user: &str, role: OrgRole) -> Result<()> {
    let org = find_account(tx, org, AccountKind::Organization).await?;
    let user = find_account(tx, user, AccountKind::User).await?;
    Ok(accounts::store::upsert_membership(tx, org.id, user.id, role).await?)
}

async fn remove_member(tx: &mut Transaction, org: &str, user: &str) -> Result<()> {
    let org = find_account(tx, org, AccountKind::Organization).await?;
    let user = find_account(tx, user, AccountKind::User).await?;
    match accounts::store::delete_membership(tx, org.id, user.id).await? {
        0 => Err(Error::BadRequest(format!("{} is not in {}", user.login, org.login))),
        _ => Ok(()),
    }
}

async fn create_repo(
    tx: &mut Transaction,
    (name, private, description, default_branch, now): &(String, bool, Option<String>, String, Timestamp),
) -> Result<()> {
    let (owner, name) = split(name)?;
    RepoName::parse(name).map_err(|error| Error::BadRequest(error.to_string()))?;
    let found = accounts::store::find_by_login(tx, owner).await?;
    let owner = found.ok_or_else(|| Error::BadRequest(format!("there is no account {owner:?}")))?;
    let new = NewRepo { owner: owner.id, name, description: description.as_deref(), private: *private, default_branch };
    repos::store::insert(tx, &new, *now).await?;
    Ok(())
}
