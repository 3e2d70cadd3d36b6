//! The body of a new status.

use schemars::JsonSchema;

use crate::request::shape::{Nullable, flatten, from_json};
use crate::wire::{Word, words};
use plinth_core::statuses::{DEFAULT_CONTEXT, NewStatus, StatusState};

words! { StatusState: Error, Failure, Pending, Success }

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateStatusBody {
    state: Word<StatusState>,
    /// Where a tool shows more; `http` or `https`.
    target_url: Option<Nullable<String>>,
    /// At most 140 characters.
    description: Option<Nullable<String>>,
    /// The name of the tool, `default` by default; case does not matter.
    context: Option<String>,
}
from_json!(CreateStatusBody { state, target_url, description, context });

impl From<CreateStatusBody> for NewStatus {
    fn from(body: CreateStatusBody) -> Self {
        let context = body.context.filter(|context| !context.is_empty());
        Self {
            state: body.state.0,
            context: context.unwrap_or_else(|| DEFAULT_CONTEXT.to_owned()),
            description: flatten(body.description),
            target_url: flatten(body.target_url).filter(|url| !url.is_empty()),
        }
    }
}
