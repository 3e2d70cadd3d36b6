//! What a caller sends to create a repository.

/// The body of both operations that create a repository; fields that the service does not support are ignored.
#[derive(Debug, Clone)]
pub struct NewRepository {
    pub name: String,
    pub description: Option<String>,
    pub homepage: Option<String>,
    pub private: bool,
    /// Creates a first commit with a README.
    pub auto_init: bool,
    pub gitignore_template: Option<String>,
    pub license_template: Option<String>,
}
