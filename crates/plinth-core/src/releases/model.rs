//! Releases and their files as they are stored.

use std::str::FromStr;

use plinth_base::clock::Timestamp;
use plinth_base::ids::{AssetId, ReleaseId, RepoId};
use plinth_store::{DbError, FromRow, Row, text_column};

use crate::accounts::AccountSummary;
use crate::pulls::model::{account_from_columns, words};

/// A release without its files.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Release {
    pub id: ReleaseId,
    pub repo_id: RepoId,
    pub tag_name: String,
    /// What the tag was or will be created from, as the caller named it.
    pub target: String,
    pub name: Option<String>,
    pub body: Option<String>,
    pub draft: bool,
    pub prerelease: bool,
    pub created_at: Timestamp,
    /// `None` for drafts.
    pub published_at: Option<Timestamp>,
    pub updated_at: Timestamp,
    /// When it was marked as the latest release.
    pub marked_latest_at: Option<Timestamp>,
    /// `None` if the account was deleted.
    pub author: Option<AccountSummary>,
}

impl FromRow for Release {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get(0)?,
            repo_id: row.get(1)?,
            tag_name: row.get(2)?,
            target: row.get(3)?,
            name: row.get(4)?,
            body: row.get(5)?,
            draft: row.get(6)?,
            prerelease: row.get(7)?,
            created_at: row.get(8)?,
            published_at: row.get(9)?,
            updated_at: row.get(10)?,
            marked_latest_at: row.get(11)?,
            author: account_from_columns(row, 12)?,
        })
    }
}

words! {
    /// Only uploaded files are visible. The others are removed in the background.
    AssetState { Uploading = "uploading", Uploaded = "uploaded", Removed = "removed" }
}

/// A file of a release.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Asset {
    pub id: AssetId,
    pub release_id: ReleaseId,
    pub name: String,
    pub label: Option<String>,
    pub content_type: String,
    pub size: i64,
    /// `sha256:` and 64 digits.
    pub digest: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// `None` if the account was deleted.
    pub uploader: Option<AccountSummary>,
}

impl FromRow for Asset {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get(0)?,
            release_id: row.get(1)?,
            name: row.get(2)?,
            label: row.get(3)?,
            content_type: row.get(4)?,
            size: row.get(5)?,
            digest: row.get(6)?,
            created_at: row.get(7)?,
            updated_at: row.get(8)?,
            uploader: account_from_columns(row, 9)?,
        })
    }
}
