//! Who may call an operation, from its rule.

use serde_json::{Map, Value, json};

use plinth_core::access::{Action, Anonymous, Kind, Rule};
use plinth_core::tokens::Scope;

/// The kinds of credential with their names in the document and in sentences.
const KINDS: &[(Kind, &str, &str, &str)] = &[
    (Kind::Classic, "classic", "classic", "A personal token with scopes, `ghp_…`."),
    (
        Kind::FineGrained,
        "fine-grained",
        "fine-grained",
        "A personal token for one owner with permissions, `github_pat_…`.",
    ),
    (Kind::OAuth, "oauth-app", "OAuth app", "A token that a user gave to an OAuth app, `gho_…`."),
    (Kind::AppUser, "app-user", "app user", "A token with which an app acts for a user, `ghu_…`."),
    (
        Kind::Installation,
        "installation",
        "installation",
        "A token with which an app acts for itself, `ghs_…`, for 60 minutes.",
    ),
    (Kind::AppJwt, "app-jwt", "app (JSON web)", "A JSON web token that an app signs with its key."),
];

/// One scheme for each kind; all of them go into the `Authorization` header after `Bearer`.
pub fn schemes() -> Value {
    let schemes = KINDS.iter().map(|(_, name, _, about)| {
        ((*name).to_owned(), json!({ "type": "http", "scheme": "bearer", "description": about }))
    });
    Value::Object(schemes.collect())
}

/// The accepted kinds as alternatives, with scopes for the two kinds that have them.
pub fn security(rule: &Rule) -> Value {
    let mut alternatives: Vec<Value> = accepted(rule)
        .map(|(kind, name, _)| {
            let scopes = if has_scopes(kind) { scopes(rule) } else { Vec::new() };
            let mut alternative = Map::new();
            alternative.insert(name.to_owned(), scopes.into());
            Value::Object(alternative)
        })
        .collect();
    if rule.anonymous == Anonymous::SeesPublic {
        alternatives.push(json!({}));
    }
    alternatives.into()
}

/// The same for programs that show it.
pub fn access(rule: &Rule) -> Value {
    let tokens: Vec<&str> = accepted(rule).map(|(_, name, _)| name).collect();
    let mut access = json!({ "tokens": tokens, "anonymous": rule.anonymous == Anonymous::SeesPublic });
    if !scopes(rule).is_empty() && accepted(rule).any(|(kind, _, _)| has_scopes(kind)) {
        access["scopes"] = scopes(rule).into();
    }
    if let Some((name, level)) = rule.permission {
        access["permission"] = format!("{name}: {}", level.as_str()).into();
    }
    access
}

/// The same for people.
pub fn sentence(rule: &Rule) -> String {
    let names: Vec<&str> = accepted(rule).map(|(_, _, words)| words).collect();
    let mut text = format!("Works with {} tokens", list(&names));
    match (rule.anonymous, rule.action) {
        (Anonymous::SeesPublic, Action::Read) => text.push_str(", and without a token for public resources."),
        (Anonymous::SeesPublic, Action::Write) => text.push_str(", and without a token."),
        (Anonymous::RejectedWhereVisible | Anonymous::Rejected, _) => text.push('.'),
    }
    let scopes = scopes(rule);
    if !scopes.is_empty() && accepted(rule).any(|(kind, _, _)| has_scopes(kind)) {
        let quoted: Vec<String> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
        let what = if rule.action == Action::Read && !rule.members_only { " for private resources" } else { "" };
        text.push_str(&format!(" Classic and OAuth app tokens need the scope {}{what}.", quoted.join(" and ")));
    }
    if let Some((name, level)) = rule.permission {
        let level = level.as_str();
        let other =
            rule.alternative.map(|other| format!(", or for pull requests `{other}: {level}`")).unwrap_or_default();
        text.push_str(&format!(" Fine-grained tokens and apps need the permission `{name}: {level}`{other}."));
    }
    text
}

fn accepted(rule: &Rule) -> impl Iterator<Item = (Kind, &'static str, &'static str)> {
    let kinds = rule.kinds;
    KINDS.iter().filter(move |(kind, ..)| kinds.contains(*kind)).map(|(kind, name, words, _)| (*kind, *name, *words))
}

fn has_scopes(kind: Kind) -> bool {
    matches!(kind, Kind::Classic | Kind::OAuth)
}

/// The scope that acting takes says it all; without one, the scope that seeing takes.
fn scopes(rule: &Rule) -> Vec<&'static str> {
    rule.act_scope.or(rule.see_scope).map(Scope::as_str).into_iter().collect()
}

/// `a, b and c`.
fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
