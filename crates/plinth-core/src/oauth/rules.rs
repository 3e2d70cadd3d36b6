//! Judgement about device codes: pure, in the order in which nothing is given away.

use super::model::{Decision, DeviceCode, Refusal, SLOW_DOWN_SECONDS};
use crate::apps::{App, AppKind};
use crate::tokens::{self, Level, Permissions, Scope, Scopes};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Code, Error, Result};
use plinth_base::ids::AccountId;

pub const GRANT_TYPE: &str = "urn:ietf:params:oauth:grant-type:device_code";
const SCOPES_LENGTH_MAX: usize = 1000;
const CONFIRMATION_BYTES: usize = 16;

/// Whether the code has become a token for this user, or why not.
pub fn judge(code: &DeviceCode, now: Timestamp) -> Result<AccountId, Refusal> {
    if code.expires_at <= now {
        return Err(Refusal::ExpiredToken);
    }
    if code.decision == Some(Decision::Deny) {
        return Err(Refusal::AccessDenied);
    }
    let wait_until = code.polled_at.map(|moment| moment.plus_seconds(code.interval_seconds));
    if wait_until.is_some_and(|moment| now < moment) {
        return Err(Refusal::SlowDown { interval: code.interval_seconds + SLOW_DOWN_SECONDS });
    }
    match (code.decision, code.user_id) {
        (Some(Decision::Approve), Some(user)) => Ok(user),
        _ => Err(Refusal::AuthorizationPending),
    }
}

/// The scopes that a device asks for, separated by blanks or commas.
pub fn scopes(text: &str) -> Result<Scopes, Refusal> {
    let good = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b':' | b'_' | b'-' | b',' | b' ');
    if text.len() > SCOPES_LENGTH_MAX || !text.bytes().all(good) {
        return Err(Refusal::InvalidScope);
    }
    Ok(Scopes::new(text.split([' ', ',']).map(str::to_owned)))
}

/// The code as it is kept, however a person types it.
pub fn user_code(typed: &str) -> String {
    let letters: String = typed.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect();
    match letters.split_at_checked(letters.len() / 2) {
        Some((first, second)) => format!("{first}-{second}"),
        None => letters,
    }
}

/// A token cannot approve more than it may do itself.
pub fn check_may_approve(held: &Scopes, app: &App, asked: &Scopes) -> Result<()> {
    let missing = missing_scopes(held, app, asked);
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::Forbidden(format!("To approve this device the token needs the scopes {}", missing.join(", "))))
}

/// The scopes that a token lacks to do what the device asks for.
pub fn missing_scopes(held: &Scopes, app: &App, asked: &Scopes) -> Vec<String> {
    match app.kind {
        AppKind::OAuth => held.missing_of(asked),
        AppKind::GitHubApp => {
            let missing = scopes_of(&app.permissions).into_iter().filter(|scope| !held.grant(*scope));
            missing.map(|scope| scope.as_str().to_owned()).collect()
        }
    }
}

/// What a classic token needs to do what an app with these permissions can do for its user.
fn scopes_of(permissions: &Permissions) -> Vec<Scope> {
    let mut scopes = vec![Scope::Repo];
    for name in permissions.names() {
        let scope = match name {
            "organization_projects" => Scope::Project,
            "issue_fields" | "members" => Scope::AdminOrg,
            "workflows" => Scope::Workflow,
            // With it an app deletes repositories.
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

/// What an approval gives away, in a form that changes with each part of it: who approves names what they saw, so that
/// nothing else is approved.
pub fn confirmation(user: AccountId, app: &App, asked: &Scopes) -> String {
    let text = match app.kind {
        AppKind::OAuth => format!("{user} {} scopes {asked}", app.id),
        AppKind::GitHubApp => format!("{user} {} permissions {}", app.id, app.permissions.to_text()),
    };
    let hash = tokens::hash(&text);
    hash.iter().take(CONFIRMATION_BYTES).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Refuses an approval of something else than what is asked for now.
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
            app_id: AppId(1),
            scopes: String::new(),
            interval_seconds: 5,
            expires_at: Timestamp(expires),
            polled_at: polled.map(Timestamp),
            decision,
            user_id: decision.map(|_| AccountId(7)),
        }
    }

    #[test]
    fn a_code_is_judged_in_one_order() {
        use Decision::{Approve, Deny};
        let slow = Err(Refusal::SlowDown { interval: 10 });
        for (polled, decision, expires, verdict) in [
            (None, None, 2_000, Err(Refusal::AuthorizationPending)),
            (Some(995), None, 2_000, Err(Refusal::AuthorizationPending)),
            (Some(996), None, 2_000, slow),
            (Some(996), Some(Approve), 2_000, slow),
            (Some(995), Some(Approve), 2_000, Ok(AccountId(7))),
            (None, Some(Approve), 2_000, Ok(AccountId(7))),
            (Some(996), Some(Deny), 2_000, Err(Refusal::AccessDenied)),
            (None, Some(Approve), 1_000, Err(Refusal::ExpiredToken)),
            (None, Some(Deny), 1_000, Err(Refusal::ExpiredToken)),
            (None, None, 1_001, Err(Refusal::AuthorizationPending)),
        ] {
            assert_eq!(judge(&code(polled, decision, expires), NOW), verdict, "{polled:?} {decision:?} {expires}");
        }
    }

    #[test]
    fn a_code_is_read_however_it_is_typed() {
        for typed in ["BCDF-GHJK", "bcdfghjk", " bcdf ghjk ", "B-C-D-F-G-H-J-K"] {
            assert_eq!(user_code(typed), "BCDF-GHJK");
        }
        assert_eq!(user_code(""), "-");
    }

    #[test]
    fn scopes_come_with_blanks_or_commas() {
        assert_eq!(scopes("repo read:org,gist").map(|scopes| scopes.to_string()), Ok("gist, read:org, repo".into()));
        assert_eq!(scopes("").map(|scopes| scopes.to_string()), Ok(String::new()));
        for bad in ["repo\r\nx", "Repo", "é", &"a".repeat(1001)] {
            assert_eq!(scopes(bad), Err(Refusal::InvalidScope));
        }
    }
}
