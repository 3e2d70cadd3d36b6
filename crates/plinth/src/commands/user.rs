//! `plinth user`: creates and lists users.

use std::io::Write;

use clap::Subcommand;

use super::accounts::{self, Wanted};
use plinth_base::clock::Clock;
use plinth_base::error::Result;
use plinth_core::accounts::AccountKind;
use plinth_store::Store;

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Create a user
    Create {
        login: String,
        #[arg(long)]
        name: Option<String>,
        #[arg(long)]
        email: Option<String>,
        #[arg(long)]
        site_admin: bool,
    },
    /// List all users
    List,
}

impl UserCommand {
    pub async fn run(self, store: &Store, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        match self {
            UserCommand::Create { login, name, email, site_admin } => {
                let new = Wanted { kind: AccountKind::User, login, name, email, site_admin };
                accounts::create(store, new, clock.now(), out).await
            }
            UserCommand::List => accounts::list(store, AccountKind::User, out).await,
        }
    }
}
