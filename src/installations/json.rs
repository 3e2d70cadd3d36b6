//! Installations and their tokens on the wire.

use serde::Serialize;

use super::model::{Shown, Someone};
use crate::accounts::json::User;
use crate::accounts::{Account, AccountKind};
use crate::api::shape::{Fields, FromJson};
use crate::apps::EventNames;
use crate::clock::Timestamp;
use crate::ids::{AccountId, AppId, InstallationId, NodeId, RepoId};
use crate::repos::json::Repository;
use crate::tokens::{Level, Permissions, SelectionMode};
use crate::urls::{Url, Urls};

/// How an app narrows the token it asks for; nothing at all means everything.
#[derive(Debug, Clone, Default)]
pub struct NewAccessToken {
    pub repositories: Option<Vec<String>>,
    pub repository_ids: Option<Vec<RepoId>>,
    pub permissions: Permissions,
}

impl FromJson for NewAccessToken {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let names: Option<Option<&[serde_json::Value]>> = fields.optional("repositories");
        let ids: Option<Option<&[serde_json::Value]>> = fields.optional("repository_ids");
        let permissions = fields.optional("permissions");
        let names = list(fields, "repositories", names?, "a string", |item| item.as_str().map(str::to_owned));
        let ids = list(fields, "repository_ids", ids?, "an integer", |item| item.as_i64().map(RepoId));
        let permissions = read_permissions(fields, permissions?);
        Some(Self { repositories: names?, repository_ids: ids?, permissions: permissions? })
    }
}

fn list<T>(
    fields: &mut Fields<'_>,
    name: &str,
    items: Option<&[serde_json::Value]>,
    expected: &str,
    read: impl Fn(&serde_json::Value) -> Option<T>,
) -> Option<Option<Vec<T>>> {
    let Some(items) = items else { return Some(None) };
    let read: Option<Vec<T>> = items.iter().map(read).collect();
    if read.is_none() {
        fields.violation(&format!("{name}/items"), &format!("an item is not {expected}."));
    }
    read.map(Some)
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
                let sentence = format!("{value} is not a member of [\"read\", \"write\", \"admin\"].");
                fields.violation(&format!("permissions/properties/{name}"), &sentence);
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
    pub fn new(total_count: i64, shown: &'a [Shown], urls: &'a Urls) -> Self {
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
    pub fn new(shown: &'a Shown, urls: &'a Urls) -> Self {
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

fn user<'a>(someone: &'a Someone, urls: &'a Urls) -> User<'a> {
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
    pub fn new(app: &'a crate::apps::App, owner: &'a Account, installations_count: i64, urls: &'a Urls) -> Self {
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
