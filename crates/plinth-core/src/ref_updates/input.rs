//! What a caller sends to create or move a ref.

/// The body that makes a reference.
#[derive(Debug, Clone)]
pub struct NewRef {
    pub name: String,
    /// Forty characters; whether they name an object is for the repository to say.
    pub sha: String,
}

/// The body that moves a reference.
#[derive(Debug, Clone)]
pub struct RefUpdate {
    pub sha: String,
    pub force: bool,
}
