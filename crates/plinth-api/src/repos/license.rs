//! Licences of repositories on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use plinth_base::ids::NodeId;
use plinth_core::repos::license_texts;

/// A licence that was recognized by its text.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "license-simple")]
pub struct License<'a> {
    key: &'a str,
    name: &'a str,
    /// `NOASSERTION` if the text is not known.
    spdx_id: &'a str,
    url: Option<&'a str>,
    node_id: String,
}

impl<'a> License<'a> {
    pub fn new(key: &'a str) -> Self {
        let (spdx_id, name) = license_texts::describe(key);
        Self { key, name, spdx_id, url: None, node_id: NodeId::new("L", 0).text(key).finish() }
    }
}
