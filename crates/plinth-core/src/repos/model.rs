//! Repositories as they are stored.

use crate::accounts::AccountKind;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::from_row;

/// A repository, with the parts of its owner that every response shows.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Repo {
    pub id: RepoId,
    pub owner_id: AccountId,
    pub owner_login: String,
    pub owner_kind: AccountKind,
    pub owner_site_admin: bool,
    pub name: String,
    pub description: Option<String>,
    pub private: bool,
    pub archived: bool,
    pub default_branch: String,
    pub ref_generation: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub pushed_at: Option<Timestamp>,
    pub homepage: Option<String>,
    /// Names with a space between them.
    #[serde(default)]
    pub topics: String,
    /// The key of the licence. This and what follows is computed from the content.
    #[serde(default)]
    pub license: Option<String>,
    #[serde(default)]
    pub language: Option<String>,
    /// In KiB.
    #[serde(default)]
    pub size: i64,
}

/// The columns of a repository that pushes change. Nobody's rights depend on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentColumns {
    pub ref_generation: i64,
    pub pushed_at: Option<Timestamp>,
    pub license: Option<String>,
    pub language: Option<String>,
    pub size: i64,
}

impl Repo {
    pub fn with_content(self, content: ContentColumns) -> Self {
        let ContentColumns { ref_generation, pushed_at, license, language, size } = content;
        Self { ref_generation, pushed_at, license, language, size, ..self }
    }
}

from_row!(ContentColumns { ref_generation, pushed_at, license, language, size });
from_row!(Repo {
    id,
    owner_id,
    owner_login,
    owner_kind,
    owner_site_admin,
    name,
    description,
    private,
    archived,
    default_branch,
    ref_generation,
    created_at,
    updated_at,
    pushed_at,
    homepage,
    topics,
    license,
    language,
    size,
});

#[cfg(test)]
mod tests {
    use plinth_store::{Effect, WriteAction};

    use super::*;

    /// Otherwise a cached repository would keep a column that a push has changed.
    #[test]
    fn content_columns_are_those_that_change_without_rights() {
        let (id, owner_id, created_at) = (RepoId(1), AccountId(2), Timestamp(3));
        let before = Repo {
            id,
            owner_id,
            owner_login: "mona".into(),
            owner_kind: AccountKind::User,
            owner_site_admin: false,
            name: "rocket".into(),
            description: None,
            private: false,
            archived: false,
            default_branch: "main".into(),
            ref_generation: 0,
            created_at,
            updated_at: created_at,
            pushed_at: None,
            homepage: None,
            topics: String::new(),
            license: None,
            language: None,
            size: 0,
        };
        let content = ContentColumns {
            ref_generation: 1,
            pushed_at: Some(Timestamp(4)),
            license: Some("mit".into()),
            language: Some("Rust".into()),
            size: 5,
        };
        let columns = |repo: &Repo| serde_json::to_value(repo).expect("plain values");
        let (old, new) = (columns(&before), columns(&before.clone().with_content(content)));
        for (column, value) in old.as_object().expect("a struct") {
            let update = WriteAction::Update { table: "repo".into(), column: column.clone() };
            assert_eq!(new[column] != *value, Effect::Pulls.allows(&update), "{column}");
        }
    }
}
