//! Bodies of the operations on pull requests.

use schemars::JsonSchema;

use crate::request::shape::{Nullable, flatten, from_json};
use crate::wire::{Word, Words};
use plinth_core::pulls::model::PullState;
use plinth_core::pulls::{NewPullRequest, PullRequestChanges};

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreatePullBody {
    title: String,
    /// The branch with the changes.
    head: String,
    /// The branch that they are to be merged into.
    base: String,
    /// Markdown.
    body: Option<Nullable<String>>,
    draft: Option<bool>,
}
from_json!(CreatePullBody { title, head, base, body, draft });

impl From<CreatePullBody> for NewPullRequest {
    fn from(new: CreatePullBody) -> Self {
        let CreatePullBody { title, head, base, body, draft } = new;
        Self { title, head, base, body: flatten(body), draft: draft.unwrap_or(false) }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct UpdatePullBody {
    /// Null changes nothing.
    title: Option<Nullable<String>>,
    /// Markdown.
    body: Option<Nullable<String>>,
    base: Option<String>,
    /// Another word changes nothing.
    #[schemars(with = "Option<Word<PullState>>")]
    state: Option<Nullable<String>>,
}
from_json!(UpdatePullBody { title, body, base, state });

impl From<UpdatePullBody> for PullRequestChanges {
    fn from(changes: UpdatePullBody) -> Self {
        let UpdatePullBody { title, body, base, state } = changes;
        let state = flatten(state).and_then(|word| PullState::from_word(&word));
        Self { title: flatten(title), body: body.map(|Nullable(body)| body), state, base }
    }
}
