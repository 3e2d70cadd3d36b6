//! `plinth device`: what a user says about a device that wants to sign in, by the operator's hand.

use std::io::Write;

use clap::Subcommand;

use super::operator::Operator;
use crate::accounts::{self, AccountKind};
use crate::clock::{Clock, Timestamp};
use crate::db::{Store, Transaction};
use crate::error::{Error, Result};
use crate::oauth::{self, Decision};

#[derive(Debug, Subcommand)]
pub enum DeviceCommand {
    /// Let a device act as a user
    Approve {
        /// The code that the device shows
        code: String,
        #[arg(long)]
        user: String,
    },
    /// Refuse a device
    Deny {
        /// The code that the device shows
        code: String,
        #[arg(long)]
        user: String,
    },
}

impl DeviceCommand {
    pub async fn run(self, store: &Store, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        let (code, user, decision, word) = match self {
            DeviceCommand::Approve { code, user } => (code, user, Decision::Approve, "approved"),
            DeviceCommand::Deny { code, user } => (code, user, Decision::Deny, "denied"),
        };
        let context = (code.clone(), user, decision, clock.now());
        store
            .write(Operator, context, |tx, (code, user, decision, now)| {
                Box::pin(decide(tx, code, user, *decision, *now))
            })
            .await?;
        Ok(writeln!(out, "{word} {code}")?)
    }
}

async fn decide(tx: &mut Transaction, code: &str, login: &str, decision: Decision, now: Timestamp) -> Result<()> {
    let found = accounts::store::find_of_kind(tx, login, AccountKind::User).await?;
    let user = found.ok_or_else(|| Error::BadRequest(format!("there is no user {login:?}")))?;
    match oauth::decide(tx, code, user.id, decision, None, now).await {
        Err(Error::NotFound) => Err(Error::BadRequest(format!("no device waits with the code {code:?}"))),
        decided => decided,
    }
}
