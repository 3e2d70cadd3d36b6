//! Projects as targets of paths.

use super::Project;
use super::store::{self, ProjectWithRole};
use crate::access::{Facts, PathParams, Target, TargetKind, check_kind, policy};
use crate::accounts::AccountKind;
use crate::tokens::Principal;
use plinth_base::error::Result;
use plinth_store::Connection;

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
        let found = find(db, path, path.get("org"), AccountKind::Organization, caller).await?;
        Ok(found.map(|(project, facts)| (OrgProject(project), facts)))
    }
}

impl Target for UserProject {
    const KIND: TargetKind = TargetKind::UserProject;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let found = find(db, path, path.get("username"), AccountKind::User, caller).await?;
        Ok(found.map(|(project, facts)| (UserProject(project), facts)))
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
    owner: &str,
    kind: AccountKind,
    caller: &Principal,
) -> Result<Option<(Project, Facts)>> {
    let Some(number) = path.number("project_number") else { return Ok(None) };
    let found = store::find(db, owner, kind, number, caller.user_id()).await?;
    Ok(found.map(with_facts))
}

fn with_facts(found: ProjectWithRole) -> (Project, Facts) {
    let (owner, public) = (found.project.owner_id, found.project.public);
    (found.project, Facts { owner, repo: None, public, archived: false, role: found.role })
}
