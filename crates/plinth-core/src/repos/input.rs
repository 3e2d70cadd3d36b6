//! What a caller sends to create or change a repository.

/// What a caller sends to change a repository; `None` leaves a value as it is.
#[derive(Debug, Clone, Default)]
pub struct RepoEdit {
    /// Only the name that the repository has: repositories cannot be renamed.
    pub name: Option<String>,
    pub description: Option<Option<String>>,
    pub homepage: Option<Option<String>>,
    pub private: Option<bool>,
    pub default_branch: Option<String>,
    pub archived: Option<bool>,
}

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
