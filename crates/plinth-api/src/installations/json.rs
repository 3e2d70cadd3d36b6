//! Installations and their tokens on the wire.

use plinth_core::installations::NewAccessToken;
use serde::Serialize;

use crate::accounts::json::User;
use crate::repos::json::Repository;
use crate::request::shape::{Fields, FromJson};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, AppId, InstallationId, NodeId, RepoId};
use plinth_base::urls::{Url, Urls};
use plinth_core::accounts::{Account, AccountKind, AccountSummary};
use plinth_core::apps::EventNames;
use plinth_core::installations::model::InstallationDetails;
use plinth_core::tokens::{Level, Permissions, SelectionMode};

impl FromJson for NewAccessToken {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let names = fields.optional("repositories");
        let ids = fields.optional("repository_ids");
        let permissions = fields.optional("permissions");
        let names = names?.map(|list| fields.values("repositories", list));
        let ids = ids?.map(|list| fields.values("repository_ids", list));
        let permissions = read_permissions(fields, permissions?);
        let ids = present(ids)?.map(|ids: Vec<i64>| ids.into_iter().map(RepoId).collect());
        Some(Self { repositories: present(names)?, repository_ids: ids, permissions: permissions? })
    }
}

/// What was left out is fine; what was there and wrong is not.
fn present<T>(read: Option<Option<T>>) -> Option<Option<T>> {
    match read {
        None => Some(None),
        Some(read) => read.map(Some),
    }
}

fn read_permissions(
    fields: &mut Fields<'_>,
    object: Option<&serde_json::Map<String, serde_json::Value>>,
) -> Option<Permissions> {
    let mut permissions = Some(Permissions::default());
    for (name, value) in object.into_iter().flatten() {
        match serde_json::from_value::<Level>(value.clone()) {
            Ok(level) => permissions.iter_mut().for_each(|all| all.insert(name.clone(), level)),
            Err(_) => {
                let place = format!("permissions/properties/{name}");
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                fields.choice(&place, &text, &["read", "write", "admin"]);
                permissions = None;
            }
        }
    }
    permissions
}

/// A new token, the only time it is shown.
#[derive(Serialize)]
pub struct AccessToken<'a> {
    pub token: &'a str,
    pub expires_at: Timestamp,
    pub permissions: &'a Permissions,
    pub repository_selection: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repositories: Option<Vec<Repository<'a>>>,
}

/// A page of repositories. Clients take the first key besides these two as the list, so there is no other.
#[derive(Serialize)]
pub struct Repositories<'a> {
    total_count: i64,
    repository_selection: &'static str,
    repositories: Vec<Repository<'a>>,
}

impl<'a> Repositories<'a> {
    pub fn new(total_count: i64, selection: SelectionMode, repositories: Vec<Repository<'a>>) -> Self {
        Self { total_count, repository_selection: selection.as_str(), repositories }
    }
}

/// A page of installations.
#[derive(Serialize)]
pub struct Installations<'a> {
    total_count: i64,
    installations: Vec<Installation<'a>>,
}

impl<'a> Installations<'a> {
    pub fn new(total_count: i64, shown: &'a [InstallationDetails], urls: &'a Urls) -> Self {
        Self { total_count, installations: shown.iter().map(|shown| Installation::new(shown, urls)).collect() }
    }
}

/// The whole installation object.
#[derive(Serialize)]
pub struct Installation<'a> {
    id: InstallationId,
    client_id: &'a str,
    account: User<'a>,
    repository_selection: &'static str,
    access_tokens_url: Url<'a>,
    repositories_url: Url<'a>,
    html_url: Url<'a>,
    app_id: AppId,
    app_slug: &'a str,
    target_id: AccountId,
    target_type: &'static str,
    permissions: &'a Permissions,
    events: &'a EventNames,
    created_at: Timestamp,
    updated_at: Timestamp,
    single_file_name: Option<&'a str>,
    has_multiple_single_files: bool,
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
            repository_selection: installation.repository_selection.as_str(),
            access_tokens_url: urls.access_tokens(installation.id),
            repositories_url: urls.installation_repositories(),
            html_url: match account.kind {
                AccountKind::Organization => urls.org_installation_page(&account.login, installation.id),
                AccountKind::User | AccountKind::Bot => urls.own_installation_page(installation.id),
            },
            app_id: installation.app_id,
            app_slug: &shown.app_slug,
            target_id: account.id,
            target_type: account.kind.as_str(),
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

/// The app itself, as it sees itself.
#[derive(Serialize)]
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
    permissions: &'a Permissions,
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
