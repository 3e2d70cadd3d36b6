//! Registering an app: its bot account, its row and its secrets. The state file and the command line use this.

use super::store::{self, NewApp};
use super::{AppKind, EventNames};
use crate::accounts::store::NewAccount;
use crate::accounts::{self, AccountKind, Login};
use crate::tokens::{Permissions, Secret, random_text};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, AppId};
use plinth_store::Transaction;

const CLIENT_ID_RANDOM: usize = 16;
const CLIENT_ID_LENGTH_MAX: usize = 64;
const CLIENT_SECRET_LENGTH: usize = 40;

/// Input to register an app.
#[derive(Debug, Clone)]
pub struct Registration {
    pub kind: AppKind,
    pub slug: String,
    pub name: Option<String>,
    pub owner: AccountId,
    pub permissions: Permissions,
    pub events: EventNames,
    /// Generated if it is left out.
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
}

/// Inserts an app, and the bot account of a GitHub App.
pub async fn register(tx: &mut Transaction, new: &Registration, now: Timestamp) -> Result<AppId> {
    check(new)?;
    let bot = match new.kind {
        AppKind::GitHubApp => insert_bot(tx, &new.slug, now).await?,
        AppKind::OAuth => new.owner,
    };
    let client_id = new.client_id.clone().unwrap_or_else(|| new_client_id(new.kind));
    let row = NewApp {
        kind: new.kind,
        slug: &new.slug,
        name: new.name.as_deref().unwrap_or(&new.slug),
        owner: new.owner,
        bot,
        client_id: &client_id,
        client_secret_hash: new.client_secret.as_ref().map(Secret::hash),
        permissions: &new.permissions,
        events: &new.events,
    };
    store::insert(tx, &row, now).await
}

/// A new client secret, to show once.
pub fn new_client_secret() -> Secret {
    Secret::new(random_text(CLIENT_SECRET_LENGTH))
}

fn new_client_id(kind: AppKind) -> String {
    let prefix = match kind {
        AppKind::GitHubApp => "Iv23",
        AppKind::OAuth => "Ov23",
    };
    format!("{prefix}{}", random_text(CLIENT_ID_RANDOM))
}

fn check(new: &Registration) -> Result<()> {
    Login::parse(&new.slug).map_err(|error| Error::BadRequest(format!("{:?} is no slug: {error}", new.slug)))?;
    match &new.client_id {
        Some(id) if !is_client_id(id) => Err(Error::BadRequest(format!(
            "{id:?} is no client id: it has up to {CLIENT_ID_LENGTH_MAX} letters, digits, '.', '-' and '_', and not only digits"
        ))),
        _ => Ok(()),
    }
}

/// Digits only would be ambiguous: an issuer of digits is an app id.
fn is_client_id(text: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    (1..=CLIENT_ID_LENGTH_MAX).contains(&text.len())
        && text.bytes().all(good)
        && !text.bytes().all(|byte| byte.is_ascii_digit())
}

async fn insert_bot(tx: &mut Transaction, slug: &str, now: Timestamp) -> Result<AccountId> {
    let login = format!("{slug}[bot]");
    let bot = NewAccount { kind: AccountKind::Bot, login: &login, name: None, email: None, site_admin: false };
    accounts::store::insert(tx, &bot, now).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_client_id_rejects_numbers_and_bad_characters() {
        for good in ["Iv23abc", "178c6fc778ccc68e1d6a", "Iv1.8a61f9b3a7aba766", "a"] {
            assert!(is_client_id(good), "{good}");
        }
        for bad in ["", "12", "a b", "a\n", &"a".repeat(65)] {
            assert!(!is_client_id(bad), "{bad}");
        }
    }
}
