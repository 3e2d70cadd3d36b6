//! Scopes of classic and OAuth tokens.

use std::fmt;

/// The scopes that operations of the service require.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Repo,
    PublicRepo,
    /// Statuses of commits of all repositories.
    RepoStatus,
    /// Statuses of commits of public repositories. No scope has this name alone.
    PublicRepoStatus,
    Workflow,
    ReadOrg,
    AdminOrg,
    ReadProject,
    Project,
    ReadUser,
    DeleteRepo,
    Notifications,
    ReadRepoHook,
    WriteRepoHook,
    AdminRepoHook,
    AdminOrgHook,
}

impl Scope {
    /// Every scope that has a name of its own.
    const ALL: [Scope; 15] = [
        Scope::Repo,
        Scope::PublicRepo,
        Scope::RepoStatus,
        Scope::Workflow,
        Scope::ReadOrg,
        Scope::AdminOrg,
        Scope::ReadProject,
        Scope::Project,
        Scope::ReadUser,
        Scope::DeleteRepo,
        Scope::Notifications,
        Scope::ReadRepoHook,
        Scope::WriteRepoHook,
        Scope::AdminRepoHook,
        Scope::AdminOrgHook,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Repo => "repo",
            Scope::PublicRepo => "public_repo",
            Scope::RepoStatus | Scope::PublicRepoStatus => "repo:status",
            Scope::Workflow => "workflow",
            Scope::ReadOrg => "read:org",
            Scope::AdminOrg => "admin:org",
            Scope::ReadProject => "read:project",
            Scope::Project => "project",
            Scope::ReadUser => "read:user",
            Scope::DeleteRepo => "delete_repo",
            Scope::Notifications => "notifications",
            Scope::ReadRepoHook => "read:repo_hook",
            Scope::WriteRepoHook => "write:repo_hook",
            Scope::AdminRepoHook => "admin:repo_hook",
            Scope::AdminOrgHook => "admin:org_hook",
        }
    }

    /// The names that grant this scope: its own, and those of wider scopes.
    fn granted_by(self) -> &'static [&'static str] {
        match self {
            Scope::Repo => &["repo"],
            Scope::PublicRepo => &["public_repo", "repo"],
            Scope::RepoStatus => &["repo:status", "repo"],
            Scope::PublicRepoStatus => &["repo:status", "public_repo", "repo"],
            Scope::Workflow => &["workflow"],
            Scope::ReadOrg => &["read:org", "write:org", "admin:org"],
            Scope::AdminOrg => &["admin:org"],
            Scope::ReadProject => &["read:project", "project"],
            Scope::Project => &["project"],
            Scope::ReadUser => &["read:user", "user"],
            Scope::DeleteRepo => &["delete_repo"],
            Scope::Notifications => &["notifications", "repo"],
            Scope::ReadRepoHook => &["read:repo_hook", "write:repo_hook", "admin:repo_hook", "repo"],
            Scope::WriteRepoHook => &["write:repo_hook", "admin:repo_hook", "repo"],
            Scope::AdminRepoHook => &["admin:repo_hook", "repo"],
            Scope::AdminOrgHook => &["admin:org_hook"],
        }
    }
}

/// The scopes of one token, in alphabetical order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scopes(Vec<String>);

impl Scopes {
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let mut names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
        names.sort();
        names.dedup();
        Self(names)
    }

    /// Parses the comma-separated form.
    pub fn parse(text: &str) -> Self {
        Self::new(text.split(',').map(|name| name.trim().to_owned()))
    }

    pub fn grant(&self, scope: Scope) -> bool {
        scope.granted_by().iter().any(|name| self.0.iter().any(|own| own == name))
    }

    /// The names in `requested` that these scopes do not grant. A name that the service does not use grants only itself.
    pub fn missing_of(&self, requested: &Scopes) -> Vec<String> {
        let scope_named = |name: &str| Scope::ALL.into_iter().find(|scope| scope.as_str() == name);
        let granted = |name: &String| self.0.contains(name) || scope_named(name).is_some_and(|scope| self.grant(scope));
        requested.0.iter().filter(|name| !granted(name)).cloned().collect()
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.0.iter().enumerate() {
            out.write_str(if index == 0 { "" } else { ", " })?;
            out.write_str(scope)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grant_includes_narrower_scopes_only() {
        let wide = Scopes::parse("admin:org, repo,project");
        for scope in [Scope::Repo, Scope::PublicRepo, Scope::ReadOrg, Scope::AdminOrg, Scope::ReadProject] {
            assert!(wide.grant(scope), "{scope:?}");
        }
        assert!(!wide.grant(Scope::Workflow));
        let narrow = Scopes::parse("public_repo,read:org,read:project");
        for scope in [Scope::Repo, Scope::AdminOrg, Scope::Project] {
            assert!(!narrow.grant(scope), "{scope:?}");
        }
        for scope in [Scope::ReadRepoHook, Scope::WriteRepoHook, Scope::AdminRepoHook] {
            assert!(wide.grant(scope) && Scopes::parse("admin:repo_hook").grant(scope), "{scope:?}");
        }
        assert!(!wide.grant(Scope::AdminOrgHook));
        assert!(!Scopes::parse("write:repo_hook,admin:org_hook").grant(Scope::AdminRepoHook));
        assert_eq!(wide.to_string(), "admin:org, project, repo");
        assert!(wide.missing_of(&narrow).is_empty());
        assert_eq!(narrow.missing_of(&Scopes::parse("repo,read:org,gist")), ["gist", "repo"]);
    }
}
