//! `plinth device`: approves or denies a device that signs in, on behalf of a user.

use std::io::{BufRead, IsTerminal, Write};

use clap::Subcommand;

use super::lookup::find_user;
use crate::operator::Operator;
use plinth_base::clock::{Clock, Timestamp};
use plinth_base::error::{Error, Result};
use plinth_core::accounts::Account;
use plinth_core::apps::AppKind;

use plinth_core::oauth::{self, Approval, ApprovalRequest, Decision, RequestingApp};
use plinth_store::{Store, Transaction};

#[derive(Debug, Subcommand)]
pub enum DeviceCommand {
    /// Show what a device requests
    Show {
        /// The code that the device shows
        code: String,
        #[arg(long)]
        user: String,
    },
    /// Show what a device requests, and let it act as a user
    Approve {
        /// The code that the device shows
        code: String,
        #[arg(long)]
        user: String,
        /// Approve without confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Deny a device
    Deny {
        /// The code that the device shows
        code: String,
        #[arg(long)]
        user: String,
    },
}

impl DeviceCommand {
    pub async fn run(self, store: &Store, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        match self {
            DeviceCommand::Show { code, user } => show(store, &code, &user, clock.now(), out).await.map(drop),
            DeviceCommand::Approve { code, user, yes } => {
                let confirmation = show(store, &code, &user, clock.now(), out).await?;
                if !yes {
                    confirm(out)?;
                }
                let approval =
                    Approval { user_code: code, decision: Decision::Approve, confirmation: Some(confirmation) };
                write(store, approval, user, clock.now(), out).await
            }
            DeviceCommand::Deny { code, user } => {
                let approval = Approval { user_code: code, decision: Decision::Deny, confirmation: None };
                write(store, approval, user, clock.now(), out).await
            }
        }
    }
}

/// Prints app, permissions and account, and returns the confirmation that approves exactly these.
async fn show(store: &Store, code: &str, login: &str, now: Timestamp, out: &mut (dyn Write + Send)) -> Result<String> {
    let mut db = store.read().await?;
    let user = find_user(&mut db, login).await?;
    let request =
        oauth::operations::find_request(&mut db, code, user.id, now).await.map_err(|error| explain(error, code))?;
    describe(&request, &user, out)?;
    Ok(request.confirmation)
}

fn describe(request: &ApprovalRequest, user: &Account, out: &mut (dyn Write + Send)) -> Result<()> {
    match &request.app {
        Some(RequestingApp { app, owner }) => {
            let kind = match app.kind {
                AppKind::GitHubApp => "GitHub App",
                AppKind::OAuth => "OAuth app",
            };
            writeln!(out, "app      {} ({}), {kind} of {owner}", app.name, app.slug)?;
        }
        None => writeln!(out, "app      none: a browser that signs in to the pages of this server")?,
    }
    match request.permissions() {
        Some(permissions) => writeln!(out, "rights   permissions {}", permissions.to_text())?,
        None => writeln!(out, "rights   scopes {}", request.scopes)?,
    }
    writeln!(out, "account  {}", user.login)?;
    writeln!(out, "expires  {}", request.code.expires_at)?;
    Ok(())
}

fn confirm(out: &mut (dyn Write + Send)) -> Result<()> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(Error::BadRequest("nobody can be asked here; add --yes to approve what is shown".into()));
    }
    write!(out, "Let it act as this account? [y/N] ")?;
    out.flush()?;
    let mut line = String::new();
    stdin.lock().read_line(&mut line)?;
    match line.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Error::BadRequest("not approved".into())),
    }
}

async fn write(
    store: &Store,
    approval: Approval,
    login: String,
    now: Timestamp,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let done = match approval.decision {
        Decision::Approve => format!("approved {}", approval.user_code),
        Decision::Deny => format!("denied {}", approval.user_code),
    };
    store
        .write(Operator, (approval, login, now), |tx, (approval, login, now)| {
            Box::pin(decide(tx, approval, login, *now))
        })
        .await?;
    Ok(writeln!(out, "{done}")?)
}

async fn decide(tx: &mut Transaction, approval: &Approval, login: &str, now: Timestamp) -> Result<()> {
    let user = find_user(tx, login).await?;
    let decided = oauth::operations::decide(tx, user.id, approval, None, now).await;
    decided.map_err(|error| explain(error, &approval.user_code))
}

fn explain(error: Error, code: &str) -> Error {
    match error {
        Error::NotFound => Error::BadRequest(format!("no device waits with the code {code:?}")),
        other => other,
    }
}
