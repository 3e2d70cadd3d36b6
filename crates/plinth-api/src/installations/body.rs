//! Bodies of the operations on installations.

use schemars::JsonSchema;
use serde_json::Value;

use super::json::PermissionsSchema;
use crate::request::shape::{Fields, FromValue, from_json};
use crate::wire::Word;
use plinth_base::ids::RepoId;
use plinth_core::installations::NewAccessToken;
use plinth_core::tokens::{Level, Permissions};

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateTokenBody {
    /// Names of repositories of the account.
    repositories: Option<Vec<String>>,
    repository_ids: Option<Vec<i64>>,
    /// At most those of the installation.
    #[schemars(with = "Option<PermissionsSchema>")]
    permissions: Option<PermissionsBody>,
}
from_json!(CreateTokenBody { repositories, repository_ids, permissions });

impl From<CreateTokenBody> for NewAccessToken {
    fn from(body: CreateTokenBody) -> Self {
        Self {
            repositories: body.repositories,
            repository_ids: body.repository_ids.map(|ids| ids.into_iter().map(RepoId).collect()),
            permissions: body.permissions.map(|PermissionsBody(permissions)| permissions).unwrap_or_default(),
        }
    }
}

struct PermissionsBody(Permissions);

impl FromValue for PermissionsBody {
    const EXPECTED: &'static str = "an object";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        let Value::Object(object) = value else { return fields.mistyped(name, value, expected) };
        let mut permissions = Some(Permissions::default());
        for (permission, level) in object {
            let name = format!("{name}/properties/{permission}");
            // A level of another type is reported like an unknown word.
            let text = level.as_str().map_or_else(|| level.to_string(), str::to_owned);
            let level = Word::<Level>::from_value(fields, &name, &text.into(), String::EXPECTED);
            permissions = permissions.zip(level).map(|(mut permissions, Word(level))| {
                permissions.insert(permission.clone(), level);
                permissions
            });
        }
        permissions.map(Self)
    }
}
