//! Input to create or move a ref.

/// The body of `POST …/git/refs`.
#[derive(Debug, Clone)]
pub struct NewRef {
    pub name: String,
    /// Forty characters; not checked yet whether such an object exists.
    pub sha: String,
}

/// The body of `PATCH …/git/refs/{ref}`.
#[derive(Debug, Clone)]
pub struct RefUpdate {
    pub sha: String,
    pub force: bool,
}
