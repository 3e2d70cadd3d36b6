//! What a client sends to make a repository.

use crate::api::shape::{Fields, FromJson};

/// The body of both creating operations; what this service does not keep is accepted and ignored.
#[derive(Debug, Clone)]
pub struct NewRepository {
    pub name: String,
    pub description: Option<String>,
    pub private: bool,
}

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
