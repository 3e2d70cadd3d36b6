//! The credentials of a row: complete ones, and ones that lack a single right.

use std::collections::BTreeMap;

/// Every scope that some operation requires.
pub const SCOPES: [&str; 12] = [
    "repo",
    "public_repo",
    "workflow",
    "read:org",
    "write:org",
    "admin:org",
    "read:project",
    "project",
    "read:user",
    "delete_repo",
    "notifications",
    "gist",
];
/// Permissions that operations require, and some that none requires.
pub const PERMISSIONS: [&str; 8] = [
    "contents",
    "pull_requests",
    "issue_fields",
    "organization_projects",
    "workflows",
    "administration",
    "issues",
    "checks",
];

pub type Permissions = BTreeMap<&'static str, &'static str>;

/// The content of the `Authorization` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    Anonymous,
    /// Exactly this header.
    Header(String),
    /// One of the two kinds with scopes.
    Scoped {
        kind: &'static str,
        user: &'static str,
        scopes: Vec<&'static str>,
    },
    FineGrained {
        user: &'static str,
        owner: &'static str,
        repos: Option<&'static str>,
        permissions: Permissions,
    },
    AppUser {
        user: &'static str,
        app: String,
    },
    Installation {
        app: String,
        account: &'static str,
        repos: Option<&'static str>,
    },
    AppJwt,
    /// Another app than the usual one.
    JwtOf(&'static str),
}

/// Everything at the highest level.
pub fn all_permissions() -> Permissions {
    PERMISSIONS.iter().map(|name| (*name, "write")).collect()
}

/// The app that is installed on `acme` with these permissions.
pub fn app_with(name: &str, level: &str) -> String {
    format!("only-{}-{level}", name.replace('_', "-"))
}

/// The app that is installed on `acme` with all permissions but this one.
pub fn app_without(name: &str, level: &str) -> String {
    format!("less-{}-{level}", name.replace('_', "-"))
}

impl Credential {
    /// A credential of the kind that `authz.csv` names, with every right that it can have.
    pub fn full(kind: &str) -> Self {
        match kind {
            "anonymous" => Credential::Anonymous,
            "classic_pat" => Credential::Scoped { kind: "classic", user: "owner", scopes: SCOPES.to_vec() },
            "oauth_app_token" => Credential::Scoped { kind: "oauth", user: "owner", scopes: SCOPES.to_vec() },
            "fine_grained_pat" => {
                Credential::FineGrained { user: "owner", owner: "acme", repos: None, permissions: all_permissions() }
            }
            "app_user_token" => Credential::AppUser { user: "owner", app: "full".into() },
            "installation_token" => Credential::Installation { app: "full".into(), account: "acme", repos: None },
            "app_jwt" => Credential::AppJwt,
            other => panic!("{other} is no kind of token"),
        }
    }

    /// The same for another user; an installation acts for no user.
    pub fn of_user(mut self, name: &'static str) -> Self {
        match &mut self {
            Credential::Scoped { user, .. }
            | Credential::FineGrained { user, .. }
            | Credential::AppUser { user, .. } => *user = name,
            other => panic!("{other:?} has no user"),
        }
        self
    }

    pub fn with_scopes(mut self, wanted: &[&'static str]) -> Self {
        let Credential::Scoped { scopes, .. } = &mut self else { panic!("{self:?} has no scopes") };
        *scopes = wanted.to_vec();
        self
    }

    pub fn without_scopes(self, unwanted: &[&str]) -> Self {
        let left: Vec<&'static str> = SCOPES.into_iter().filter(|scope| !unwanted.contains(scope)).collect();
        self.with_scopes(&left)
    }

    /// Every permission, one of them only at `level`.
    pub fn without_permission(mut self, name: &'static str, level: &'static str) -> Self {
        match &mut self {
            Credential::FineGrained { permissions, .. } => {
                permissions.remove(name);
                if level != "none" {
                    permissions.insert(name, level);
                }
            }
            Credential::AppUser { app, .. } | Credential::Installation { app, .. } => *app = app_without(name, level),
            other => panic!("{other:?} has no permissions"),
        }
        self
    }

    /// One permission only.
    pub fn with_only(mut self, name: &'static str, level: &'static str) -> Self {
        match &mut self {
            Credential::FineGrained { permissions, .. } => *permissions = BTreeMap::from([(name, level)]),
            Credential::AppUser { app, .. } | Credential::Installation { app, .. } => *app = app_with(name, level),
            other => panic!("{other:?} has no permissions"),
        }
        self
    }

    pub fn through_app(mut self, slug: &str) -> Self {
        match &mut self {
            Credential::AppUser { app, .. } | Credential::Installation { app, .. } => *app = slug.into(),
            other => panic!("{other:?} hangs on no app"),
        }
        self
    }

    /// Narrowed to one repository.
    pub fn on_repo(mut self, name: &'static str) -> Self {
        match &mut self {
            Credential::FineGrained { repos, .. } | Credential::Installation { repos, .. } => *repos = Some(name),
            other => panic!("{other:?} has no selection of its own"),
        }
        self
    }

    pub fn on_account(mut self, name: &'static str) -> Self {
        match &mut self {
            Credential::FineGrained { owner, .. } => *owner = name,
            Credential::Installation { account, .. } => *account = name,
            other => panic!("{other:?} belongs to no account"),
        }
        self
    }

    /// The line of a state file for this token, and the token; nothing if no token is needed.
    pub fn token(&self, number: usize) -> Option<(String, String)> {
        let (prefix, rest) = match self {
            Credential::Anonymous | Credential::Header(_) | Credential::AppJwt | Credential::JwtOf(_) => return None,
            Credential::Scoped { kind, user, scopes } => {
                let prefix = if *kind == "oauth" { "gho_" } else { "ghp_" };
                (prefix, format!("kind: {kind}, user: {user}, scopes: {scopes:?}"))
            }
            Credential::FineGrained { user, owner, repos, permissions } => (
                "github_pat_",
                format!(
                    "kind: fine_grained, user: {user}, owner: {owner}, repositories: {}, permissions: {}",
                    selection(*repos),
                    yaml(permissions)
                ),
            ),
            Credential::AppUser { user, app } => ("ghu_", format!("kind: app_user, user: {user}, app: {app}")),
            Credential::Installation { app, account, repos } => (
                "ghs_",
                format!("kind: installation, app: {app}, account: {account}, repositories: {}", selection(*repos)),
            ),
        };
        let token = format!("{prefix}case{number:06}");
        Some((format!("  - {{ {rest}, token: {token} }}\n"), token))
    }
}

fn selection(repos: Option<&str>) -> String {
    repos.map_or("all".into(), |name| format!("[{name}]"))
}

pub fn yaml(permissions: &Permissions) -> String {
    let pairs: Vec<String> = permissions.iter().map(|(name, level)| format!("{name}: {level}")).collect();
    format!("{{ {} }}", pairs.join(", "))
}
