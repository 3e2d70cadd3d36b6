//! Events of branches and tags. Other refs have none.

use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::{Mover, PushSize};
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};
use crate::refs::Change;

/// A push that changes more branches has no events for branches, as on GitHub.
pub const BRANCHES_MAX: usize = 5_000;
/// A push that changes more tags has no events for tags, as on GitHub.
pub const TAGS_MAX: usize = 3;

/// The data of the event `push`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushData {
    /// The full name of the ref.
    pub r#ref: String,
    /// The object before; `None` if the ref is new.
    pub before: Option<Sha>,
    /// The object after; `None` if the ref was deleted.
    pub after: Option<Sha>,
}

/// The data of the events `create` and `delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefData {
    /// The name of the branch or the tag.
    pub r#ref: String,
    pub ref_type: RefType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefType {
    Branch,
    Tag,
}

/// Records the changes that were made. There are no events for a push that changes very many refs.
pub async fn record<'a>(
    tx: &mut Transaction,
    repo: RepoId,
    made: impl Iterator<Item = &'a Change> + Clone,
    mover: Mover,
) -> Result<()> {
    if !events::is_wanted(tx).await? {
        return Ok(());
    }
    let size = mover.push.unwrap_or_else(|| PushSize::of(made.clone()));
    for change in made.filter(|change| change.old != change.new.map(|target| target.sha)) {
        let Some((ref_type, name)) = split(change) else { continue };
        let is_recorded = match ref_type {
            RefType::Branch => size.branches <= BRANCHES_MAX,
            RefType::Tag => size.tags <= TAGS_MAX,
        };
        if is_recorded {
            record_one(tx, repo, (ref_type, name, change), mover).await?;
        }
    }
    Ok(())
}

async fn record_one(
    tx: &mut Transaction,
    repo: RepoId,
    (ref_type, name, change): (RefType, &str, &Change),
    mover: Mover,
) -> Result<()> {
    let new =
        |name, data| NewEvent { name, action: None, about: About::Repo(repo), actor: mover.actor, subject: None, data };
    let after = change.new.map(|target| target.sha);
    let existence = match (change.old, after) {
        (None, Some(_)) => Some(EventName::Create),
        (Some(_), None) => Some(EventName::Delete),
        (Some(_), Some(_)) | (None, None) => None,
    };
    if let Some(event) = existence {
        let data = RefData { r#ref: name.to_owned(), ref_type };
        events::record(tx, mover.now, || new(event, events::to_data(&data))).await?;
    }
    let data = PushData { r#ref: change.name.as_str().to_owned(), before: change.old, after };
    events::record(tx, mover.now, || new(EventName::Push, events::to_data(&data))).await
}

fn split(change: &Change) -> Option<(RefType, &str)> {
    let name = change.name.as_str();
    let branch = name.strip_prefix("refs/heads/").map(|name| (RefType::Branch, name));
    branch.or_else(|| name.strip_prefix("refs/tags/").map(|name| (RefType::Tag, name)))
}
