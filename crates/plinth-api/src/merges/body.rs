//! Bodies of merges.

use schemars::JsonSchema;

use crate::request::shape::{Nullable, flatten, from_json};
use crate::wire::{Word, words};
use plinth_core::merges::{MergeMethod, NewBranchMerge, PullMerge};

words! { MergeMethod: Merge, Squash, Rebase }

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct MergePullBody {
    /// The first line of the commit message.
    commit_title: Option<Nullable<String>>,
    /// The commit message after the first line.
    commit_message: Option<Nullable<String>>,
    /// The head that must still be the current one.
    sha: Option<Nullable<String>>,
    /// `merge` by default.
    merge_method: Option<Word<MergeMethod>>,
}
from_json!(MergePullBody { commit_title, commit_message, sha, merge_method });

impl From<MergePullBody> for PullMerge {
    fn from(body: MergePullBody) -> Self {
        Self {
            method: body.merge_method.map_or(MergeMethod::Merge, |Word(method)| method),
            title: flatten(body.commit_title).filter(|title| !title.is_empty()),
            message: flatten(body.commit_message),
            head: flatten(body.sha),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct UpdateBranchBody {
    /// The head that must still be the current one.
    pub expected_head_sha: Option<Nullable<String>>,
}
from_json!(UpdateBranchBody { expected_head_sha });

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct MergeBranchBody {
    /// The branch that is merged into.
    base: String,
    /// The branch or the commit that is merged.
    head: String,
    commit_message: Option<Nullable<String>>,
}
from_json!(MergeBranchBody { base, head, commit_message });

impl From<MergeBranchBody> for NewBranchMerge {
    fn from(body: MergeBranchBody) -> Self {
        let MergeBranchBody { base, head, commit_message } = body;
        Self { base, head, message: flatten(commit_message).filter(|message| !message.is_empty()) }
    }
}
