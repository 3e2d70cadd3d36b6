//! Input of merges.

/// How the commits of a pull request get into its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeMethod {
    /// With a commit that has two parents.
    Merge,
    /// As one commit.
    Squash,
    /// One by one, on top of the base.
    Rebase,
}

impl MergeMethod {
    pub fn as_str(self) -> &'static str {
        match self {
            MergeMethod::Merge => "merge",
            MergeMethod::Squash => "squash",
            MergeMethod::Rebase => "rebase",
        }
    }
}

/// The body of `PUT …/pulls/{pull_number}/merge`.
#[derive(Debug, Clone)]
pub struct PullMerge {
    pub method: MergeMethod,
    pub title: Option<String>,
    pub message: Option<String>,
    /// The head that the caller has seen.
    pub head: Option<String>,
}

/// The body of `POST …/merges`.
#[derive(Debug, Clone)]
pub struct NewBranchMerge {
    /// A branch.
    pub base: String,
    /// A branch or the id of a commit.
    pub head: String,
    pub message: Option<String>,
}
