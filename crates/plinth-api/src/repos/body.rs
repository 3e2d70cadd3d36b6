//! What a client sends to make a repository.

use crate::request::shape::{Fields, FromJson};
use plinth_core::repos::NewRepository;

impl FromJson for NewRepository {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let name = fields.required("name");
        let description = fields.optional::<Option<String>>("description");
        let private = fields.optional("private");
        let visibility = fields.optional::<String>("visibility");
        let hidden = match visibility.as_ref()?.as_deref() {
            None => private?.unwrap_or(false),
            Some(word) => {
                fields.choice("visibility", word, &["public", "private"])?;
                word == "private"
            }
        };
        Some(Self { name: name?, description: description?.flatten(), private: hidden })
    }
}
