//! Tokens of a state file.

use serde_saphyr::Spanned;

use super::accounts::{find_account, find_user};
use super::apps::{find_app, find_selection};
use super::file::{Repositories, Token};
use super::name::{Name, problem};
use super::report::{Effect, Report};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_core::apps;
use plinth_core::tokens::{
    INSTALLATION_TOKEN_SECONDS, NewToken, Permissions, Scopes, Secret, Selection, TokenKind, TokenSpec, store,
};
use plinth_store::Transaction;

const TOKEN_LENGTH: std::ops::RangeInclusive<usize> = 8..=1024;

pub async fn apply(tx: &mut Transaction, wanted: &[Token], now: Timestamp, report: &mut Report) -> Result<()> {
    for token in wanted {
        let (what, grant) = grant(tx, token).await?;
        let note = format!("state file: {what}");
        let (secret, exists) = match &token.token {
            Some(fixed) => {
                let secret = fixed_secret(fixed, &token.kind)?;
                let exists = store::find_by_hash(tx, &secret.hash()).await?.is_some();
                (secret, exists)
            }
            None => (Secret::generate(token.kind.value), store::has_active_note(tx, &note, now).await?),
        };
        if exists {
            report.note(&what, Effect::Unchanged);
            continue;
        }
        let expires_at = expiry(token, now)?;
        store::insert(tx, &NewToken { secret: secret.clone(), grant, note: Some(note), expires_at }, now).await?;
        report.note(format_args!("token {what}"), Effect::Created);
        report.secrets.push((what, secret));
    }
    Ok(())
}

fn fixed_secret(text: &Name, kind: &Spanned<TokenKind>) -> Result<Secret> {
    let prefix = kind.value.prefix();
    let is_valid = text.value.starts_with(prefix)
        && TOKEN_LENGTH.contains(&text.value.len())
        && text.value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_valid {
        return Ok(Secret::new(&text.value));
    }
    // The value is a secret, so the message does not contain it.
    let message = format_args!(
        "a {} token begins with {prefix}, has {} to {} characters, and contains only letters, digits and _",
        kind.value.as_str(),
        TOKEN_LENGTH.start(),
        TOKEN_LENGTH.end()
    );
    Err(problem(text, "tokens.token", message))
}

fn expiry(token: &Token, now: Timestamp) -> Result<Option<Timestamp>> {
    match (&token.expires_at, token.kind.value) {
        (Some(text), _) => match Timestamp::parse(&text.value) {
            Some(moment) => Ok(Some(moment)),
            None => Err(problem(text, "tokens.expires_at", "it is not a time such as 2030-01-31T00:00:00Z")),
        },
        (None, TokenKind::Installation) => Ok(Some(now.plus_seconds(INSTALLATION_TOKEN_SECONDS))),
        (None, _) => Ok(None),
    }
}

/// The grant of the token, and a description of it for people.
async fn grant(tx: &mut Transaction, token: &Token) -> Result<(String, TokenSpec)> {
    let kind = token.kind.value;
    let name = kind.as_str();
    match kind {
        TokenKind::Classic | TokenKind::OAuth => {
            let user = find_user(tx, needed(token, &token.user, "tokens.user")?, "tokens.user").await?;
            let scopes = Scopes::new(token.scopes.clone().unwrap_or_default());
            let what = format!("{name} of {} [{scopes}]", user.login);
            let grant = match kind {
                TokenKind::OAuth => TokenSpec::OAuth { user: user.id, scopes, app: None },
                _ => TokenSpec::Classic { user: user.id, scopes },
            };
            Ok((what, grant))
        }
        TokenKind::FineGrained => {
            let user = find_user(tx, needed(token, &token.user, "tokens.user")?, "tokens.user").await?;
            let at = needed(token, &token.owner, "tokens.owner")?;
            let owner = find_account(tx, at, "tokens.owner").await?;
            let selection = selection(tx, token, &owner, at).await?;
            let permissions = permissions(token).unwrap_or_default().with_metadata();
            let what = format!("{name} of {} on {} {}", user.login, owner.login, permissions.to_text());
            Ok((what, TokenSpec::FineGrained { user: user.id, owner: owner.id, selection, permissions }))
        }
        TokenKind::AppUser => {
            let user = find_user(tx, needed(token, &token.user, "tokens.user")?, "tokens.user").await?;
            let app = find_app(tx, needed(token, &token.app, "tokens.app")?, "tokens.app").await?;
            Ok((
                format!("{name} of {} through {}", user.login, app.slug),
                TokenSpec::AppUser { user: user.id, app: app.id },
            ))
        }
        TokenKind::Installation => installation_grant(tx, token).await,
    }
}

async fn installation_grant(tx: &mut Transaction, token: &Token) -> Result<(String, TokenSpec)> {
    let app = find_app(tx, needed(token, &token.app, "tokens.app")?, "tokens.app").await?;
    let at = needed(token, &token.account, "tokens.account")?;
    let account = find_account(tx, at, "tokens.account").await?;
    let found = apps::store::find_installation_on(tx, app.id, account.id).await?;
    let missing = || problem(at, "tokens.account", format_args!("{} is not installed on {}", app.slug, account.login));
    let installation = found.ok_or_else(missing)?;
    let permissions = permissions(token).unwrap_or_else(|| installation.permissions.clone()).with_metadata();
    let selection = selection(tx, token, &account, at).await?;
    let what = format!("installation of {} on {} {}", app.slug, account.login, permissions.to_text());
    Ok((what, TokenSpec::Installation { app: app.id, installation: installation.id, selection, permissions }))
}

fn permissions(token: &Token) -> Option<Permissions> {
    token.permissions.clone().map(|given| given.into_iter().collect())
}

async fn selection(
    tx: &mut Transaction,
    token: &Token,
    account: &plinth_core::accounts::Account,
    at: &Name,
) -> Result<Selection> {
    let all = Repositories::Word("all".into());
    let wanted = token.repositories.as_ref().unwrap_or(&all);
    Ok(find_selection(tx, account, at, wanted).await?.map_or(Selection::All, Selection::Selected))
}

fn needed<'a>(token: &Token, value: &'a Option<Name>, field: &str) -> Result<&'a Name> {
    let message = format_args!("a {} token requires it", token.kind.value.as_str());
    value.as_ref().ok_or_else(|| problem(&token.kind, field, message))
}
