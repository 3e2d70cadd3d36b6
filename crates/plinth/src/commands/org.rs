//! `plinth org`: creates and lists organizations, and manages their members.

use std::io::Write;

use clap::{Subcommand, ValueEnum};

use super::accounts::{self, Wanted};
use super::lookup::{find_account, find_user};
use crate::operator::Operator;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_core::accounts::{AccountKind, OrgRole, store};
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
                    .write(Operator, (org, user, role), |tx, (org, user, role)| {
                        Box::pin(add_member(tx, org, user, *role))
                    })
                    .await?;
                Ok(writeln!(out, "{done}")?)
            }
            OrgCommand::RemoveMember { org, user } => {
                let done = format!("{user} is no longer in {org}");
                store.write(Operator, (org, user), |tx, (org, user)| Box::pin(remove_member(tx, org, user))).await?;
                Ok(writeln!(out, "{done}")?)
            }
        }
    }
}

async fn add_member(tx: &mut Transaction, org: &str, user: &str, role: OrgRole) -> Result<()> {
    let org = find_account(tx, org, AccountKind::Organization).await?;
    let user = find_user(tx, user).await?;
    Ok(store::upsert_membership(tx, org.id, user.id, role).await?)
}

async fn remove_member(tx: &mut Transaction, org: &str, user: &str) -> Result<()> {
    let org = find_account(tx, org, AccountKind::Organization).await?;
    let user = find_user(tx, user).await?;
    match store::delete_membership(tx, org.id, user.id).await? {
        0 => Err(Error::BadRequest(format!("{} is not in {}", user.login, org.login))),
        _ => Ok(()),
    }
}
