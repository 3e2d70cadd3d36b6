//! Pull requests as they are stored.

use std::str::FromStr;

use crate::accounts::AccountSummary;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, IssueId, PullId, RepoId, Sha};
use plinth_store::{DbError, FromRow, Row, from_row, text_column};

/// A pull request with its author and its last version.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Pull {
    pub id: PullId,
    pub repo_id: RepoId,
    pub number: i64,
    pub title: String,
    pub body: Option<String>,
    pub state: PullState,
    pub draft: bool,
    pub head_ref: String,
    pub base_ref: String,
    pub review_comments: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub version: Version,
    pub author: Author,
    #[serde(default)]
    pub test_merge: TestMerge,
    /// `None` if the pull request is not merged.
    #[serde(default)]
    pub merged: Option<Merged>,
    /// The id as an issue.
    #[serde(default = "unknown_issue")]
    pub issue_id: IssueId,
    /// Comments other than those of reviews.
    #[serde(default)]
    pub comments: i64,
}

/// For events from before pull requests had ids as issues.
fn unknown_issue() -> IssueId {
    IssueId(0)
}

impl Pull {
    /// The commit of the merge; before it, the commit of the test merge.
    pub fn merge_commit(&self) -> Option<Sha> {
        self.merged.as_ref().map_or(self.test_merge.commit, |merged| Some(merged.commit))
    }
}

impl FromRow for Pull {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const OWN_COLUMNS: usize = 13;
        const MERGE: usize = OWN_COLUMNS + Version::COLUMNS + Author::COLUMNS;
        Ok(Self {
            id: row.get(0)?,
            repo_id: row.get(1)?,
            number: row.get(2)?,
            title: row.get(3)?,
            body: row.get(4)?,
            state: row.get(5)?,
            draft: row.get(6)?,
            head_ref: row.get(7)?,
            base_ref: row.get(8)?,
            review_comments: row.get(9)?,
            created_at: row.get(10)?,
            updated_at: row.get(11)?,
            closed_at: row.get(12)?,
            version: Version::from_columns(row, OWN_COLUMNS)?,
            author: Author::from_columns(row, OWN_COLUMNS + Version::COLUMNS)?,
            test_merge: TestMerge { mergeability: row.get(MERGE)?, commit: row.get(MERGE + 1)? },
            merged: Merged::from_columns(row, MERGE + 2)?,
            issue_id: row.get(MERGE + 8)?,
            comments: row.get(MERGE + 9)?,
        })
    }
}

/// The result of a merge that nobody has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct TestMerge {
    /// `None` until it is computed.
    pub mergeability: Option<Mergeability>,
    pub commit: Option<Sha>,
}

/// How a pull request was merged.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Merged {
    pub at: Timestamp,
    pub commit: Sha,
    /// `None` if it was the operator, or if the account was deleted.
    pub by: Option<AccountSummary>,
}

impl Merged {
    fn from_columns(row: &Row<'_>, first: usize) -> Result<Option<Self>, DbError> {
        let (Some(at), Some(commit)) = (row.get(first)?, row.get(first + 1)?) else { return Ok(None) };
        Ok(Some(Self { at, commit, by: account_from_columns(row, first + 2)? }))
    }
}

/// The part of a pull request that operations on it need.
#[derive(Debug, Clone)]
pub struct PullFacts {
    pub id: PullId,
    pub repo_id: RepoId,
    pub number: i64,
    pub head_ref: String,
    /// `None` if the account was deleted.
    pub author: Option<AccountId>,
    pub version: Version,
}

impl FromRow for PullFacts {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        const OWN_COLUMNS: usize = 5;
        Ok(Self {
            id: row.get(0)?,
            repo_id: row.get(1)?,
            number: row.get(2)?,
            head_ref: row.get(3)?,
            author: row.get(4)?,
            version: Version::from_columns(row, OWN_COLUMNS)?,
        })
    }
}

/// A version: the commits of base and head at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Version {
    pub number: i64,
    /// The tips of the two branches.
    pub base_sha: Sha,
    pub head_sha: Sha,
    /// `None` until it is computed.
    pub merge_base: Option<Sha>,
    pub size: Option<Size>,
    pub created_at: Timestamp,
}

impl Version {
    const COLUMNS: usize = 9;

    fn from_columns(row: &Row<'_>, first: usize) -> Result<Self, DbError> {
        Ok(Self {
            number: row.get(first)?,
            base_sha: row.get(first + 1)?,
            head_sha: row.get(first + 2)?,
            merge_base: row.get(first + 3)?,
            size: Size::from_columns(row, first + 4)?,
            created_at: row.get(first + 8)?,
        })
    }
}

impl FromRow for Version {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Self::from_columns(row, 0)
    }
}

/// The size of the changes in a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Size {
    pub commits: i64,
    pub additions: i64,
    pub deletions: i64,
    pub changed_files: i64,
}

impl Size {
    fn from_columns(row: &Row<'_>, first: usize) -> Result<Option<Self>, DbError> {
        let Some(commits) = row.get(first)? else { return Ok(None) };
        Ok(Some(Self {
            commits,
            additions: row.get::<Option<i64>>(first + 1)?.unwrap_or_default(),
            deletions: row.get::<Option<i64>>(first + 2)?.unwrap_or_default(),
            changed_files: row.get::<Option<i64>>(first + 3)?.unwrap_or_default(),
        }))
    }
}

/// The author of something, with their association with the repository. The account is `None` if it was deleted.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Author {
    pub account: Option<AccountSummary>,
    pub association: Association,
}

impl Author {
    pub(crate) const COLUMNS: usize = 5;

    /// Reads the columns of `author_columns!`.
    pub fn from_columns(row: &Row<'_>, first: usize) -> Result<Self, DbError> {
        Ok(Self { account: account_from_columns(row, first)?, association: row.get(first + 4)? })
    }

    pub fn id(&self) -> Option<AccountId> {
        self.account.as_ref().map(|account| account.id)
    }
}

/// Reads an account that may be absent: id, kind, login and `site_admin`.
pub fn account_from_columns(row: &Row<'_>, first: usize) -> Result<Option<AccountSummary>, DbError> {
    let Some(id) = row.get::<Option<AccountId>>(first)? else { return Ok(None) };
    let (kind, login, site_admin) = (row.get(first + 1)?, row.get(first + 2)?, row.get(first + 3)?);
    Ok(Some(AccountSummary { id, kind, login, site_admin }))
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($variant),*
        }

        impl $name {
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word),*
                }
            }
        }

        impl FromStr for $name {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, ()> {
                [$($name::$variant),*].into_iter().find(|word| word.as_str() == text).ok_or(())
            }
        }

        text_column!($name);
    };
}
pub(crate) use words;

words! {
    PullState { Open = "open", Closed = "closed" }
}

words! {
    /// Whether the head of a version can be merged into its base: without conflicts, or not, or it would take too much to
    /// find out.
    Mergeability { Clean = "clean", Dirty = "dirty", Unknown = "unknown" }
}

words! {
    /// An author's association with the repository: first by rights, then by contributions.
    Association {
        Owner = "OWNER",
        Member = "MEMBER",
        Collaborator = "COLLABORATOR",
        Contributor = "CONTRIBUTOR",
        None = "NONE",
    }
}

/// An open pull request whose head or base is a branch that moves.
#[derive(Debug, Clone)]
pub struct AffectedPull {
    pub id: PullId,
    pub number: i64,
    pub head_ref: String,
    pub base_ref: String,
    pub base_sha: Sha,
    pub head_sha: Sha,
    pub version: i64,
}

from_row!(AffectedPull { id, number, head_ref, base_ref, base_sha, head_sha, version });
