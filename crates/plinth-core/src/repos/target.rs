//! Repositories as targets of paths, and the cache of callers' access to them.

use std::ops::Deref;
use std::sync::Arc;

use plinth_base::error::Result;
use plinth_base::ids::{RepoId, TokenId};
use plinth_store::{Connection, Dependency, GenerationCache, Generations, Store};

use super::store::RepoWithRole;
use super::{Repo, store};
use crate::Core;
use crate::access::{
    AccessRequest, CachedAccess, Facts, Grant, PathParams, Role, Target, TargetKind, permissions_bytes,
};
use crate::caches::{CacheName, DisabledCaches};
use crate::tokens::Principal;

/// A caller's access to repositories, by token and by `owner/name` as the caller wrote it; an entry is valid until
/// rights change, so it never outlives a change of a token, a membership, a collaborator or a repository's visibility. Its
/// time of the last push is that of the store as long as the repository's content is unchanged since it was read.
pub type RepoAccessCache = GenerationCache<(TokenId, String), Arc<RepoAccess>>;

const CACHE_BYTES: usize = 8 << 20;

pub fn new_repo_access_cache(store: &Store, disabled: &DisabledCaches) -> RepoAccessCache {
    let bytes = disabled.capacity(CacheName::RepoAccess, CACHE_BYTES);
    GenerationCache::new(store.generation_table().clone(), bytes, |(_, name), access| {
        let repo = &access.target.repo;
        let texts = [&repo.owner_login, &repo.name, &repo.default_branch].map(|text| text.len());
        let description = repo.description.as_ref().map_or(0, String::len);
        let permissions = match &access.grant {
            Grant::Inside(permissions) => permissions_bytes(permissions),
            Grant::Everywhere | Grant::Outside | Grant::Suspended => 0,
        };
        size_of::<RepoAccess>() + name.len() + texts.iter().sum::<usize>() + description + permissions
    })
}

/// Everything that a decision about a caller in a repository needs.
#[derive(Debug, Clone)]
pub struct RepoAccess {
    read_at: Generations,
    target: RepoTarget,
    facts: Facts,
    grant: Grant,
}

/// A repository, with the role of the user behind the token.
#[derive(Debug, Clone)]
pub struct RepoTarget {
    /// Shared with the cache.
    pub repo: Arc<Repo>,
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
        let (_, key) = Self::cache_key(request)?;
        let cached = core.repo_access_cache.get(&key)?;
        let content = Dependency::Content(cached.facts.scope(Self::KIND));
        if request.cached == CachedAccess::Content && !core.generation_table().is_unchanged(cached.read_at, content) {
            return None;
        }
        Some((cached.target.clone(), cached.grant.clone(), cached.facts))
    }

    fn add_to_cache(&self, core: &Core, request: &AccessRequest, grant: &Grant, facts: &Facts) {
        if let Some((read_at, key)) = Self::cache_key(request) {
            let access = RepoAccess { read_at, target: self.clone(), facts: *facts, grant: grant.clone() };
            core.repo_access_cache.insert(read_at, Dependency::Rights, key, Arc::new(access));
        }
    }
}

impl RepoTarget {
    /// The generations of the request and the key of the caller's access in the cache, if the request may use it.
    fn cache_key(request: &AccessRequest) -> Option<(Generations, (TokenId, String))> {
        if request.cached == CachedAccess::None {
            return None;
        }
        let (generations, token) = (request.generations?, request.principal.token_id()?);
        let name = format!("{}/{}", request.params.get("owner"), request.params.get("repo"));
        Some((generations, (token, name)))
    }

    async fn find_named(
        db: &mut Connection,
        owner: &str,
        name: &str,
        caller: &Principal,
    ) -> Result<Option<(Self, Facts)>> {
        let found = store::find(db, owner, name, caller.user_id()).await?;
        Ok(found.map(Self::with_facts))
    }

    /// As [`Target::find`], by id.
    pub(crate) async fn find_by_id(
        db: &mut Connection,
        id: RepoId,
        caller: &Principal,
    ) -> Result<Option<(Self, Facts)>> {
        let found = store::find_by_id(db, id, caller.user_id()).await?;
        Ok(found.map(Self::with_facts))
    }

    fn with_facts(found: RepoWithRole) -> (Self, Facts) {
        let facts = Facts {
            owner: found.repo.owner_id,
            repo: Some(found.repo.id),
            public: !found.repo.private,
            archived: found.repo.archived,
            role: found.role,
        };
        (RepoTarget { repo: Arc::new(found.repo), role: found.role }, facts)
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
