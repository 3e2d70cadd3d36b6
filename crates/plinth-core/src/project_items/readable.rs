//! Which content of items a caller may read.

use std::sync::Arc;

use super::Content;
use crate::access::policy::{ISSUES_READ, PULLS_READ};
use crate::access::{Facts, Grant, TargetKind, check_kind, decide};
use crate::repos::{Repo, RepoTarget};
use crate::tokens::Principal;
use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_store::Connection;

/// A repository with content of items, and what decides whether a caller may read it.
pub struct ContentRepo {
    pub repo: Repo,
    facts: Facts,
    grant: Grant,
}

impl ContentRepo {
    pub async fn find(db: &mut Connection, id: RepoId, caller: &Principal) -> Result<Option<Self>> {
        let Some((target, facts)) = RepoTarget::find_by_id(db, id, caller).await? else {
            // As many statements as for a hidden repository, so that the response time does not reveal which one it is.
            Grant::find(db, caller, &Facts::of_absent(TargetKind::Repo)).await?;
            return Ok(None);
        };
        let grant = Grant::find(db, caller, &facts).await?;
        Ok(Some(Self { repo: Arc::unwrap_or_clone(target.repo), facts, grant }))
    }

    /// Whether the caller may read an issue or a pull request of the repository, by the rules of the operations that
    /// return them.
    pub fn shows(&self, content: &Content, caller: &Principal) -> bool {
        let rule = if content.pull.is_some() { &PULLS_READ } else { &ISSUES_READ };
        check_kind(rule, caller).is_ok() && decide(rule, caller, &self.facts, &self.grant).is_ok()
    }
}
