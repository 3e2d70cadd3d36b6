//! SQL for tokens, which are stored as hashes.

use super::principal::{InstallationToken, UserLimits, UserToken};
use super::{
    ExpiredTokens, NewToken, Permissions, Principal, Scopes, SelectionMode, StoredToken, TokenKind, TokenSpec,
};
use crate::accounts::AccountKind;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Code, Error, Result};
use plinth_base::ids::{AccountId, AppId, InstallationId, RepoId, TokenId};
use plinth_store::{Connection, DbError, Transaction, from_row, params};

/// Everything about a token that a request needs, from one statement.
struct Presented {
    token: TokenId,
    kind: TokenKind,
    scopes: Option<String>,
    owner: Option<AccountId>,
    mode: Option<SelectionMode>,
    permissions: Option<Permissions>,
    expires_at: Option<Timestamp>,
    user: Option<AccountId>,
    login: Option<String>,
    account_kind: Option<AccountKind>,
    site_admin: Option<bool>,
    app: Option<AppId>,
    bot: Option<AccountId>,
    installation: Option<InstallationId>,
    installation_account: Option<AccountId>,
    installation_mode: Option<SelectionMode>,
    installation_permissions: Option<Permissions>,
    suspended_at: Option<Timestamp>,
}

from_row!(Presented {
    token,
    kind,
    scopes,
    owner,
    mode,
    permissions,
    expires_at,
    user,
    login,
    account_kind,
    site_admin,
    app,
    bot,
    installation,
    installation_account,
    installation_mode,
    installation_permissions,
    suspended_at,
});

/// Selects `Presented` for tokens that are not ended and meet a condition.
macro_rules! select_presented {
    ($condition:literal) => {
        concat!(
            "select t.id, t.kind, t.scopes, t.owner_id, t.repository_selection, t.permissions, t.expires_at, ",
            "u.id, u.login, u.kind, u.site_admin, t.app_id, a.bot_id, ",
            "i.id, i.account_id, i.repository_selection, i.permissions, i.suspended_at ",
            "from token t left join account u on u.id = t.user_id left join app a on a.id = t.app_id ",
            "left join installation i on i.id = t.installation_id ",
            "where t.ended_at is null and ",
            $condition
        )
    };
}

/// The principal of the token with this hash; `None` if it is unknown, revoked or expired. A token that was once found
/// expired stays expired, even if the clock is set back.
pub async fn find_principal(
    db: &mut Connection,
    hash: &[u8; 32],
    now: Timestamp,
    expired: &ExpiredTokens,
) -> Result<Option<Principal>> {
    let sql = select_presented!("t.hash = $1");
    let Some(found) = db.optional::<Presented>(sql, params![hash]).await? else { return Ok(None) };
    if found.expires_at.is_some_and(|moment| moment <= now) {
        expired.add(found.token);
        return Ok(None);
    }
    if expired.contains(found.token) {
        return Ok(None);
    }
    principal(found).map(Some)
}

/// The current principal of a token that was valid when the request began. The caller checks expiry.
pub async fn find_principal_again(db: &mut Connection, id: TokenId) -> Result<Option<Principal>> {
    let found = db.optional::<Presented>(select_presented!("t.id = $1"), params![id]).await?;
    found.map(principal).transpose()
}

fn principal(found: Presented) -> Result<Principal> {
    let broken = || Error::internal("a stored token lacks what its kind needs");
    if found.kind == TokenKind::Installation {
        let granted = found.permissions.ok_or_else(broken)?;
        let installation_grants = found.installation_permissions.ok_or_else(broken)?;
        return Ok(Principal::Installation(InstallationToken {
            token: found.token,
            app: found.app.ok_or_else(broken)?,
            installation: found.installation.ok_or_else(broken)?,
            account: found.installation_account.ok_or_else(broken)?,
            bot: found.bot.ok_or_else(broken)?,
            token_mode: found.mode.ok_or_else(broken)?,
            installation_mode: found.installation_mode.ok_or_else(broken)?,
            permissions: granted.intersection(&installation_grants),
            suspended: found.suspended_at.is_some(),
            expires_at: found.expires_at,
        }));
    }
    let scopes = || Scopes::parse(found.scopes.as_deref().unwrap_or_default());
    let limits = match found.kind {
        TokenKind::Classic => UserLimits::Classic(scopes()),
        TokenKind::OAuth => UserLimits::OAuth { scopes: scopes(), app: found.app },
        TokenKind::FineGrained => UserLimits::FineGrained {
            owner: found.owner.ok_or_else(broken)?,
            mode: found.mode.ok_or_else(broken)?,
            permissions: found.permissions.ok_or_else(broken)?,
        },
        TokenKind::AppUser => UserLimits::AppUser { app: found.app.ok_or_else(broken)? },
        TokenKind::Installation => unreachable!("returned above"),
    };
    Ok(Principal::User(UserToken {
        token: found.token,
        user: found.user.ok_or_else(broken)?,
        login: found.login.ok_or_else(broken)?,
        kind: found.account_kind.ok_or_else(broken)?,
        site_admin: found.site_admin.ok_or_else(broken)?,
        limits,
        expires_at: found.expires_at,
    }))
}

/// Whether the token's own selection names this repository.
pub async fn selects(db: &mut Connection, token: TokenId, repo: RepoId) -> Result<bool, DbError> {
    let sql = "select cast(1 as bigint) from token_repo where token_id = $1 and repo_id = $2";
    Ok(db.optional::<(i64,)>(sql, params![token, repo]).await?.is_some())
}

pub async fn insert(db: &mut Transaction, new: &NewToken, now: Timestamp) -> Result<TokenId> {
    let row = NewRow::of(&new.grant);
    let sql = "insert into token (hash, kind, hint, note, user_id, app_id, installation_id, owner_id, scopes, \
               repository_selection, permissions, created_at, expires_at) \
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning id";
    let inserted = db
        .insert::<(TokenId,)>(
            sql,
            params![
                new.secret.hash(),
                row.kind,
                new.secret.hint(),
                new.note,
                row.user,
                row.app,
                row.installation,
                row.owner,
                row.scopes,
                row.mode,
                row.permissions,
                now,
                new.expires_at
            ],
        )
        .await;
    let (id,) = inserted.map_err(|e| e.on_unique(|| Error::invalid("Token", "token", Code::AlreadyExists)))?;
    for repo in row.repos {
        db.takes_no_right()
            .execute("insert into token_repo (token_id, repo_id) values ($1, $2)", params![id, *repo])
            .await?;
    }
    Ok(id)
}

/// The columns of a new token.
struct NewRow<'a> {
    kind: TokenKind,
    user: Option<AccountId>,
    app: Option<AppId>,
    installation: Option<InstallationId>,
    owner: Option<AccountId>,
    scopes: Option<String>,
    mode: Option<SelectionMode>,
    permissions: Option<String>,
    repos: &'a [RepoId],
}

impl<'a> NewRow<'a> {
    fn of(grant: &'a TokenSpec) -> Self {
        use super::Selection;
        let mut row = Self {
            kind: TokenKind::Classic,
            user: None,
            app: None,
            installation: None,
            owner: None,
            scopes: None,
            mode: None,
            permissions: None,
            repos: &[],
        };
        let select = |selection: &'a Selection| match selection {
            Selection::All => &[][..],
            Selection::Selected(repos) => repos.as_slice(),
        };
        match grant {
            TokenSpec::Classic { user, scopes } => {
                row.user = Some(*user);
                row.scopes = Some(scopes.to_string());
            }
            TokenSpec::OAuth { user, scopes, app } => {
                row.kind = TokenKind::OAuth;
                row.user = Some(*user);
                row.app = *app;
                row.scopes = Some(scopes.to_string());
            }
            TokenSpec::FineGrained { user, owner, selection, permissions } => {
                row.kind = TokenKind::FineGrained;
                row.user = Some(*user);
                row.owner = Some(*owner);
                row.mode = Some(selection.mode());
                row.permissions = Some(permissions.to_text());
                row.repos = select(selection);
            }
            TokenSpec::AppUser { user, app } => {
                row.kind = TokenKind::AppUser;
                row.user = Some(*user);
                row.app = Some(*app);
            }
            TokenSpec::Installation { app, installation, selection, permissions } => {
                row.kind = TokenKind::Installation;
                row.app = Some(*app);
                row.installation = Some(*installation);
                row.mode = Some(selection.mode());
                row.permissions = Some(permissions.to_text());
                row.repos = select(selection);
            }
        }
        row
    }
}

pub async fn find_by_hash(db: &mut Connection, hash: &[u8; 32]) -> Result<Option<TokenId>, DbError> {
    Ok(db.optional::<(TokenId,)>("select id from token where hash = $1", params![hash]).await?.map(|(id,)| id))
}

/// The tokens of a user, or all; newest first.
pub async fn list(db: &mut Connection, user: Option<AccountId>, limit: i64) -> Result<Vec<StoredToken>, DbError> {
    let sql = "select t.id, t.kind, t.hint, t.note, t.user_id, u.login, t.app_id, t.installation_id, t.scopes, \
               t.permissions, t.created_at, t.expires_at, t.ended_at \
               from token t left join account u on u.id = t.user_id \
               where cast($1 as bigint) is null or t.user_id = $1 order by t.id desc limit $2";
    db.all(sql, params![user, limit]).await
}

/// Ends a token for good. Its row stays, so that the same token cannot be created again.
pub async fn end(db: &mut Transaction, id: TokenId, now: Timestamp) -> Result<u64, DbError> {
    db.execute("update token set ended_at = $2 where id = $1 and ended_at is null", params![id, now]).await
}

/// Ends all expired tokens, so that they stay expired if the clock is set back.
pub async fn end_expired(db: &mut Transaction, now: Timestamp) -> Result<u64, DbError> {
    let sql = "update token set ended_at = $1 where ended_at is null and expires_at is not null and expires_at <= $1";
    db.execute(sql, params![now]).await
}

/// Whether [`end_expired`] would end one.
pub async fn has_expired(db: &mut Connection, now: Timestamp) -> Result<bool, DbError> {
    let sql = "select cast(1 as bigint) from token \
               where ended_at is null and expires_at is not null and expires_at <= $1 limit 1";
    Ok(db.optional::<(i64,)>(sql, params![now]).await?.is_some())
}

/// Whether an active token has this note, so that a state file does not create it again.
pub async fn has_active_note(db: &mut Connection, note: &str, now: Timestamp) -> Result<bool, DbError> {
    let sql = "select cast(1 as bigint) from token where note = $1 and ended_at is null and (expires_at is null or expires_at > $2)";
    Ok(db.optional::<(i64,)>(sql, params![note, now]).await?.is_some())
}
