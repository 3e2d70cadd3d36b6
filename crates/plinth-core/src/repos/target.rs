//! Repositories as targets of paths, and the cache of callers' access to them.

use std::ops::Deref;
use std::sync::Arc;

use plinth_base::error::Result;
use plinth_base::ids::{RepoId, TokenId};
use plinth_store::{Connection, ContentKind, Dependency, GenerationCache, Generations, Store};

use super::store::RepoWithRole;
use super::{Repo, store};
use crate::Core;
use crate::access::{
    AccessRequest, CachedAccess, Facts, Grant, PathParams, Role, Target, TargetKind, permissions_bytes,
};
use crate::caches::{CacheName, DisabledCaches};
use crate::tokens::Principal;

/// A caller's access to repositories, and the repositories themselves.
///
/// Access is valid until rights change, so it never outlives a change of a token, a membership, a collaborator or a
/// repository's visibility. A push changes the repository that all callers share, and the access of none.
pub struct RepoAccessCache {
    /// By token and by `owner/name` as the caller wrote it.
    by_caller: GenerationCache<(TokenId, String), Arc<RepoAccess>>,
    /// Valid until the content of the repository changes.
    repos: GenerationCache<RepoId, Arc<Repo>>,
}

const ACCESS_BYTES: usize = 32 << 20;
const REPO_BYTES: usize = 4 << 20;

impl RepoAccessCache {
    pub fn new(store: &Store, disabled: &DisabledCaches) -> Self {
        let capacity = |bytes| disabled.capacity(CacheName::RepoAccess, bytes);
        let table = store.generation_table();
        Self {
            by_caller: GenerationCache::new(table.clone(), capacity(ACCESS_BYTES), |(_, name), access| {
                let permissions = match &access.grant {
                    Grant::Inside(permissions) => permissions_bytes(permissions),
                    Grant::Everywhere | Grant::Outside | Grant::Suspended => 0,
                };
                size_of::<RepoAccess>() + name.len() + repo_bytes(&access.target.repo) + permissions
            }),
            repos: GenerationCache::new(table.clone(), capacity(REPO_BYTES), |_, repo| repo_bytes(repo)),
        }
    }
}

fn repo_bytes(repo: &Repo) -> usize {
    let texts = [&repo.owner_login, &repo.name, &repo.default_branch].map(|text| text.len());
    let optional = [&repo.description, &repo.homepage, &repo.license].map(|text| text.as_ref().map_or(0, String::len));
    size_of::<Repo>() + texts.into_iter().chain(optional).sum::<usize>()
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
        let RepoAccessCache { by_caller, repos } = &core.repo_access_cache;
        let cached = by_caller.get(&key)?;
        let mut target = cached.target.clone();
        if request.cached == CachedAccess::Content
            && !core.generation_table().is_unchanged(cached.read_at, row_of(target.repo.id))
        {
            target.repo = repos.get(&target.repo.id)?;
        }
        Some((target, cached.grant.clone(), cached.facts))
    }

    /// The caller's access and the name of the repository are valid until rights change, while every push changes some of its columns.
    async fn refresh_cached(core: &Core, request: &AccessRequest) -> Result<Option<(Self, Grant, Facts)>> {
        let Some((read_at, key)) = Self::cache_key(request) else { return Ok(None) };
        let RepoAccessCache { by_caller, repos } = &core.repo_access_cache;
        let Some(cached) = by_caller.get(&key) else { return Ok(None) };
        let id = cached.target.repo.id;
        let Some(content) = store::find_content(&mut core.read().await?, id).await? else { return Ok(None) };
        let repo = Arc::new(Repo::clone(&cached.target.repo).with_content(content));
        repos.insert(read_at, row_of(id), id, repo.clone());
        Ok(Some((Self { repo, role: cached.target.role }, cached.grant.clone(), cached.facts)))
    }

    fn add_to_cache(&self, core: &Core, request: &AccessRequest, grant: &Grant, facts: &Facts) {
        if let Some((read_at, key)) = Self::cache_key(request) {
            let RepoAccessCache { by_caller, repos } = &core.repo_access_cache;
            let access = RepoAccess { read_at, target: self.clone(), facts: *facts, grant: grant.clone() };
            by_caller.insert(read_at, Dependency::Rights, key, Arc::new(access));
            repos.insert(read_at, row_of(self.repo.id), self.repo.id, self.repo.clone());
        }
    }
}

/// What a repository depends on that was read from the store.
fn row_of(repo: RepoId) -> Dependency {
    Dependency::Kind(repo, ContentKind::Repository)
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
