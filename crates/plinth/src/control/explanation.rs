//! Why a request was rejected, for people who write tests.

use super::requests::LoggedRequest;
use plinth_api::policy::Row;
use plinth_core::access::{Action, Kind, Rule};

/// Every kind of credential, with its name in an explanation.
const KINDS: [(Kind, &str); 6] = [
    (Kind::Classic, "classic tokens"),
    (Kind::OAuth, "OAuth tokens"),
    (Kind::FineGrained, "fine-grained tokens"),
    (Kind::AppUser, "tokens of a user for an app"),
    (Kind::Installation, "installation tokens"),
    (Kind::AppJwt, "JSON web tokens of apps"),
];

/// Which rule has rejected a request, and what would satisfy it. Nothing if rights do not matter.
pub fn explain(logged: &LoggedRequest, row: Option<&Row>) -> Option<String> {
    let Some(row) = row.filter(|_| matches!(logged.status, Some(401 | 403 | 404))) else {
        let nearest = logged.nearest.as_ref()?;
        return Some(format!("no operation has this method and path; the nearest is {nearest}"));
    };
    let caller = match &logged.caller {
        None => "the request has no valid credential".to_owned(),
        Some(caller) => format!("the caller is {} with the credential {}", caller.name, caller.credential),
    };
    let hidden = match logged.status {
        Some(404) => "; 404 also means that it does not exist",
        _ => "",
    };
    Some(format!("{}: {}; {caller}{hidden}", row.operation, requirements(&row.rule)))
}

fn requirements(rule: &Rule) -> String {
    let accepted: Vec<&str> =
        KINDS.iter().filter(|(kind, _)| rule.kinds.contains(*kind)).map(|(_, name)| *name).collect();
    let mut parts = vec![format!("accepts {}", accepted.join(", "))];
    let scope = rule.act_scope.filter(|_| rule.action == Action::Write).or(rule.see_scope);
    if let Some(scope) = scope {
        parts.push(format!("classic and OAuth tokens need the scope {}", scope.as_str()));
    }
    if let Some((name, level)) = rule.permission {
        let alternative = rule.alternative.map(|other| format!(" or {other}: {}", level.as_str())).unwrap_or_default();
        parts.push(format!("other tokens need the permission {name}: {}{alternative}", level.as_str()));
    }
    let (role, verb) = match rule.action {
        Action::Read => (rule.see_role, "see a private resource"),
        Action::Write => (rule.act_role, "do this"),
    };
    parts.push(format!("a user needs the role {} to {verb}", role.as_str()));
    parts.join("; ")
}
