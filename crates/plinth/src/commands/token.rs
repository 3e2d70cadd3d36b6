//! `plinth token`: creates, lists and revokes tokens.

use std::io::Write;

use clap::{Subcommand, ValueEnum};

use super::arguments::parse_permission;
use super::lookup::find_user;
use crate::operator::Operator;
use plinth_base::clock::{Clock, Timestamp};
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, TokenId};
use plinth_core::accounts;
use plinth_core::tokens::{
    INSTALLATION_TOKEN_SECONDS, Level, NewToken, Permissions, Scopes, Secret, Selection, StoredToken, TokenKind,
    TokenSpec, store,
};
use plinth_core::{apps, repos};
use plinth_store::{Store, Transaction};

const LISTED_MAX: i64 = 1000;

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Create a token and print it, this once
    Create(Create),
    /// List tokens, without their secrets
    List {
        /// Only the tokens of this user
        #[arg(long)]
        user: Option<String>,
    },
    /// Revoke a token for good
    Revoke {
        /// The id that `list` prints
        id: i64,
    },
}

#[derive(Debug, Clone, clap::Args)]
pub struct Create {
    #[arg(long, value_enum)]
    kind: Kind,
    /// The user that the token acts as
    #[arg(long, required_unless_present = "account")]
    user: Option<String>,
    /// Scopes of a classic or OAuth token, separated by commas
    #[arg(long, value_delimiter = ',')]
    scopes: Vec<String>,
    /// The account that a fine-grained token is for
    #[arg(long)]
    owner: Option<String>,
    /// Names of repositories that a fine-grained or installation token is limited to
    #[arg(long, value_delimiter = ',')]
    repositories: Vec<String>,
    /// Permissions such as contents=write,pull_requests=read
    #[arg(long, value_delimiter = ',', value_parser = parse_permission)]
    permissions: Vec<(String, Level)>,
    /// The app of an app user or installation token
    #[arg(long)]
    app: Option<String>,
    /// The account of an installation token
    #[arg(long)]
    account: Option<String>,
    /// Days until the token expires
    #[arg(long)]
    days: Option<i64>,
    /// A note to recognize the token by
    #[arg(long)]
    note: Option<String>,
}

/// The kinds on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    Classic,
    FineGrained,
    AppUser,
    Installation,
    Oauth,
}

impl From<Kind> for TokenKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Classic => TokenKind::Classic,
            Kind::FineGrained => TokenKind::FineGrained,
            Kind::AppUser => TokenKind::AppUser,
            Kind::Installation => TokenKind::Installation,
            Kind::Oauth => TokenKind::OAuth,
        }
    }
}

impl TokenCommand {
    pub async fn run(self, store: &Store, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        match self {
            TokenCommand::Create(create) => {
                let context = (create, clock.now());
                let secret =
                    store.write(Operator, context, |tx, (create, now)| Box::pin(create.insert(tx, *now))).await?;
                writeln!(out, "{}", secret.reveal())?;
            }
            TokenCommand::List { user } => {
                let mut db = store.read().await?;
                let user = match user {
                    Some(login) => Some(find_user(&mut db, &login).await?.id),
                    None => None,
                };
                for token in store::list(&mut db, user, LISTED_MAX).await? {
                    writeln!(out, "{}", line(&token))?;
                }
            }
            TokenCommand::Revoke { id } => {
                let context = (TokenId(id), clock.now());
                let ended = store
                    .write(Operator, context, |tx, (id, now)| {
                        Box::pin(async move { Ok(store::end(tx, *id, *now).await?) })
                    })
                    .await?;
                if ended == 0 {
                    return Err(Error::BadRequest(format!("there is no token {id} that is in use")));
                }
                writeln!(out, "revoked token {id}")?;
            }
        }
        Ok(())
    }
}

fn line(token: &StoredToken) -> String {
    let owner = token.user_login.as_deref().unwrap_or("installation");
    let state = match (token.ended_at, token.expires_at) {
        (Some(moment), _) => format!("ended {moment}"),
        (None, Some(moment)) => format!("until {moment}"),
        (None, None) => "active".into(),
    };
    let rights = token.scopes.clone().or(token.permissions.as_ref().map(Permissions::to_text)).unwrap_or_default();
    let (id, kind, hint) = (token.id, token.kind.as_str(), &token.hint);
    let note = token.note.as_deref().unwrap_or_default();
    format!("{id:>6}  {kind:<12}  {owner:<20}  {hint:<6}  {state:<28}  {rights}  {note}")
}

impl Create {
    async fn insert(&self, tx: &mut Transaction, now: Timestamp) -> Result<Secret> {
        let kind = TokenKind::from(self.kind);
        let grant = self.grant(tx, kind).await?;
        let secret = Secret::generate(kind);
        let expires_at = match (self.days, kind) {
            (_, TokenKind::Installation) => Some(now.plus_seconds(INSTALLATION_TOKEN_SECONDS)),
            (Some(days), _) => Some(now.plus_seconds(days.saturating_mul(24 * 60 * 60))),
            (None, _) => None,
        };
        let new = NewToken { secret: secret.clone(), grant, note: self.note.clone(), expires_at };
        store::insert(tx, &new, now).await?;
        Ok(secret)
    }

    async fn grant(&self, tx: &mut Transaction, kind: TokenKind) -> Result<TokenSpec> {
        let scopes = Scopes::new(self.scopes.iter().cloned());
        let permissions: Permissions = self.permissions.iter().cloned().collect();
        Ok(match kind {
            TokenKind::Classic => TokenSpec::Classic { user: self.user(tx).await?, scopes },
            TokenKind::OAuth => TokenSpec::OAuth { user: self.user(tx).await?, scopes, app: None },
            TokenKind::AppUser => TokenSpec::AppUser { user: self.user(tx).await?, app: self.app(tx).await?.id },
            TokenKind::FineGrained => {
                let owner = self.account_named(tx, self.owner.as_deref(), "--owner").await?;
                let selection = self.selection(tx, &owner).await?;
                let permissions = permissions.with_metadata();
                TokenSpec::FineGrained { user: self.user(tx).await?, owner: owner.id, selection, permissions }
            }
            TokenKind::Installation => {
                let app = self.app(tx).await?;
                let account = self.account_named(tx, self.account.as_deref(), "--account").await?;
                let found = apps::store::find_installation_on(tx, app.id, account.id).await?;
                let missing = || Error::BadRequest(format!("{} is not installed on {}", app.slug, account.login));
                let installation = found.ok_or_else(missing)?;
                let permissions =
                    if permissions.is_empty() { installation.permissions } else { permissions.with_metadata() };
                let selection = self.selection(tx, &account).await?;
                TokenSpec::Installation { app: app.id, installation: installation.id, selection, permissions }
            }
        })
    }

    async fn user(&self, tx: &mut Transaction) -> Result<AccountId> {
        let login = self.user.as_deref().ok_or_else(|| Error::BadRequest("this kind needs --user".into()))?;
        Ok(find_user(tx, login).await?.id)
    }

    async fn app(&self, tx: &mut Transaction) -> Result<apps::App> {
        let slug = self.app.as_deref().ok_or_else(|| Error::BadRequest("this kind needs --app".into()))?;
        let found = apps::store::find_by_slug(tx, slug).await?;
        found.ok_or_else(|| Error::BadRequest(format!("there is no app {slug:?}")))
    }

    async fn account_named(&self, tx: &mut Transaction, login: Option<&str>, flag: &str) -> Result<accounts::Account> {
        let login = login.ok_or_else(|| Error::BadRequest(format!("this kind needs {flag}")))?;
        let found = accounts::store::find_by_login(tx, login).await?;
        found.ok_or_else(|| Error::BadRequest(format!("there is no account {login:?}")))
    }

    async fn selection(&self, tx: &mut Transaction, owner: &accounts::Account) -> Result<Selection> {
        if self.repositories.is_empty() {
            return Ok(Selection::All);
        }
        let mut ids = Vec::with_capacity(self.repositories.len());
        for name in &self.repositories {
            let found = repos::store::find(tx, &owner.login, name, None).await?;
            let missing = || Error::BadRequest(format!("{} has no repository {name:?}", owner.login));
            ids.push(found.ok_or_else(missing)?.repo.id);
        }
        Ok(Selection::Selected(ids))
    }
}
