//! Merges on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use plinth_base::ids::Sha;
use plinth_base::urls::Url;

/// A pull request was merged.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "pull-request-merge-result")]
pub struct MergeResult {
    /// The commit that the base has now.
    sha: Sha,
    merged: bool,
    message: &'static str,
}

impl MergeResult {
    pub fn new(sha: Sha) -> Self {
        Self { sha, merged: true, message: "Pull Request successfully merged" }
    }
}

/// The head of a pull request has the commits of its base now.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct BranchUpdate<'a> {
    message: &'static str,
    url: Url<'a>,
}

impl<'a> BranchUpdate<'a> {
    pub fn new(url: Url<'a>) -> Self {
        Self { message: "Updating pull request branch.", url }
    }
}
