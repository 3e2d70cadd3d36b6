//! Headers of responses, under this service's name and under the one that existing clients read.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY,
    VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::negotiation::{Media, Version};
use crate::policy::Row;
use plinth_core::access::Rule;
use plinth_core::rate_limit::RateLimit;
use plinth_core::tokens::{Principal, Scope, UserLimits};

const EXPOSED: &str = "ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, \
                       X-RateLimit-Resource, X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, \
                       X-Accepted-GitHub-Permissions, X-GitHub-Media-Type, X-GitHub-Request-Id, \
                       X-GitHub-Api-Version-Selected";

// Constants, because a name given as text is parsed and copied for every response.
const X_GITHUB_REQUEST_ID: HeaderName = HeaderName::from_static("x-github-request-id");
const X_SERVICE_REQUEST_ID: HeaderName = HeaderName::from_static("x-service-request-id");
const X_GITHUB_API_VERSION_SELECTED: HeaderName = HeaderName::from_static("x-github-api-version-selected");
const X_SERVICE_API_VERSION_SELECTED: HeaderName = HeaderName::from_static("x-service-api-version-selected");
const X_GITHUB_MEDIA_TYPE: HeaderName = HeaderName::from_static("x-github-media-type");
const X_SERVICE_MEDIA_TYPE: HeaderName = HeaderName::from_static("x-service-media-type");
const X_RATELIMIT_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_RATELIMIT_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RATELIMIT_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const X_RATELIMIT_USED: HeaderName = HeaderName::from_static("x-ratelimit-used");
const X_RATELIMIT_RESOURCE: HeaderName = HeaderName::from_static("x-ratelimit-resource");
const X_OAUTH_SCOPES: HeaderName = HeaderName::from_static("x-oauth-scopes");
const X_ACCEPTED_OAUTH_SCOPES: HeaderName = HeaderName::from_static("x-accepted-oauth-scopes");
const TOKEN_EXPIRATION: HeaderName = HeaderName::from_static("github-authentication-token-expiration");
const X_ACCEPTED_GITHUB_PERMISSIONS: HeaderName = HeaderName::from_static("x-accepted-github-permissions");
const X_ACCEPTED_SERVICE_PERMISSIONS: HeaderName = HeaderName::from_static("x-accepted-service-permissions");

/// Also for callers without a credential, who get another response when they sign in.
const VARIES_BY: &str = "Accept, Authorization, Cookie, Accept-Encoding, X-Requested-With";

/// The headers that every response has, unless it says something else. A constant, because the bytes of a value are checked
/// when it is made.
const FIXED: [(HeaderName, HeaderValue); 7] = [
    (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
    (ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED)),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("deny")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'")),
    (VARY, HeaderValue::from_static(VARIES_BY)),
];

/// Headers of every response.
pub fn add_common(headers: &mut HeaderMap, request_id: &str) {
    for (name, value) in FIXED {
        headers.entry(name).or_insert(value);
    }
    let id = HeaderValue::try_from(request_id).expect("request ids are letters and digits");
    headers.insert(X_GITHUB_REQUEST_ID, id.clone());
    headers.insert(X_SERVICE_REQUEST_ID, id);
}

/// Headers of the response to a CORS preflight request.
pub fn add_preflight(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, PATCH, PUT, DELETE"));
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(
            "Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, Accept-Encoding, \
             X-GitHub-Api-Version, X-Service-Api-Version, X-Requested-With, User-Agent",
        ),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
}

pub fn add_version(headers: &mut HeaderMap, version: Version) {
    let value = HeaderValue::from_static(version.as_str());
    headers.insert(X_GITHUB_API_VERSION_SELECTED, value.clone());
    headers.insert(X_SERVICE_API_VERSION_SELECTED, value);
}

pub fn add_media(headers: &mut HeaderMap, media: Media) {
    let value = HeaderValue::from_static(media.header());
    headers.insert(X_GITHUB_MEDIA_TYPE, value.clone());
    headers.insert(X_SERVICE_MEDIA_TYPE, value);
}

/// Lets caches store a response, by principal.
pub fn add_caching(headers: &mut HeaderMap, principal: &Principal, status: StatusCode) {
    if (status.is_success() && status != StatusCode::NO_CONTENT) || status == StatusCode::NOT_MODIFIED {
        let value = if matches!(principal, Principal::Anonymous) {
            "public, max-age=60, s-maxage=60"
        } else {
            "private, max-age=60, s-maxage=60"
        };
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static(value));
    }
}

pub fn add_rate_limit(headers: &mut HeaderMap, rate_limit: RateLimit) {
    headers.insert(X_RATELIMIT_LIMIT, rate_limit.limit.into());
    headers.insert(X_RATELIMIT_REMAINING, rate_limit.remaining().into());
    headers.insert(X_RATELIMIT_RESET, rate_limit.reset.0.into());
    headers.insert(X_RATELIMIT_USED, rate_limit.used.into());
    headers.insert(X_RATELIMIT_RESOURCE, HeaderValue::from_static("core"));
}

/// What the token grants, and what the endpoint accepts.
pub fn add_rights(headers: &mut HeaderMap, principal: &Principal, row: Option<&Row>) {
    match principal {
        Principal::Anonymous | Principal::App(_) => {}
        Principal::Installation(_) => add_permissions(headers, row),
        Principal::User(token) => match &token.limits {
            UserLimits::Classic(scopes) | UserLimits::OAuth { scopes, .. } => {
                let granted = HeaderValue::try_from(scopes.to_string());
                headers.insert(X_OAUTH_SCOPES, granted.unwrap_or(HeaderValue::from_static("")));
                let accepted = row.map_or("", |row| accepted_scope(&row.rule));
                headers.insert(X_ACCEPTED_OAUTH_SCOPES, HeaderValue::from_static(accepted));
            }
            UserLimits::AppUser { .. } => {
                headers.insert(X_OAUTH_SCOPES, HeaderValue::from_static(""));
                headers.insert(X_ACCEPTED_OAUTH_SCOPES, HeaderValue::from_static(""));
                add_permissions(headers, row);
            }
            UserLimits::FineGrained { .. } => add_permissions(headers, row),
        },
    }
    let expires_at = match principal {
        Principal::User(token) => token.expires_at,
        Principal::Installation(_) | Principal::Anonymous | Principal::App(_) => None,
    };
    if let Some(moment) = expires_at {
        let text = moment.to_string().replace('T', " ").replace('Z', " UTC");
        let value = HeaderValue::try_from(text).expect("a date is ASCII");
        headers.insert(TOKEN_EXPIRATION, value);
    }
}

fn accepted_scope(rule: &Rule) -> &'static str {
    let scope = match (rule.act_scope, rule.see_scope) {
        // Whoever may see a private repository may act on a public one.
        (None | Some(Scope::PublicRepo | Scope::PublicRepoStatus), Some(wider)) => Some(wider),
        (act, _) => act,
    };
    scope.map_or("", Scope::as_str)
}

fn add_permissions(headers: &mut HeaderMap, row: Option<&Row>) {
    let Some((name, level)) = row.and_then(|row| row.rule.permission) else { return };
    let level = level.as_str();
    let rule = row.map(|row| &row.rule);
    let text = match (rule.and_then(|rule| rule.also), rule.and_then(|rule| rule.alternative)) {
        (Some(also), _) => format!("{name}={level}; {name}={level},{also}={level}"),
        (None, Some(other)) => format!("{name}={level}; {other}={level}"),
        (None, None) => format!("{name}={level}"),
    };
    let value = HeaderValue::try_from(text).expect("permission names are ASCII words");
    headers.insert(X_ACCEPTED_GITHUB_PERMISSIONS, value.clone());
    headers.insert(X_ACCEPTED_SERVICE_PERMISSIONS, value);
}
