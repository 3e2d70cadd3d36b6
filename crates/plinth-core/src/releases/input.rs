//! Input to create or change a release.

/// Whether a release becomes the latest one of its repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MakeLatest {
    True,
    False,
    /// By date, as before releases could be marked.
    Legacy,
}

impl MakeLatest {
    pub fn as_str(self) -> &'static str {
        match self {
            MakeLatest::True => "true",
            MakeLatest::False => "false",
            MakeLatest::Legacy => "legacy",
        }
    }
}

/// The body of `POST …/releases`.
#[derive(Debug, Clone)]
pub struct NewRelease {
    pub tag_name: String,
    /// A branch or the id of a commit; the default branch if it is absent.
    pub target: Option<String>,
    pub name: Option<String>,
    pub body: Option<String>,
    pub draft: bool,
    pub prerelease: bool,
    pub make_latest: MakeLatest,
    /// The URL of the page of the repository, if notes are to be generated.
    pub notes_page: Option<String>,
}

/// The body of `PATCH …/releases/{release_id}`; what is absent stays.
#[derive(Debug, Clone, Default)]
pub struct ReleaseUpdate {
    pub tag_name: Option<String>,
    pub target: Option<String>,
    pub name: Option<Option<String>>,
    pub body: Option<Option<String>>,
    pub draft: Option<bool>,
    pub prerelease: Option<bool>,
    pub make_latest: Option<MakeLatest>,
}

/// The body of `POST …/releases/generate-notes`.
#[derive(Debug, Clone)]
pub struct NotesRequest {
    pub tag_name: String,
    pub target: Option<String>,
    pub previous_tag: Option<String>,
    /// The URL of the page of the repository.
    pub page: String,
}
