//! Bodies of the operations on repositories.

use schemars::JsonSchema;

use super::json::Visibility;
use crate::request::shape::{Nullable, flatten, from_json};
use crate::wire::{Word, words};
use plinth_core::access::Role;
use plinth_core::repos::rules::{DESCRIPTION_CHARACTERS_MAX, HOMEPAGE_CHARACTERS_MAX};
use plinth_core::repos::{NewRepository, RepoEdit};

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateRepoBody {
    name: String,
    #[schemars(extend("maxLength" = DESCRIPTION_CHARACTERS_MAX))]
    description: Option<Nullable<String>>,
    #[schemars(extend("maxLength" = HOMEPAGE_CHARACTERS_MAX))]
    homepage: Option<String>,
    /// False by default.
    private: Option<bool>,
    /// Means the same as `private` and takes precedence.
    visibility: Option<Word<Visibility>>,
    /// Creates a first commit with a README.
    auto_init: Option<bool>,
    /// `Go`, `Java`, `Node`, `Python` or `Rust`.
    gitignore_template: Option<String>,
    /// `apache-2.0`, `bsd-2-clause`, `bsd-3-clause`, `gpl-3.0`, `isc`, `mit`, `mpl-2.0` or `unlicense`.
    license_template: Option<String>,
}
from_json!(CreateRepoBody {
    name,
    description,
    homepage,
    private,
    visibility,
    auto_init,
    gitignore_template,
    license_template,
});

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct UpdateRepoBody {
    /// Repositories cannot be renamed, so only the present name is accepted.
    name: Option<String>,
    #[schemars(extend("maxLength" = DESCRIPTION_CHARACTERS_MAX))]
    description: Option<Nullable<String>>,
    #[schemars(extend("maxLength" = HOMEPAGE_CHARACTERS_MAX))]
    homepage: Option<Nullable<String>>,
    private: Option<bool>,
    /// Means the same as `private` and takes precedence.
    visibility: Option<Word<Visibility>>,
    /// A branch that exists.
    default_branch: Option<String>,
    /// An archived repository is read-only, for this operation, too.
    archived: Option<bool>,
}
from_json!(UpdateRepoBody { name, description, homepage, private, visibility, default_branch, archived });

impl From<UpdateRepoBody> for RepoEdit {
    fn from(body: UpdateRepoBody) -> Self {
        let visibility = body.visibility.map(|Word(visibility)| visibility == Visibility::Private);
        Self {
            name: body.name,
            description: body.description.map(|Nullable(text)| text),
            homepage: body.homepage.map(|Nullable(text)| text),
            private: visibility.or(body.private),
            default_branch: body.default_branch,
            archived: body.archived,
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CollaboratorBody {
    /// `push` by default.
    permission: Option<Word<CollaboratorRole>>,
}
from_json!(CollaboratorBody { permission });

/// A role, in the words of GitHub's requests.
#[derive(Debug, Clone, Copy)]
enum CollaboratorRole {
    Pull,
    Triage,
    Push,
    Maintain,
    Admin,
}

words! { CollaboratorRole: Pull, Triage, Push, Maintain, Admin }

impl CollaboratorRole {
    fn as_str(self) -> &'static str {
        match self {
            CollaboratorRole::Pull => "pull",
            CollaboratorRole::Triage => "triage",
            CollaboratorRole::Push => "push",
            CollaboratorRole::Maintain => "maintain",
            CollaboratorRole::Admin => "admin",
        }
    }
}

impl From<CollaboratorBody> for Role {
    fn from(body: CollaboratorBody) -> Self {
        match body.permission {
            Some(Word(CollaboratorRole::Pull)) => Role::Read,
            Some(Word(CollaboratorRole::Triage)) => Role::Triage,
            Some(Word(CollaboratorRole::Push)) | None => Role::Write,
            Some(Word(CollaboratorRole::Maintain)) => Role::Maintain,
            Some(Word(CollaboratorRole::Admin)) => Role::Admin,
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct TopicsBody {
    /// All topics that the repository is to have, at most 20.
    pub names: Vec<String>,
}
from_json!(TopicsBody { names });

impl From<CreateRepoBody> for NewRepository {
    fn from(body: CreateRepoBody) -> Self {
        let private = match body.visibility {
            Some(Word(visibility)) => visibility == Visibility::Private,
            None => body.private.unwrap_or(false),
        };
        let not_empty = |text: &String| !text.is_empty();
        Self {
            name: body.name,
            description: flatten(body.description),
            homepage: body.homepage,
            private,
            auto_init: body.auto_init.unwrap_or(false),
            gitignore_template: body.gitignore_template.filter(not_empty),
            license_template: body.license_template.filter(not_empty),
        }
    }
}
