//! Bodies of the operations on pull requests.

use schemars::JsonSchema;

use crate::request::shape::{Nullable, flatten, from_json};
use crate::wire::Word;
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
    title: Option<String>,
    /// Markdown.
    body: Option<Nullable<String>>,
    base: Option<String>,
    state: Option<Word<PullState>>,
}
from_json!(UpdatePullBody { title, body, base, state });

impl From<UpdatePullBody> for PullRequestChanges {
    fn from(changes: UpdatePullBody) -> Self {
        let UpdatePullBody { title, body, base, state } = changes;
        Self { title, body: body.map(|Nullable(body)| body), state: state.map(|Word(state)| state), base }
    }
}
