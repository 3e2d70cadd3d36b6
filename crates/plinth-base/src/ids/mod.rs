//! Identifiers with their own types, and the opaque node ids that clients see.

mod node;
mod object_kind;
mod ref_name;
mod sha;

pub use node::NodeId;
pub use object_kind::ObjectKind;
pub use ref_name::{RefName, RefNameError};
pub use sha::Sha;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

macro_rules! numeric_ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                i64::schema_name()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                i64::json_schema(generator)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(out)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    )*};
}

numeric_ids! {
    /// A user, an organization or a bot: one sequence for all three, because logins share one namespace.
    AccountId
    /// A repository.
    RepoId
    /// A GitHub App.
    AppId
    /// One account's installation of an app.
    InstallationId
    /// A stored token, whatever its kind.
    TokenId
    /// A project of an organization or a user, across all owners.
    ProjectId
    /// A field of a project.
    ProjectFieldId
    /// An issue or a pull request in a project.
    ProjectItemId
    /// A field that an organization defines for its issues.
    IssueFieldId
    /// An option of a select issue field.
    IssueFieldOptionId
    /// A pull request, across all repositories.
    PullId
    /// An issue, or a pull request as an issue, across all repositories.
    IssueId
    /// A comment on an issue or a pull request, outside of reviews.
    IssueCommentId
    /// A label of a repository.
    LabelId
    /// A review of a pull request.
    ReviewId
    /// A review comment.
    CommentId
    /// A notification thread.
    NotificationId
    /// A hook of a repository, an organization or an app.
    WebhookId
    /// An event that has not been dispatched to hooks.
    EventId
    /// What one hook is sent about one event.
    MessageId
    /// One attempt to deliver a message.
    DeliveryId
    /// A status of a commit.
    StatusId
    /// A release.
    ReleaseId
    /// A file of a release.
    AssetId
}
