//! Pull requests, issues, reviews, comments, notifications and releases.

use serde::Deserialize;

use super::{Repository, User};

#[derive(Debug, Deserialize)]
pub struct Pull {
    pub number: i64,
    pub title: String,
    pub state: String,
    #[serde(default)]
    pub draft: bool,
    #[serde(default)]
    pub merged: bool,
    pub merged_at: Option<String>,
    pub body: Option<String>,
    pub body_html: Option<String>,
    pub user: Option<User>,
    pub created_at: String,
    pub head: End,
    pub base: End,
    #[serde(default)]
    pub labels: Vec<Label>,
    #[serde(default)]
    pub requested_reviewers: Vec<User>,
    #[serde(default)]
    pub commits: i64,
    #[serde(default)]
    pub additions: i64,
    #[serde(default)]
    pub deletions: i64,
    #[serde(default)]
    pub changed_files: i64,
    pub mergeable: Option<bool>,
}

impl Pull {
    /// The word for its state, which is also the name of its colour.
    pub fn status(&self) -> &'static str {
        match (self.state.as_str(), self.merged || self.merged_at.is_some(), self.draft) {
            (_, true, _) => "merged",
            ("closed", ..) => "closed",
            (_, _, true) => "draft",
            _ => "open",
        }
    }
}

/// One of the two branches of a pull request.
#[derive(Debug, Deserialize)]
pub struct End {
    #[serde(rename = "ref")]
    pub branch: String,
    pub sha: String,
}

#[derive(Debug, Deserialize)]
pub struct Label {
    pub name: String,
    pub description: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Issue {
    pub number: i64,
    pub title: String,
    pub state: String,
    pub body: Option<String>,
    pub body_html: Option<String>,
    pub user: Option<User>,
    pub created_at: String,
    #[serde(default)]
    pub comments: i64,
    #[serde(default)]
    pub labels: Vec<Label>,
    #[serde(default)]
    pub assignees: Vec<User>,
    pub repository: Option<Repository>,
    /// Only of pull requests.
    pub pull_request: Option<serde::de::IgnoredAny>,
}

/// A comment of a conversation.
#[derive(Debug, Deserialize)]
pub struct Comment {
    pub id: i64,
    pub user: Option<User>,
    pub body: Option<String>,
    pub body_html: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

#[derive(Debug, Deserialize)]
pub struct Review {
    pub id: i64,
    pub user: Option<User>,
    pub state: String,
    #[serde(default)]
    pub body: Option<String>,
    pub body_html: Option<String>,
    pub submitted_at: Option<String>,
}

impl Review {
    pub fn is_pending(&self) -> bool {
        self.state == "PENDING"
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Side {
    Left,
    Right,
}

/// A comment on a diff.
#[derive(Debug, Deserialize)]
pub struct ReviewComment {
    pub id: i64,
    pub user: Option<User>,
    pub body: Option<String>,
    pub body_html: Option<String>,
    pub path: String,
    pub diff_hunk: String,
    /// None if the line is gone.
    pub line: Option<i64>,
    pub original_line: Option<i64>,
    pub original_start_line: Option<i64>,
    pub side: Side,
    pub in_reply_to_id: Option<i64>,
    pub pull_request_review_id: Option<i64>,
    pub subject_type: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

impl ReviewComment {
    /// About a whole file, which is never outdated by lines.
    pub fn is_about_file(&self) -> bool {
        self.subject_type.as_deref() == Some("file")
    }

    pub fn is_outdated(&self) -> bool {
        self.line.is_none() && !self.is_about_file()
    }
}

/// The resolution of a thread.
#[derive(Debug, Deserialize)]
pub struct Thread {
    /// The first comment.
    pub comment_id: i64,
    pub is_resolved: bool,
    pub resolved_by: Option<User>,
}

#[derive(Debug, Deserialize)]
pub struct Notification {
    pub id: String,
    pub unread: bool,
    pub reason: String,
    pub updated_at: String,
    pub subject: Subject,
    pub repository: Repository,
}

#[derive(Debug, Deserialize)]
pub struct Subject {
    pub title: String,
    pub url: String,
    pub latest_comment_url: Option<String>,
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Debug, Deserialize)]
pub struct Release {
    pub tag_name: String,
    pub name: Option<String>,
    pub body_html: Option<String>,
    pub author: Option<User>,
    #[serde(default)]
    pub draft: bool,
    #[serde(default)]
    pub prerelease: bool,
    pub created_at: String,
    pub published_at: Option<String>,
    #[serde(default)]
    pub assets: Vec<Asset>,
}

#[derive(Debug, Deserialize)]
pub struct Asset {
    pub name: String,
    pub size: u64,
    #[serde(default)]
    pub download_count: i64,
}
