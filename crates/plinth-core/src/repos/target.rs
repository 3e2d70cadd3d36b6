//! Repositories as targets of paths, and the cache of callers' access to them.

use std::ops::Deref;
use std::sync::Arc;

use plinth_base::error::Result;
use plinth_base::ids::TokenId;
use plinth_store::{Connection, GenerationCache};

use super::{Repo, store};
use crate::Core;
use crate::access::{AccessRequest, Facts, Grant, PathParams, Role, Target, TargetKind};
use crate::tokens::Principal;

/// A caller's access to repositories, by token and by `owner/name` as the caller wrote it; an entry is valid for one
/// generation of rights, so it never outlives a change of a token, a membership, a collaborator or a repository's
/// visibility.
pub type RepoAccessCache = GenerationCache<(TokenId, String), Arc<RepoAccess>>;

/// Everything that a decision about a caller in a repository needs.
#[derive(Debug, Clone)]
pub struct RepoAccess {
    target: RepoTarget,
    facts: Facts,
    grant: Grant,
}

/// A repository, with the role of the user behind the token.
#[derive(Debug, Clone)]
pub struct RepoTarget {
    pub repo: Repo,
    pub role: Option<Role>,
}

impl Deref for RepoTarget {
    type Target = Repo;

    fn deref(&self) -> &Repo {
        &self.repo
    }
}

impl Target for RepoTarget {
    const KIND: TargetKind = TargetKind::Repo;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        Self::find_named(db, path.get("owner"), path.get("repo"), caller).await
    }

    fn from_cache(core: &Core, request: &AccessRequest) -> Option<(Self, Grant, Facts)> {
        let (generation, key) = Self::cache_key(request)?;
        let cached = core.repo_access_cache.get(generation, &key)?;
        let RepoAccess { target, facts, grant } = (*cached).clone();
        Some((target, grant, facts))
    }

    fn add_to_cache(&self, core: &Core, request: &AccessRequest, grant: &Grant, facts: &Facts) {
        if let Some((generation, key)) = Self::cache_key(request) {
            let access = RepoAccess { target: self.clone(), facts: *facts, grant: grant.clone() };
            core.repo_access_cache.keep(generation, key, Arc::new(access));
        }
    }
}

impl RepoTarget {
    /// The generation and the key of a caller's access in the cache, if the request may use it.
    fn cache_key(request: &AccessRequest) -> Option<(u64, (TokenId, String))> {
        if !request.cached {
            return None;
        }
        let (generation, token) = (request.generations?.rights, request.principal.token_id()?);
        let name = format!("{}/{}", request.params.get("owner"), request.params.get("repo"));
        Some((generation, (token, name)))
    }

    async fn find_named(
        db: &mut Connection,
        owner: &str,
        name: &str,
        caller: &Principal,
    ) -> Result<Option<(Self, Facts)>> {
        let found = store::find(db, owner, name, caller.user_id()).await?;
        Ok(found.map(|found| {
            let facts = Facts {
                owner: found.repo.owner_id,
                repo: Some(found.repo.id),
                public: !found.repo.private,
                archived: found.repo.archived,
                role: found.role,
            };
            (RepoTarget { repo: found.repo, role: found.role }, facts)
        }))
    }
}

/// A repository by its clone URL, with or without `.git` at the end.
pub struct GitRepo(pub RepoTarget);

impl Deref for GitRepo {
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
