//! Events as they are stored.

use std::str::FromStr;

use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, EventId, InstallationId, RepoId};
use plinth_store::{DbError, FromRow, Row, text_column};
use serde_json::Value;

/// What has happened and has not been dispatched to hooks.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub id: EventId,
    pub name: EventName,
    pub action: Option<String>,
    pub repo: Option<RepoId>,
    /// The owner of the repository, or the account that the event is about.
    pub owner: Option<AccountId>,
    pub installation: Option<InstallationId>,
    /// Who caused the event; `None` if it was the operator.
    pub actor: Option<AccountId>,
    /// What else the event is about: see [`EventName`].
    pub subject: Option<i64>,
    /// What the payload needs and cannot be read later.
    pub data: Value,
    pub created_at: Timestamp,
}

impl FromRow for Event {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let data: String = row.get(8)?;
        Ok(Self {
            id: row.get(0)?,
            name: row.get(1)?,
            action: row.get(2)?,
            repo: row.get(3)?,
            owner: row.get(4)?,
            installation: row.get(5)?,
            actor: row.get(6)?,
            subject: row.get(7)?,
            data: serde_json::from_str(&data).map_err(|error| DbError::Fault(error.into()))?,
            created_at: row.get(9)?,
        })
    }
}

/// An event to record.
#[derive(Debug, Clone)]
pub struct NewEvent {
    pub name: EventName,
    pub action: Option<&'static str>,
    pub about: About,
    pub actor: Option<AccountId>,
    pub subject: Option<i64>,
    /// As JSON.
    pub data: String,
}

/// Whose hooks may receive an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// Those of the repository, of its owner, and of the apps that are installed on its owner.
    Repo(RepoId),
    /// Those of the account and of the apps that are installed on it.
    Account(AccountId),
    /// That of the app of the installation.
    Installation(InstallationId),
}

macro_rules! event_names {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// The name of an event, as in `X-GitHub-Event`, with the meaning of [`Event::subject`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum EventName { $($(#[$doc])* $variant),* }

        impl EventName {
            pub const ALL: &'static [EventName] = &[$(EventName::$variant),*];

            pub fn as_str(self) -> &'static str {
                match self { $(EventName::$variant => $name),* }
            }
        }
    };
}
event_names! {
    /// A ref moved. The subject of a test is the hook, which is the only one that receives it; others have none.
    Push = "push",
    /// A branch or a tag was created. No subject.
    Create = "create",
    /// A branch or a tag was deleted. No subject.
    Delete = "delete",
    /// The subject is the pull request.
    PullRequest = "pull_request",
    /// The subject is the review.
    PullRequestReview = "pull_request_review",
    /// The subject is the comment.
    PullRequestReviewComment = "pull_request_review_comment",
    /// The subject is the thread.
    PullRequestReviewThread = "pull_request_review_thread",
    /// The subject is the status.
    Status = "status",
    /// The subject is the release.
    Release = "release",
    /// The subject is the issue.
    Issues = "issues",
    /// The subject is the comment.
    IssueComment = "issue_comment",
    /// The subject is the label.
    Label = "label",
    /// No subject.
    Repository = "repository",
    /// A private repository became public. No subject.
    Public = "public",
    /// The subject is the app, whose hook receives it.
    Installation = "installation",
    /// The subject is the app, whose hook receives it.
    InstallationRepositories = "installation_repositories",
    /// The subject is the member.
    Organization = "organization",
    /// The subject is the collaborator.
    Member = "member",
    /// The subject is the project.
    ProjectsV2 = "projects_v2",
    /// The subject is the item.
    ProjectsV2Item = "projects_v2_item",
    /// The subject is the hook, which is the only one that receives it.
    Ping = "ping",
    /// The subject is the hook, which is the only one that receives it.
    Meta = "meta",
}

impl FromStr for EventName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.iter().copied().find(|name| name.as_str() == text).ok_or(())
    }
}

text_column!(EventName);
