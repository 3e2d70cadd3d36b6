//! A repository by the URL that people clone.

use plinth_base::error::Result;
use plinth_store::Connection;

use super::{Facts, PathParams, RepoTarget, Target, TargetKind};
use crate::tokens::Principal;

/// A repository by the address that people clone: with or without `.git` at its end.
pub struct GitRepo(pub RepoTarget);

impl std::ops::Deref for GitRepo {
    type Target = RepoTarget;

    fn deref(&self) -> &RepoTarget {
        &self.0
    }
}

impl Target for GitRepo {
    const KIND: TargetKind = TargetKind::Repo;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let name = path.get("repo");
        let name = name.strip_suffix(".git").unwrap_or(name);
        let found = RepoTarget::find_named(db, path.get("owner"), name, caller).await?;
        Ok(found.map(|(repo, facts)| (GitRepo(repo), facts)))
    }
}
