//! Installations and their tokens on the wire.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::json::User;
use crate::repos::json::Repository;
use crate::wire::{Word, words};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, AppId, InstallationId, NodeId};
use plinth_base::urls::{Url, Urls};
use plinth_core::accounts::{Account, AccountKind, AccountSummary};
use plinth_core::apps::EventNames;
use plinth_core::installations::model::InstallationDetails;
use plinth_core::tokens::{Level, Permissions, SelectionMode};

words! { SelectionMode: All, Selected }

/// Levels by the name of the permission.
#[derive(JsonSchema)]
#[schemars(rename = "permissions")]
pub struct PermissionsSchema(#[expect(dead_code, reason = "only its schema is used")] BTreeMap<String, Word<Level>>);

words! { Level: Read, Write, Admin }

/// A new token, the only time that it is shown.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "installation-token")]
pub struct AccessToken<'a> {
    pub token: &'a str,
    pub expires_at: Timestamp,
    #[schemars(with = "PermissionsSchema")]
    pub permissions: &'a Permissions,
    pub repository_selection: Word<SelectionMode>,
    /// Only if the token was restricted to some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repositories: Option<Vec<Repository<'a>>>,
}

/// A page of repositories.
// Clients take the first key besides the other two as the list, so there is no third.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "installation-repositories")]
pub struct Repositories<'a> {
    /// On all pages together.
    total_count: i64,
    repository_selection: Word<SelectionMode>,
    repositories: Vec<Repository<'a>>,
}

impl<'a> Repositories<'a> {
    pub fn new(total_count: i64, selection: SelectionMode, repositories: Vec<Repository<'a>>) -> Self {
        Self { total_count, repository_selection: Word(selection), repositories }
    }
}

/// A page of installations.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "user-installations")]
pub struct Installations<'a> {
    /// On all pages together.
    total_count: i64,
    installations: Vec<Installation<'a>>,
}

impl<'a> Installations<'a> {
    pub fn new(total_count: i64, shown: &'a [InstallationDetails], urls: &'a Urls) -> Self {
        Self { total_count, installations: shown.iter().map(|shown| Installation::new(shown, urls)).collect() }
    }
}

/// The installation of an app on an account.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "installation")]
pub struct Installation<'a> {
    id: InstallationId,
    client_id: &'a str,
    /// The account on which the app is installed.
    account: User<'a>,
    repository_selection: Word<SelectionMode>,
    access_tokens_url: Url<'a>,
    repositories_url: Url<'a>,
    html_url: Url<'a>,
    app_id: AppId,
    app_slug: &'a str,
    /// The account's `id`.
    target_id: AccountId,
    #[schemars(extend("enum" = ["User", "Organization"]))]
    target_type: Word<AccountKind>,
    #[schemars(with = "PermissionsSchema")]
    permissions: &'a Permissions,
    #[schemars(with = "Vec<String>")]
    events: &'a EventNames,
    created_at: Timestamp,
    updated_at: Timestamp,
    single_file_name: Option<&'a str>,
    has_multiple_single_files: bool,
    #[schemars(with = "Vec<String>")]
    single_file_paths: [&'a str; 0],
    suspended_by: Option<User<'a>>,
    suspended_at: Option<Timestamp>,
}

impl<'a> Installation<'a> {
    pub fn new(shown: &'a InstallationDetails, urls: &'a Urls) -> Self {
        let installation = &shown.installation;
        let account = &shown.account;
        Self {
            id: installation.id,
            client_id: &shown.client_id,
            account: user(account, urls),
            repository_selection: Word(installation.repository_selection),
            access_tokens_url: urls.access_tokens(installation.id),
            repositories_url: urls.installation_repositories(),
            html_url: match account.kind {
                AccountKind::Organization => urls.org_installation_page(&account.login, installation.id),
                AccountKind::User | AccountKind::Bot => urls.own_installation_page(installation.id),
            },
            app_id: installation.app_id,
            app_slug: &shown.app_slug,
            target_id: account.id,
            target_type: Word(account.kind),
            permissions: &installation.permissions,
            events: &installation.events,
            created_at: installation.created_at,
            updated_at: installation.updated_at,
            single_file_name: None,
            has_multiple_single_files: false,
            single_file_paths: [],
            suspended_by: shown.suspended_by.as_ref().map(|someone| user(someone, urls)),
            suspended_at: installation.suspended_at,
        }
    }
}

fn user<'a>(someone: &'a AccountSummary, urls: &'a Urls) -> User<'a> {
    User::from_parts(someone.id, someone.kind, &someone.login, someone.site_admin, urls)
}

/// An app.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "app")]
pub struct App<'a> {
    id: AppId,
    client_id: &'a str,
    slug: &'a str,
    node_id: String,
    owner: User<'a>,
    name: &'a str,
    description: Option<&'a str>,
    external_url: Url<'a>,
    html_url: Url<'a>,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[schemars(with = "PermissionsSchema")]
    permissions: &'a Permissions,
    #[schemars(with = "Vec<String>")]
    events: &'a EventNames,
    installations_count: i64,
}

impl<'a> App<'a> {
    pub fn new(app: &'a plinth_core::apps::App, owner: &'a Account, installations_count: i64, urls: &'a Urls) -> Self {
        Self {
            id: app.id,
            client_id: &app.client_id,
            slug: &app.slug,
            node_id: NodeId::new("A", 0).number(app.id.0).finish(),
            owner: User::new(owner, urls),
            name: &app.name,
            description: None,
            external_url: urls.app_page(&app.slug),
            html_url: urls.app_page(&app.slug),
            created_at: app.created_at,
            updated_at: app.updated_at,
            permissions: &app.permissions,
            events: &app.events,
            installations_count,
        }
    }
}
