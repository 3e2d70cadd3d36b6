//! Bodies of the operations on repositories.

use schemars::JsonSchema;

use super::json::Visibility;
use crate::request::shape::{Nullable, flatten, from_json};
use crate::wire::Word;
use plinth_core::repos::NewRepository;
use plinth_core::repos::rules::DESCRIPTION_CHARACTERS_MAX;

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateRepoBody {
    name: String,
    #[schemars(extend("maxLength" = DESCRIPTION_CHARACTERS_MAX))]
    description: Option<Nullable<String>>,
    /// False by default.
    private: Option<bool>,
    /// Means the same as `private` and takes precedence.
    visibility: Option<Word<Visibility>>,
}
from_json!(CreateRepoBody { name, description, private, visibility });

impl From<CreateRepoBody> for NewRepository {
    fn from(body: CreateRepoBody) -> Self {
        let private = match body.visibility {
            Some(Word(visibility)) => visibility == Visibility::Private,
            None => body.private.unwrap_or(false),
        };
        Self { name: body.name, description: flatten(body.description), private }
    }
}
