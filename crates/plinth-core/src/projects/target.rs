//! Projects as targets of paths, and the cache of callers' access to them.

use std::sync::Arc;

use super::Project;
use super::store::{self, ProjectWithRole};
use crate::Core;
use crate::access::{
    AccessRequest, CachedAccess, Facts, Grant, PathParams, Target, TargetKind, check_kind, permissions_bytes, policy,
};
use crate::accounts::AccountKind;
use crate::caches::{CacheName, DisabledCaches};
use crate::tokens::Principal;
use plinth_base::error::Result;
use plinth_base::ids::TokenId;
use plinth_store::{Connection, Dependency, GenerationCache, Generations, Store};

/// A caller's access to projects, by token, kind and name of the owner as the caller wrote it, and number; an entry is valid
/// until rights or the content of the owner change.
pub type ProjectAccessCache = GenerationCache<(TokenId, AccountKind, String, i64), Arc<ProjectAccess>>;

const CACHE_BYTES: usize = 4 << 20;

pub fn new_project_access_cache(store: &Store, disabled: &DisabledCaches) -> ProjectAccessCache {
    let bytes = disabled.capacity(CacheName::ProjectAccess, CACHE_BYTES);
    GenerationCache::new(store.generation_table().clone(), bytes, |(_, _, owner, _), access| {
        let project = &access.project;
        let description = project.short_description.as_ref().map_or(0, String::len);
        let permissions = match &access.grant {
            Grant::Inside(permissions) => permissions_bytes(permissions),
            Grant::Everywhere | Grant::Outside | Grant::Suspended => 0,
        };
        let texts = owner.len() + project.owner_login.len() + project.title.len() + description;
        size_of::<ProjectAccess>() + texts + permissions
    })
}

/// Everything that a decision about a caller in a project needs.
#[derive(Debug, Clone)]
pub struct ProjectAccess {
    project: Project,
    facts: Facts,
    grant: Grant,
}

impl ProjectAccess {
    fn find(core: &Core, request: &AccessRequest, kind: AccountKind) -> Option<(Project, Grant, Facts)> {
        let (_, key) = Self::key(request, kind)?;
        let cached = core.project_access_cache.get(&key)?;
        Some((cached.project.clone(), cached.grant.clone(), cached.facts))
    }

    fn insert(self, core: &Core, request: &AccessRequest, (kind, owner): (TargetKind, AccountKind)) {
        if let Some((generations, key)) = Self::key(request, owner) {
            let dependency = Dependency::Content(self.facts.scope(kind));
            core.project_access_cache.insert(generations, dependency, key, Arc::new(self));
        }
    }

    /// The generations of the request and its key in the cache, if the request may use it.
    fn key(request: &AccessRequest, kind: AccountKind) -> Option<(Generations, (TokenId, AccountKind, String, i64))> {
        if request.cached != CachedAccess::Content {
            return None;
        }
        let (generations, token) = (request.generations?, request.principal.token_id()?);
        let number = request.params.number("project_number")?;
        Some((generations, (token, kind, owner_in(&request.params, kind).to_owned(), number)))
    }
}

fn owner_in(path: &PathParams, kind: AccountKind) -> &str {
    match kind {
        AccountKind::Organization => path.get("org"),
        AccountKind::User | AccountKind::Bot => path.get("username"),
    }
}

/// A project of an organization.
pub struct OrgProject(Project);

/// A project of a user.
pub struct UserProject(Project);

impl AsRef<Project> for OrgProject {
    fn as_ref(&self) -> &Project {
        &self.0
    }
}

impl AsRef<Project> for UserProject {
    fn as_ref(&self) -> &Project {
        &self.0
    }
}

impl Target for OrgProject {
    const KIND: TargetKind = TargetKind::OrgProject;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let found = find(db, path, AccountKind::Organization, caller).await?;
        Ok(found.map(|(project, facts)| (OrgProject(project), facts)))
    }

    fn from_cache(core: &Core, request: &AccessRequest) -> Option<(Self, Grant, Facts)> {
        let (project, grant, facts) = ProjectAccess::find(core, request, AccountKind::Organization)?;
        Some((OrgProject(project), grant, facts))
    }

    fn add_to_cache(&self, core: &Core, request: &AccessRequest, grant: &Grant, facts: &Facts) {
        let access = ProjectAccess { project: self.0.clone(), facts: *facts, grant: grant.clone() };
        access.insert(core, request, (Self::KIND, AccountKind::Organization));
    }
}

impl Target for UserProject {
    const KIND: TargetKind = TargetKind::UserProject;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let found = find(db, path, AccountKind::User, caller).await?;
        Ok(found.map(|(project, facts)| (UserProject(project), facts)))
    }

    fn from_cache(core: &Core, request: &AccessRequest) -> Option<(Self, Grant, Facts)> {
        let (project, grant, facts) = ProjectAccess::find(core, request, AccountKind::User)?;
        Some((UserProject(project), grant, facts))
    }

    fn add_to_cache(&self, core: &Core, request: &AccessRequest, grant: &Grant, facts: &Facts) {
        let access = ProjectAccess { project: self.0.clone(), facts: *facts, grant: grant.clone() };
        access.insert(core, request, (Self::KIND, AccountKind::User));
    }
}

/// A project by its id.
pub struct AnyProject(Project);

impl AsRef<Project> for AnyProject {
    fn as_ref(&self) -> &Project {
        &self.0
    }
}

impl Target for AnyProject {
    const KIND: TargetKind = TargetKind::AnyProject;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let Some(id) = path.number("project_id") else { return Ok(None) };
        let found = store::find_by_id(db, id, caller.user_id()).await?;
        // A project must not be accessible by id if the path below its owner rejects the caller.
        let of_user = &policy::USER_PROJECT_READ;
        let found = found.filter(|found| match found.project.owner_kind {
            AccountKind::Organization => true,
            AccountKind::User | AccountKind::Bot => check_kind(of_user, caller).is_ok(),
        });
        Ok(found.map(with_facts).map(|(project, facts)| (AnyProject(project), facts)))
    }
}

async fn find(
    db: &mut Connection,
    path: &PathParams,
    kind: AccountKind,
    caller: &Principal,
) -> Result<Option<(Project, Facts)>> {
    let Some(number) = path.number("project_number") else { return Ok(None) };
    let found = store::find(db, owner_in(path, kind), kind, number, caller.user_id()).await?;
    Ok(found.map(with_facts))
}

fn with_facts(found: ProjectWithRole) -> (Project, Facts) {
    let (owner, public) = (found.project.owner_id, found.project.public);
    (found.project, Facts { owner, repo: None, public, archived: false, role: found.role })
}
