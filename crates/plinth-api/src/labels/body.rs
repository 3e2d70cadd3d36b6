//! Bodies of the operations on labels.

use schemars::JsonSchema;

use crate::request::shape::{Nullable, flatten, from_json};
use plinth_core::labels::{LabelChange, NewLabel};

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateLabelBody {
    name: String,
    /// Six hexadecimal digits without `#`.
    color: Option<String>,
    description: Option<Nullable<String>>,
}
from_json!(CreateLabelBody { name, color, description });

impl From<CreateLabelBody> for NewLabel {
    fn from(body: CreateLabelBody) -> Self {
        let CreateLabelBody { name, color, description } = body;
        Self { name, color, description: flatten(description) }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct UpdateLabelBody {
    new_name: Option<String>,
    /// Six hexadecimal digits without `#`.
    color: Option<String>,
    description: Option<Nullable<String>>,
}
from_json!(UpdateLabelBody { new_name, color, description });

impl From<UpdateLabelBody> for LabelChange {
    fn from(body: UpdateLabelBody) -> Self {
        let UpdateLabelBody { new_name, color, description } = body;
        Self { new_name, color, description: description.map(|Nullable(text)| text) }
    }
}
