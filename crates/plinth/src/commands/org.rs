//! `plinth org`: creates and lists organizations, and manages their members.

use std::io::Write;

use clap::{Subcommand, ValueEnum};

use super::accounts::{self, Wanted};
use super::lookup::{find_account, find_user};
use crate::operator::Operator;
use plinth_base::clock::{Clock, Timestamp};
use plinth_base::error::{Error, Result};
use plinth_core::accounts::{AccountKind, OrgRole, operations};
use plinth_store::{Store, Transaction};

#[derive(Debug, Subcommand)]
pub enum OrgCommand {
    /// Create an organization
    Create {
        login: String,
        #[arg(long)]
        name: Option<String>,
    },
    /// List all organizations
    List,
    /// Add a user, or change the role of a member
    AddMember {
        org: String,
        user: String,
        #[arg(long, value_enum, default_value = "member")]
        role: MemberRole,
    },
    /// Remove a user from an organization
    RemoveMember { org: String, user: String },
}

/// The roles on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum MemberRole {
    Member,
    Admin,
}

impl From<MemberRole> for OrgRole {
    fn from(role: MemberRole) -> Self {
        match role {
            MemberRole::Member => OrgRole::Member,
            MemberRole::Admin => OrgRole::Admin,
        }
    }
}

impl OrgCommand {
    pub async fn run(self, store: &Store, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        match self {
            OrgCommand::Create { login, name } => {
                let new = Wanted { kind: AccountKind::Organization, login, name, email: None, site_admin: false };
                accounts::create(store, new, clock.now(), out).await
            }
            OrgCommand::List => accounts::list(store, AccountKind::Organization, out).await,
            OrgCommand::AddMember { org, user, role } => {
                let role = OrgRole::from(role);
                let done = format!("{user} is {} of {org}", role.as_str());
                store
                    .write(Operator, (org, user, role, clock.now()), |tx, (org, user, role, now)| {
                        Box::pin(add_member(tx, org, user, *role, *now))
                    })
                    .await?;
                Ok(writeln!(out, "{done}")?)
            }
            OrgCommand::RemoveMember { org, user } => {
                let done = format!("{user} is no longer in {org}");
                store
                    .write(Operator, (org, user, clock.now()), |tx, (org, user, now)| {
                        Box::pin(remove_member(tx, org, user, *now))
                    })
                    .await?;
                Ok(writeln!(out, "{done}")?)
            }
        }
    }
}

async fn add_member(tx: &mut Transaction, org: &str, user: &str, role: OrgRole, now: Timestamp) -> Result<()> {
    let org = find_account(tx, org, AccountKind::Organization).await?;
    let user = find_user(tx, user).await?;
    operations::set_member(tx, org.id, user.id, role, now).await?;
    Ok(())
}

async fn remove_member(tx: &mut Transaction, org: &str, user: &str, now: Timestamp) -> Result<()> {
    let org = find_account(tx, org, AccountKind::Organization).await?;
    let user = find_user(tx, user).await?;
    match operations::remove_member(tx, org.id, user.id, now).await? {
        false => Err(Error::BadRequest(format!("{} is not in {}", user.login, org.login))),
        true => Ok(()),
    }
}
