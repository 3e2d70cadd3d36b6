//! What a caller sends to create a repository.

/// The body of both creating operations; what this service does not keep is accepted and ignored.
#[derive(Debug, Clone)]
pub struct NewRepository {
    pub name: String,
    pub description: Option<String>,
    pub private: bool,
}
