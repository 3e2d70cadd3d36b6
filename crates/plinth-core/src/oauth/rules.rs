//! Validation of device codes, in an order that reveals nothing to others.

use super::model::{Decision, DeviceCode, OAuthError, SLOW_DOWN_SECONDS};
use crate::apps::{App, AppKind};
use crate::tokens::{self, Level, Permissions, Scope, Scopes};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Code, Error, Result};
use plinth_base::ids::AccountId;

pub const GRANT_TYPE: &str = "urn:ietf:params:oauth:grant-type:device_code";
const SCOPES_LENGTH_MAX: usize = 1000;
const CONFIRMATION_BYTES: usize = 16;

/// The user who approved the code, or why there is no token.
pub fn check_code(code: &DeviceCode, now: Timestamp) -> Result<AccountId, OAuthError> {
    if code.expires_at <= now {
        return Err(OAuthError::ExpiredToken);
    }
    if code.decision == Some(Decision::Deny) {
        return Err(OAuthError::AccessDenied);
    }
    let wait_until = code.polled_at.map(|moment| moment.plus_seconds(code.interval_seconds));
    if wait_until.is_some_and(|moment| now < moment) {
        return Err(OAuthError::SlowDown { interval: code.interval_seconds + SLOW_DOWN_SECONDS });
    }
    match (code.decision, code.user_id) {
        (Some(Decision::Approve), Some(user)) => Ok(user),
        _ => Err(OAuthError::AuthorizationPending),
    }
}

/// Parses the scopes that a device requests, separated by spaces or commas.
pub fn scopes(text: &str) -> Result<Scopes, OAuthError> {
    let good = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b':' | b'_' | b'-' | b',' | b' ');
    if text.len() > SCOPES_LENGTH_MAX || !text.bytes().all(good) {
        return Err(OAuthError::InvalidScope);
    }
    Ok(Scopes::new(text.split([' ', ',']).map(str::to_owned)))
}

/// The stored form of a user code, however the user types it.
pub fn user_code(typed: &str) -> String {
    let letters: String = typed.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect();
    match letters.split_at_checked(letters.len() / 2) {
        Some((first, second)) => format!("{first}-{second}"),
        None => letters,
    }
}

/// A token cannot grant more than it may do itself.
pub fn check_may_approve(own: &Scopes, app: Option<&App>, requested: &Scopes) -> Result<()> {
    let missing = missing_scopes(own, app, requested);
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::Forbidden(format!("To approve this device the token needs the scopes {}", missing.join(", "))))
}

/// The scopes that a token lacks to grant what the device requests.
pub fn missing_scopes(own: &Scopes, app: Option<&App>, requested: &Scopes) -> Vec<String> {
    match app.filter(|app| app.kind == AppKind::GitHubApp) {
        None => own.missing_of(requested),
        Some(app) => {
            let missing = scopes_of(&app.permissions).into_iter().filter(|scope| !own.grant(*scope));
            missing.map(|scope| scope.as_str().to_owned()).collect()
        }
    }
}

/// The scopes with which a classic token can do everything that an app with these permissions can do.
fn scopes_of(permissions: &Permissions) -> Vec<Scope> {
    let mut scopes = vec![Scope::Repo];
    for name in permissions.names() {
        let scope = match name {
            "organization_projects" => Scope::Project,
            "issue_fields" | "members" => Scope::AdminOrg,
            "workflows" => Scope::Workflow,
            // It allows an app to delete repositories.
            "administration" if permissions.allows(name, Level::Write) => Scope::DeleteRepo,
            name if name.starts_with("organization_") => Scope::AdminOrg,
            _ => Scope::Repo,
        };
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    scopes
}

/// A hash of everything that an approval grants. The user sends it back, so that exactly what they saw is approved.
pub fn confirmation(user: AccountId, app: Option<&App>, requested: &Scopes) -> String {
    let text = match app {
        None => format!("{user} browser scopes {requested}"),
        Some(app) if app.kind == AppKind::OAuth => format!("{user} {} scopes {requested}", app.id),
        Some(app) => format!("{user} {} permissions {}", app.id, app.permissions.to_text()),
    };
    let hash = tokens::hash(&text);
    hash.iter().take(CONFIRMATION_BYTES).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Rejects the approval of anything but the current request.
pub fn check_confirmation(sent: Option<&str>, expected: &str) -> Result<()> {
    match sent {
        Some(sent) if sent == expected => Ok(()),
        Some(_) => Err(Error::Conflict("The device asks for something else now; look at it again".into())),
        None => Err(Error::invalid("Device", "confirmation", Code::MissingField)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plinth_base::ids::AppId;

    const NOW: Timestamp = Timestamp(1_000);

    fn code(polled: Option<i64>, decision: Option<Decision>, expires: i64) -> DeviceCode {
        DeviceCode {
            id: 1,
            user_code: "BCDF-GHJK".into(),
            app_id: Some(AppId(1)),
            scopes: String::new(),
            interval_seconds: 5,
            expires_at: Timestamp(expires),
            polled_at: polled.map(Timestamp),
            decision,
            user_id: decision.map(|_| AccountId(7)),
        }
    }

    #[test]
    fn check_code_reports_expiry_then_denial_then_slow_down() {
        use Decision::{Approve, Deny};
        let slow = Err(OAuthError::SlowDown { interval: 10 });
        for (polled, decision, expires, expected) in [
            (None, None, 2_000, Err(OAuthError::AuthorizationPending)),
            (Some(995), None, 2_000, Err(OAuthError::AuthorizationPending)),
            (Some(996), None, 2_000, slow),
            (Some(996), Some(Approve), 2_000, slow),
            (Some(995), Some(Approve), 2_000, Ok(AccountId(7))),
            (None, Some(Approve), 2_000, Ok(AccountId(7))),
            (Some(996), Some(Deny), 2_000, Err(OAuthError::AccessDenied)),
            (None, Some(Approve), 1_000, Err(OAuthError::ExpiredToken)),
            (None, Some(Deny), 1_000, Err(OAuthError::ExpiredToken)),
            (None, None, 1_001, Err(OAuthError::AuthorizationPending)),
        ] {
            assert_eq!(
                check_code(&code(polled, decision, expires), NOW),
                expected,
                "{polled:?} {decision:?} {expires}"
            );
        }
    }

    #[test]
    fn user_code_ignores_case_and_separators() {
        for typed in ["BCDF-GHJK", "bcdfghjk", " bcdf ghjk ", "B-C-D-F-G-H-J-K"] {
            assert_eq!(user_code(typed), "BCDF-GHJK");
        }
        assert_eq!(user_code(""), "-");
    }

    #[test]
    fn scopes_are_separated_by_spaces_or_commas() {
        assert_eq!(scopes("repo read:org,gist").map(|scopes| scopes.to_string()), Ok("gist, read:org, repo".into()));
        assert_eq!(scopes("").map(|scopes| scopes.to_string()), Ok(String::new()));
        for bad in ["repo\r\nx", "Repo", "é", &"a".repeat(1001)] {
            assert_eq!(scopes(bad), Err(OAuthError::InvalidScope));
        }
    }
}
