//! The kinds of right, and the statements that revoke and restore each of them.

use plinth_api::policy::Row;
use plinth_core::access::{Kind, TargetKind};

pub const TOKEN_ENDS: &str = "the token is ended";

/// Who makes the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A classic token of an organization admin.
    OrgAdmin,
    /// A classic token of a collaborator who administers the repository.
    Collaborator,
    FineGrained,
    AppUser,
    Installation,
    App,
}

impl Caller {
    pub fn kind(self) -> Kind {
        match self {
            Caller::OrgAdmin | Caller::Collaborator => Kind::Classic,
            Caller::FineGrained => Kind::FineGrained,
            Caller::AppUser => Kind::AppUser,
            Caller::Installation => Kind::Installation,
            Caller::App => Kind::AppJwt,
        }
    }
}

/// One kind of right.
pub struct Right {
    pub what: &'static str,
    pub caller: Caller,
    pub take: &'static [&'static str],
    pub give_back: &'static [&'static str],
    /// The targets that need the right; an empty list means all.
    targets: &'static [TargetKind],
}

impl Right {
    pub fn is_for(&self, row: &Row) -> bool {
        let is_target = self.targets.is_empty() || self.targets.contains(&row.rule.target);
        // Device codes belong to no account, so only the caller's token matters.
        let is_own = self.caller != Caller::Collaborator || row.rule.target == TargetKind::Repo;
        row.rule.kinds.contains(self.caller.kind()) && is_target && is_own
    }
}

const IN_ORG: &[TargetKind] = &[TargetKind::Repo, TargetKind::Org, TargetKind::OrgProject];
const REPO: &[TargetKind] = &[TargetKind::Repo];

const ALL_PERMISSIONS: &str = "update installation set permissions = '{\"administration\":\"write\",\
    \"contents\":\"write\",\"issue_fields\":\"write\",\"issues\":\"write\",\"organization_projects\":\"write\",\"pull_requests\":\"write\",\
    \"workflows\":\"write\",\"repository_hooks\":\"write\",\"organization_hooks\":\"write\",\"statuses\":\"write\"}'";
const READ_PERMISSIONS: &str = "update installation set permissions = '{\"administration\":\"read\",\
    \"contents\":\"read\",\"issue_fields\":\"read\",\"issues\":\"read\",\"organization_projects\":\"read\",\"pull_requests\":\"read\",\
    \"repository_hooks\":\"read\",\"organization_hooks\":\"read\",\"statuses\":\"read\"}'";

pub const RIGHTS: &[Right] = &[
    Right {
        what: TOKEN_ENDS,
        caller: Caller::OrgAdmin,
        take: &["update token set ended_at = 1 where note = 'caller'"],
        give_back: &["update token set ended_at = null where note = 'caller'"],
        targets: &[],
    },
    Right {
        what: "the installation token is ended",
        caller: Caller::Installation,
        take: &["update token set ended_at = 1 where note = 'caller'"],
        give_back: &["update token set ended_at = null where note = 'caller'"],
        targets: &[],
    },
    Right {
        what: "the app's key is removed",
        caller: Caller::App,
        take: &["update app_key set app_id = (select id from app where slug = 'other')"],
        give_back: &["update app_key set app_id = (select id from app where slug = 'helper')"],
        targets: &[],
    },
    Right {
        what: "the membership is removed",
        caller: Caller::OrgAdmin,
        take: &["delete from membership where user_id = (select id from account where login = 'carol')"],
        give_back: &[
            "insert into membership (org_id, user_id, role) select o.id, u.id, 'admin' from account o, account u \
                      where o.login = 'octo-org' and u.login = 'carol'",
        ],
        targets: &[TargetKind::Repo, TargetKind::Org, TargetKind::OrgProject, TargetKind::Installation],
    },
    Right {
        what: "the admin becomes a member",
        caller: Caller::OrgAdmin,
        take: &["update membership set role = 'member' where user_id = (select id from account where login = 'carol')"],
        give_back: &[
            "update membership set role = 'admin' where user_id = (select id from account where login = 'carol')",
        ],
        targets: &[TargetKind::Repo, TargetKind::Org, TargetKind::OrgProject, TargetKind::Installation],
    },
    Right {
        what: "the collaborator is removed",
        caller: Caller::Collaborator,
        take: &["delete from collaborator"],
        give_back: &["insert into collaborator (repo_id, user_id, permission) select r.id, u.id, 'admin' \
                      from repo r, account u where r.name = 'hello' and u.login = 'carol'"],
        targets: REPO,
    },
    Right {
        what: "the collaborator may only read",
        caller: Caller::Collaborator,
        take: &["update collaborator set permission = 'read'"],
        give_back: &["update collaborator set permission = 'admin'"],
        targets: REPO,
    },
    Right {
        what: "the repository is archived",
        caller: Caller::OrgAdmin,
        take: &["update repo set archived = true"],
        give_back: &["update repo set archived = false"],
        targets: REPO,
    },
    Right {
        what: "the repository is deleted",
        caller: Caller::OrgAdmin,
        take: &["update repo set deleted = true, name_key = 'DELETED-1' where name = 'hello'"],
        give_back: &["update repo set deleted = false, name_key = 'hello' where name = 'hello'"],
        targets: REPO,
    },
    Right {
        what: "the repository has another owner",
        caller: Caller::OrgAdmin,
        take: &["update repo set owner_id = (select id from account where login = 'mona') where name = 'hello'"],
        give_back: &[
            "update repo set owner_id = (select id from account where login = 'octo-org') where name = 'hello'",
        ],
        targets: REPO,
    },
    Right {
        what: "the fine-grained token loses the repository",
        caller: Caller::FineGrained,
        take: &["delete from token_repo"],
        give_back: &["insert into token_repo (token_id, repo_id) select t.id, r.id from token t, repo r \
                      where t.note = 'caller' and r.name = 'hello'"],
        targets: REPO,
    },
    Right {
        what: "the fine-grained token may only read",
        caller: Caller::FineGrained,
        take: &["update token set permissions = '{\"contents\":\"read\"}' where note = 'caller'"],
        give_back: &["update token set permissions = '{\"administration\":\"write\",\"contents\":\"write\",\
                      \"issue_fields\":\"write\",\"issues\":\"write\",\"organization_projects\":\"write\",\"pull_requests\":\"write\",\
                      \"workflows\":\"write\",\"repository_hooks\":\"write\",\"organization_hooks\":\"write\",\"statuses\":\"write\"}' \
                      where note = 'caller'"],
        targets: IN_ORG,
    },
    Right {
        what: "the installation of the installation token is suspended",
        caller: Caller::Installation,
        take: &["update installation set suspended_at = 1"],
        give_back: &["update installation set suspended_at = null"],
        targets: &[],
    },
    Right {
        what: "the installation of the installation token may only read",
        caller: Caller::Installation,
        take: &[READ_PERMISSIONS],
        give_back: &[ALL_PERMISSIONS],
        targets: IN_ORG,
    },
    Right {
        what: "the installation of the installation token loses the repository",
        caller: Caller::Installation,
        take: &["delete from installation_repo"],
        give_back: &["insert into installation_repo (installation_id, repo_id) select i.id, r.id \
             from installation i, repo r where r.name <> 'unselected'"],
        targets: REPO,
    },
    Right {
        what: "the installation of the app user token is suspended",
        caller: Caller::AppUser,
        take: &["update installation set suspended_at = 1"],
        give_back: &["update installation set suspended_at = null"],
        targets: IN_ORG,
    },
    Right {
        what: "the installation of the app user token is on another account",
        caller: Caller::AppUser,
        take: &["update installation set account_id = (select id from account where login = 'mona')"],
        give_back: &["update installation set account_id = (select id from account where login = 'octo-org')"],
        targets: IN_ORG,
    },
    Right {
        what: "the installation of the app user token loses the repository",
        caller: Caller::AppUser,
        take: &["delete from installation_repo"],
        give_back: &["insert into installation_repo (installation_id, repo_id) select i.id, r.id \
             from installation i, repo r where r.name <> 'unselected'"],
        targets: REPO,
    },
    Right {
        what: "the user of the app user token leaves the organization",
        caller: Caller::AppUser,
        take: &["delete from membership where user_id = (select id from account where login = 'carol')"],
        give_back: &[
            "insert into membership (org_id, user_id, role) select o.id, u.id, 'admin' from account o, account u \
                      where o.login = 'octo-org' and u.login = 'carol'",
        ],
        targets: IN_ORG,
    },
];
