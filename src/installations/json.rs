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
