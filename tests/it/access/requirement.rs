//! Translates a requirement into requests: some that lack only this requirement, and some that meet it.

use super::credential::{Credential, SCOPES};
use super::fixture::{EXPIRED_TOKEN, REVOKED_TOKEN};
use super::objects::{Object, RequestTarget};
use super::rows::{Row, TOKEN_KINDS, is_read};
use plinth_api::policy::Row as TableRow;

/// One request and the expected response.
#[derive(Debug, Clone)]
pub struct Case {
    pub credential: Credential,
    pub target: RequestTarget,
    pub expect: Expect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    Success,
    Status(u16),
}

/// What a row is translated into.
#[derive(Debug, Default)]
pub struct Scenario {
    pub cases: Vec<Case>,
    /// The operation itself decides; a probe cannot.
    pub needs_area: bool,
    /// The row is about the items of a list.
    pub is_list: bool,
}

impl Scenario {
    fn case(mut self, credential: Credential, target: RequestTarget, expect: Expect) -> Self {
        self.cases.push(Case { credential, target, expect });
        self
    }

    fn area(self) -> Self {
        Self { needs_area: true, ..self }
    }
}

use Expect::{Status, Success};

/// `None` for a requirement that this file does not know.
pub fn scenario(row: &Row) -> Option<Scenario> {
    let new = Scenario::default();
    let (topic, rest) = row.bare().split_once(':')?;
    let table = row.of_table();
    let is_git = table.operation.ends_with("-pack");
    Some(match (topic, rest) {
        _ if row.outcome == "omitted" => Scenario { is_list: true, needs_area: true, ..new },
        _ if is_git && row.requirement != "kind:refused" => super::smart_http::scenario(row)?,
        ("token", "known_active_unexpired_unrevoked") => bad_tokens(row, table),
        ("jwt", "sent_with_Bearer_not_token") => new
            .case(Credential::Header("token {jwt}".into()), RequestTarget::PUBLIC, Status(row.status()))
            .case(accepted(table), RequestTarget::PUBLIC, Success),
        ("kind", "refused") => {
            let target =
                |target| Case { credential: Credential::full(&row.kind), target, expect: Status(row.status()) };
            // The credential is rejected before any look-up, so the result is the same for missing resources.
            Scenario {
                cases: vec![
                    target(RequestTarget::PUBLIC),
                    target(RequestTarget::PRIVATE),
                    target(RequestTarget::ABSENT),
                ],
                ..new
            }
        }
        ("auth", "required") => new.case(Credential::Anonymous, RequestTarget::PUBLIC, Status(row.status())).case(
            accepted(table),
            RequestTarget::PUBLIC,
            Success,
        ),
        ("visibility", "repo=public" | "project=public") => new
            .case(Credential::Anonymous, RequestTarget::PRIVATE, Status(row.status()))
            .case(Credential::Anonymous, RequestTarget::ABSENT, Status(row.status()))
            .case(Credential::Anonymous, RequestTarget::PUBLIC, if is_read(table) { Success } else { Status(401) }),
        ("scope", scopes) => scope(row, scopes),
        ("perm", permission) => permission_case(row, permission)?,
        ("role", role) => role_case(row, table, role)?,
        ("owner", "token.resource_owner=org") => new
            .case(full(row).on_account("other"), target_of(row), Status(row.status()))
            .case(full(row), target_of(row), Success),
        ("installation", "app_installed_on_org") => new
            .case(full(row).through_app("foreign"), target_of(row), Status(row.status()))
            .case(full(row), target_of(row), Success),
        ("installation", "target=org") => new
            .case(full(row).through_app("foreign").on_account("other"), target_of(row), Status(row.status()))
            .case(full(row), target_of(row), Success),
        ("repo", "in_token_selection") => {
            let elsewhere = new.case(full(row).on_repo("acme/elsewhere"), target_of(row), Status(row.status()));
            let elsewhere = match row.kind.as_str() {
                "installation_token" => {
                    elsewhere.case(full(row).through_app("narrow"), target_of(row), Status(row.status()))
                }
                _ => elsewhere,
            };
            let here = if target_of(row).repo == "private" { "acme/private" } else { "acme/public" };
            elsewhere.case(full(row).on_repo(here), target_of(row), Success)
        }
        ("repo", "in_app_installation") => new
            .case(full(row).through_app("narrow"), target_of(row), Status(row.status()))
            .case(full(row), target_of(row), Success),
        ("state", "repo.not_archived") => accepted_kinds(table).fold(new, |scenario, kind| {
            scenario.case(Credential::full(kind), RequestTarget::ARCHIVED, Status(row.status())).case(
                Credential::full(kind),
                RequestTarget::PUBLIC,
                Success,
            )
        }),
        ("state", "installation.not_suspended") if row.kind == "app_jwt" => new
            .case(Credential::JwtOf("suspended"), RequestTarget::PUBLIC.of_app("suspended"), Status(row.status()))
            .case(full(row), RequestTarget::PUBLIC, Success),
        ("state", "installation.not_suspended") => new
            .case(full(row).through_app("suspended"), RequestTarget::PUBLIC, Status(row.status()))
            .case(full(row).through_app("suspended"), RequestTarget::PRIVATE, Status(row.status()))
            .case(full(row), RequestTarget::PUBLIC, Success),
        ("object" | "ref", _) => object(row, table),
        ("installation" | "state" | "jwt", _) => super::installations::scenario(row)?,
        _ => return None,
    })
}

fn full(row: &Row) -> Credential {
    Credential::full(&row.kind)
}

/// A complete credential of a kind that the endpoint accepts.
fn accepted(table: &TableRow) -> Credential {
    Credential::full(accepted_kinds(table).next().expect("every endpoint accepts some kind of token"))
}

fn accepted_kinds(table: &TableRow) -> impl Iterator<Item = &'static str> {
    TOKEN_KINDS.into_iter().filter(|(_, kind)| table.rule.kinds.contains(*kind)).map(|(name, _)| name)
}

fn target_of(row: &Row) -> RequestTarget {
    match row.condition() {
        Some("repo=private" | "project=private") => RequestTarget::PRIVATE,
        _ => RequestTarget::PUBLIC,
    }
}

/// The targets that a visibility condition names.
fn targets_of(row: &Row) -> Vec<RequestTarget> {
    match row.condition() {
        Some("repo=visible" | "project=visible") => vec![RequestTarget::PUBLIC, RequestTarget::PRIVATE],
        _ => vec![target_of(row)],
    }
}

fn bad_tokens(row: &Row, table: &TableRow) -> Scenario {
    let header = |text: String| Case {
        credential: Credential::Header(text),
        target: RequestTarget::PUBLIC,
        expect: Status(row.status()),
    };
    let cases = vec![
        header("Bearer ghp_nobodyhasthis".into()),
        header(format!("Bearer {EXPIRED_TOKEN}")),
        header(format!("Bearer {REVOKED_TOKEN}")),
        header(format!("token {REVOKED_TOKEN}")),
        header("Bearer".into()),
        header("Digest abc".into()),
    ];
    Scenario { cases, ..Scenario::default() }.case(accepted(table), RequestTarget::PUBLIC, Success)
}

fn scope(row: &Row, scopes: &str) -> Scenario {
    let alternatives: Vec<&'static str> =
        SCOPES.into_iter().filter(|scope| scopes.split('|').any(|name| name == *scope)).collect();
    assert!(!alternatives.is_empty(), "{}: no such scope", row.name());
    let workflow = row.condition().is_some_and(|condition| condition.starts_with("commit_changes"));
    let targets = match (workflow, row.of_table().operation) {
        (true, _) => {
            vec![RequestTarget::PUBLIC.about(Object::WithWorkflow), RequestTarget::PRIVATE.about(Object::WithWorkflow)]
        }
        (false, operation)
            if operation.contains("repo-to-installation") || operation.contains("repo-from-installation") =>
        {
            vec![RequestTarget::SPARE]
        }
        (false, _) => targets_of(row),
    };
    let mut scenario = Scenario { needs_area: workflow, ..Scenario::default() };
    for target in targets {
        scenario = scenario.case(full(row).without_scopes(&alternatives), target.clone(), Status(row.status()));
        for scope in &alternatives {
            let enough = if workflow { vec![*scope, "repo"] } else { vec![*scope] };
            scenario = scenario.case(full(row).with_scopes(&enough), target.clone(), Success);
        }
    }
    scenario
}

fn permission_case(row: &Row, permission: &str) -> Option<Scenario> {
    let new = Scenario::default();
    if permission == "none" {
        // The row's status is the status of success here.
        return Some(new.case(full(row).through_app("empty"), RequestTarget::PUBLIC, Success));
    }
    if permission.starts_with("requested subset") {
        return super::installations::scenario(row);
    }
    let (name, level) = permission.split_once('=')?;
    if name == "metadata" {
        // Every grant includes it, so nobody can lack it.
        return Some(new.case(full(row).through_app("empty"), RequestTarget::PUBLIC.of_app("empty"), Success));
    }
    let name = *super::credential::PERMISSIONS.iter().find(|known| **known == name)?;
    if name == "workflows" {
        let target = RequestTarget::PUBLIC.about(Object::WithWorkflow);
        let missing = full(row).without_permission(name, "none");
        return Some(new.case(missing, target.clone(), Status(row.status())).case(full(row), target, Success).area());
    }
    let mut scenario = new;
    for target in targets_of(row) {
        // A private project is hidden from a token without the permission to read it.
        let hidden = level == "write"
            && name == "organization_projects"
            && target.project == super::objects::Visibility::Private;
        if !hidden {
            scenario = scenario.case(full(row).without_permission(name, "none"), target.clone(), Status(row.status()));
        }
        if level == "write" {
            scenario = scenario.case(full(row).without_permission(name, "read"), target.clone(), Status(row.status()));
        }
        let level = if level == "write" { "write" } else { "read" };
        scenario = scenario.case(full(row).with_only(name, level), target, Success);
    }
    Some(scenario)
}

fn role_case(row: &Row, table: &TableRow, role: &str) -> Option<Scenario> {
    let status = Status(row.status());
    let user = |name| full(row).of_user(name);
    let new = Scenario::default();
    let writes_refs = table.operation.starts_with("git/") && !is_read(table);
    let edits_comment = matches!(table.operation, "pulls/update-review-comment" | "pulls/delete-review-comment");
    Some(match (role, row.condition()) {
        ("user>=repo.read", Some("repo=private")) if table.operation.contains("installation") => {
            return super::installations::scenario(row);
        }
        ("user=repo.admin", _) => return super::installations::scenario(row),
        ("user>=repo.read", Some("repo=private")) => {
            let enough = if writes_refs || edits_comment { "writer" } else { "reader" };
            new.case(user("stranger"), RequestTarget::PRIVATE, status).case(
                user(enough),
                RequestTarget::PRIVATE,
                Success,
            )
        }
        // Whoever sees a repository can read it, so the requirement cannot be missing alone.
        ("user>=repo.read", Some("repo=visible")) => new.case(user("stranger"), RequestTarget::PUBLIC, Success),
        ("user>=repo.push", Some("repo=visible")) => new
            .case(user("stranger"), RequestTarget::PUBLIC, status)
            .case(user("reader"), RequestTarget::PUBLIC, status)
            .case(user("reader"), RequestTarget::PRIVATE, status)
            .case(user("member"), RequestTarget::PRIVATE, status)
            .case(user("writer"), RequestTarget::PUBLIC, Success)
            .case(user("writer"), RequestTarget::PRIVATE, Success),
        ("user=comment.author_or>=repo.push", Some("repo=visible")) => new
            .case(user("stranger"), RequestTarget::PUBLIC, status)
            .case(user("reader"), RequestTarget::PRIVATE, status)
            .case(user("reader"), RequestTarget::PRIVATE.about(Object::ByReader), Success)
            .case(user("writer"), RequestTarget::PRIVATE, Success)
            .area(),
        ("org.member", None) => new.case(user("stranger"), RequestTarget::PUBLIC, status).case(
            user("member"),
            RequestTarget::PUBLIC,
            Success,
        ),
        ("org.admin", None) => new
            .case(user("member"), RequestTarget::PUBLIC, status)
            .case(user("stranger"), RequestTarget::PUBLIC, status)
            .case(user("owner"), RequestTarget::PUBLIC, Success),
        ("user>=project.read" | "user=owner_or_project.read", Some("project=private")) => new
            .case(user("stranger"), RequestTarget::PRIVATE, status)
            .case(user("owner"), RequestTarget::PRIVATE, Success),
        ("user>=project.write" | "user=owner_or_project.write", Some("project=visible")) => new
            .case(user("stranger"), RequestTarget::PUBLIC, status)
            .case(user("owner"), RequestTarget::PUBLIC, Success),
        _ => return None,
    })
}

fn object(row: &Row, table: &TableRow) -> Scenario {
    let about = if row.bare().starts_with("ref:") { Object::Reserved } else { Object::OfAnotherRepo };
    let scenario = accepted_kinds(table).fold(Scenario::default(), |scenario, kind| {
        scenario.case(Credential::full(kind), RequestTarget::PUBLIC.about(about), Status(row.status())).case(
            Credential::full(kind),
            RequestTarget::PUBLIC,
            Success,
        )
    });
    scenario.area()
}
