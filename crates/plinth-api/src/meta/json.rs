//! What the service says about itself, on the wire.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::negotiation::Version;
use plinth_base::urls::Urls;
use plinth_core::rate_limit;

/// The addresses from which clients find everything else.
pub fn root(urls: &Urls) -> BTreeMap<&'static str, String> {
    const PATHS: &[(&str, &str)] = &[
        ("current_user_url", "/user"),
        ("notifications_url", "/notifications"),
        ("organization_url", "/orgs/{org}"),
        ("rate_limit_url", "/rate_limit"),
        ("repository_url", "/repos/{owner}/{repo}"),
        ("user_url", "/users/{user}"),
        ("user_organizations_url", "/user/orgs"),
        ("user_repositories_url", "/users/{user}/repos{?type,page,per_page,sort}"),
    ];
    PATHS.iter().map(|(name, path)| (*name, format!("{}{path}", urls.api()))).collect()
}

/// Facts about this installation of the service.
#[derive(Serialize)]
pub struct Meta {
    verifiable_password_authentication: bool,
    installed_version: &'static str,
}

impl Default for Meta {
    fn default() -> Self {
        Self { verifiable_password_authentication: false, installed_version: env!("CARGO_PKG_VERSION") }
    }
}

/// The budgets of a caller; every resource of this service draws on one.
#[derive(Serialize)]
pub struct RateLimitOverview {
    resources: BTreeMap<&'static str, Resource>,
    /// Gone in the newer version of the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<Resource>,
}

#[derive(Serialize, Clone, Copy)]
struct Resource {
    limit: i64,
    used: i64,
    remaining: i64,
    reset: i64,
    resource: &'static str,
}

impl RateLimitOverview {
    pub fn new(limit: rate_limit::RateLimit, version: Version) -> Self {
        let resource = |name| Resource {
            limit: limit.limit,
            used: limit.used,
            remaining: limit.remaining(),
            reset: limit.reset.0,
            resource: name,
        };
        let names = ["core", "search", "graphql", "integration_manifest"];
        Self {
            resources: names.into_iter().map(|name| (name, resource(name))).collect(),
            rate: (version == Version::V20221128).then(|| resource("core")),
        }
    }
}
