//! Validation of hooks.

use plinth_base::error::{Code, Error, FieldError, Result};
use url::Url;

use super::model::{ALL_EVENTS, ContentType, Webhook, WebhookOwner};
use super::{ConfigInput, NewWebhook, WebhookChange};
use crate::apps::EventNames;

const RESOURCE: &str = "Hook";
/// The only name that a hook can have.
pub const NAME: &str = "web";
/// What clients see of a secret; a client that sends it back means no change.
pub const MASK: &str = "********";
/// What a hook without a list of events gets.
const DEFAULT_EVENT: &str = "push";
const URL_LENGTH_MAX: usize = 2048;
const SECRET_LENGTH_MAX: usize = 1024;
/// Hooks of one repository or organization with the same event.
pub const HOOKS_PER_EVENT_MAX: usize = 20;
/// More than all hooks that one owner can have, since each has an event.
pub const HOOKS_MAX: i64 = 2_000;

/// The events of GitHub's hooks of repositories and organizations. Names of events that this service never sends are
/// accepted, too, because clients subscribe to whatever they know.
const EVENTS: &[&str] = &[
    ALL_EVENTS,
    "branch_protection_configuration",
    "branch_protection_rule",
    "check_run",
    "check_suite",
    "code_scanning_alert",
    "commit_comment",
    "create",
    "custom_property_values",
    "delete",
    "dependabot_alert",
    "deploy_key",
    "deployment",
    "deployment_status",
    "discussion",
    "discussion_comment",
    "fork",
    "gollum",
    "issue_comment",
    "issue_dependencies",
    "issues",
    "label",
    "member",
    "meta",
    "milestone",
    "package",
    "page_build",
    "ping",
    "project",
    "project_card",
    "project_column",
    "public",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "registry_package",
    "release",
    "repository",
    "repository_advisory",
    "repository_import",
    "repository_ruleset",
    "repository_vulnerability_alert",
    "secret_scanning_alert",
    "secret_scanning_alert_location",
    "secret_scanning_scan",
    "security_and_analysis",
    "star",
    "status",
    "sub_issues",
    "team_add",
    "watch",
    "workflow_job",
    "workflow_run",
];
/// Events that only organizations have.
const ORG_EVENTS: &[&str] = &[
    "custom_property",
    "membership",
    "org_block",
    "organization",
    "personal_access_token_request",
    "projects_v2",
    "projects_v2_item",
    "projects_v2_status_update",
    "team",
];

/// Checks the input to create a hook.
pub fn check_new(owner: WebhookOwner, new: &NewWebhook) -> Result<()> {
    let mut errors = Vec::new();
    check_name(new.name.as_deref(), &mut errors);
    check_url_is_there(&new.config, &mut errors);
    check_config(&new.config, &mut errors);
    check_events(owner, new.events.iter().flatten(), &mut errors);
    finish(errors)
}

/// Checks the input to change a hook.
pub fn check_change(owner: WebhookOwner, change: &WebhookChange) -> Result<()> {
    let mut errors = Vec::new();
    check_name(change.name.as_deref(), &mut errors);
    if let Some(config) = &change.config {
        check_url_is_there(config, &mut errors);
        check_config(config, &mut errors);
    }
    check_events(owner, change.events.iter().flatten().chain(&change.add_events), &mut errors);
    finish(errors)
}

/// Checks the input to change some parts of a configuration.
pub fn check_partial_config(config: &ConfigInput) -> Result<()> {
    let mut errors = Vec::new();
    check_config(config, &mut errors);
    finish(errors)
}

fn finish(errors: Vec<FieldError>) -> Result<()> {
    if errors.is_empty() { Ok(()) } else { Err(Error::Invalid(errors)) }
}

fn check_name(name: Option<&str>, errors: &mut Vec<FieldError>) {
    if name.is_some_and(|name| name != NAME) {
        errors.push(FieldError::new(RESOURCE, "name", Code::Invalid));
    }
}

fn check_url_is_there(config: &ConfigInput, errors: &mut Vec<FieldError>) {
    if config.url.as_deref().is_none_or(str::is_empty) {
        errors.push(custom("Config must contain URL for webhooks"));
    }
}

fn check_config(config: &ConfigInput, errors: &mut Vec<FieldError>) {
    if let Some(url) = config.url.as_deref().filter(|url| !url.is_empty())
        && let Err(message) = check_url(url)
    {
        errors.push(custom(message));
    }
    if config.secret.as_ref().is_some_and(|secret| secret.reveal().len() > SECRET_LENGTH_MAX) {
        errors.push(custom(format!("Secret is too long (maximum is {SECRET_LENGTH_MAX} bytes)")));
    }
    if config.secret.as_ref().is_some_and(|secret| secret.reveal().contains('\0')) {
        errors.push(custom("Secret contains a character that is not allowed"));
    }
}

fn check_url(text: &str) -> Result<(), String> {
    const INVALID: &str =
        "The URL you've entered is not valid. Please make sure that you encode all special characters first";
    if text.len() > URL_LENGTH_MAX {
        return Err(format!("URL is too long (maximum is {URL_LENGTH_MAX} characters)"));
    }
    // The parser of URLs ignores these, and the stored text would not be what was checked.
    if text.contains(|character: char| character.is_control() || character.is_whitespace()) {
        return Err(INVALID.into());
    }
    let url = Url::parse(text).map_err(|_| INVALID.to_owned())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(INVALID.into());
    }
    if !url.has_host() {
        return Err(INVALID.into());
    }
    // Whoever reads the hook would see them.
    if !url.username().is_empty() || url.password().is_some() {
        return Err("The URL must not contain a user name or a password".into());
    }
    Ok(())
}

fn check_events<'a>(owner: WebhookOwner, names: impl Iterator<Item = &'a String>, errors: &mut Vec<FieldError>) {
    for name in names {
        let of_org = matches!(owner, WebhookOwner::Org(_)) && ORG_EVENTS.contains(&name.as_str());
        if !EVENTS.contains(&name.as_str()) && !of_org {
            let shown: String = name.chars().take(64).collect();
            let message = format!("{shown:?} is not the name of an event");
            errors.push(FieldError::new(RESOURCE, "events", Code::InvalidBecause(message)));
            return;
        }
    }
}

/// The events of a new hook, without repetitions. Those of an app are in the row of the app.
pub fn events_of_new(owner: WebhookOwner, events: Option<&[String]>) -> EventNames {
    match (owner, events) {
        (WebhookOwner::App(_), _) => EventNames::default(),
        (_, Some(events)) if !events.is_empty() => without_repetitions(events),
        (_, Some(_) | None) => EventNames(vec![DEFAULT_EVENT.to_owned()]),
    }
}

/// The events of a hook after a change.
pub fn changed_events(current: &EventNames, change: &WebhookChange) -> Result<EventNames> {
    let mut events = change.events.clone().unwrap_or_else(|| current.0.clone());
    events.extend(change.add_events.iter().cloned());
    events.retain(|name| !change.remove_events.contains(name));
    if events.is_empty() {
        return Err(Error::Invalid(vec![custom("A hook must have at least one event")]));
    }
    Ok(without_repetitions(&events))
}

fn without_repetitions(names: &[String]) -> EventNames {
    let mut events: Vec<String> = Vec::new();
    for name in names {
        if !events.contains(name) {
            events.push(name.clone());
        }
    }
    EventNames(events)
}

/// Checks a hook against the others of its owner: the same configuration may not have the same event twice, and an event
/// has a limited number of hooks.
pub fn check_among(hook: &Webhook, others: &[Webhook]) -> Result<()> {
    let others = || others.iter().filter(|other| other.id != hook.id);
    if others().any(|other| is_same_receiver(hook, other) && overlap(&hook.events, &other.events)) {
        let target = match hook.owner {
            WebhookOwner::Repo(_) => "repository",
            WebhookOwner::Org(_) => "organization",
            WebhookOwner::App(_) => "app",
        };
        return Err(Error::Invalid(vec![custom(format!("Hook already exists on this {target}"))]));
    }
    for event in &hook.events.0 {
        if others().filter(|other| other.events.0.contains(event)).count() >= HOOKS_PER_EVENT_MAX {
            let message = format!("The {event:?} event cannot have more than {HOOKS_PER_EVENT_MAX} hooks");
            return Err(Error::Invalid(vec![custom(message)]));
        }
    }
    Ok(())
}

fn is_same_receiver(one: &Webhook, other: &Webhook) -> bool {
    one.url == other.url && one.content_type == other.content_type && one.insecure_ssl == other.insecure_ssl
}

fn overlap(one: &EventNames, other: &EventNames) -> bool {
    let all = |events: &EventNames| events.0.iter().any(|name| name == ALL_EVENTS);
    all(one) || all(other) || one.0.iter().any(|name| other.0.contains(name))
}

/// The encoding of a hook whose configuration names none. Deliveries to apps are JSON.
pub fn default_content_type(owner: WebhookOwner) -> ContentType {
    match owner {
        WebhookOwner::Repo(_) | WebhookOwner::Org(_) => ContentType::Form,
        WebhookOwner::App(_) => ContentType::Json,
    }
}

/// GitHub reports these without a field.
fn custom(message: impl Into<String>) -> FieldError {
    FieldError::new(RESOURCE, "", Code::Custom(message.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_url_accepts_web_urls_without_credentials() {
        for good in ["http://example.com", "https://example.com:8443/a?b=c#d", "http://127.0.0.1:80/", "http://[::1]/x"]
        {
            assert_eq!(check_url(good), Ok(()), "{good}");
        }
        for bad in [
            "example.com",
            "ftp://example.com",
            "javascript:alert(1)",
            "http://",
            "http://a b",
            "http://example.com/\n",
            "http://me:secret@example.com",
            "http://me@example.com",
            &format!("http://example.com/{}", "a".repeat(URL_LENGTH_MAX)),
        ] {
            assert!(check_url(bad).is_err(), "{bad}");
        }
    }
}
