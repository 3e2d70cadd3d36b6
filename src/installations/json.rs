//! Installations and their tokens on the wire.

use serde::Serialize;

use crate::api::shape::{Fields, FromJson};
use crate::clock::Timestamp;
use crate::ids::RepoId;
use crate::repos::json::Repository;
use crate::tokens::{Level, Permissions};

/// How an app narrows the token it asks for; nothing at all means everything.
#[derive(Debug, Clone, Default)]
pub struct NewAccessToken {
    pub repositories: Option<Vec<String>>,
    pub repository_ids: Option<Vec<RepoId>>,
    pub permissions: Permissions,
}

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
