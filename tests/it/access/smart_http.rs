//! Rows about clone and push, tested on the ref advertisement that both begin with.

use super::credential::Credential;
use super::objects::RequestTarget;
use super::requirement::{Case, Expect, Scenario};
use super::rows::Row;

/// `None` for a requirement that this file does not know.
pub fn scenario(row: &Row) -> Option<Scenario> {
    let pushes = row.endpoint.starts_with("git-receive-pack");
    let missing = Expect::Status(row.status());
    let full = || Credential::full(&row.kind);
    let mut cases = Vec::new();
    let mut case = |credential, target, expect| cases.push(Case { credential, target, expect });
    match row.requirement.split([' ', ':', '=', ';']).next()? {
        "visibility" => {
            case(Credential::Anonymous, RequestTarget::PRIVATE, missing);
            case(Credential::Anonymous, RequestTarget::ABSENT, missing);
            case(Credential::Anonymous, RequestTarget::PUBLIC, if pushes { missing } else { Expect::Success });
        }
        "scope" if pushes => {
            case(full().without_scopes(&["repo", "public_repo"]), RequestTarget::PUBLIC, missing);
            case(full().with_scopes(&["public_repo"]), RequestTarget::PUBLIC, Expect::Success);
            case(full().with_scopes(&["repo"]), RequestTarget::PRIVATE, Expect::Success);
        }
        "scope" => {
            case(full().without_scopes(&["repo"]), RequestTarget::PRIVATE, missing);
            case(full().with_scopes(&["repo"]), RequestTarget::PRIVATE, Expect::Success);
        }
        "perm" => {
            let (level, target) =
                if pushes { ("read", RequestTarget::PUBLIC) } else { ("none", RequestTarget::PRIVATE) };
            case(full().without_permission("contents", level), target.clone(), missing);
            let outside = match row.kind.as_str() {
                "app_user_token" => full().through_app("narrow"),
                _ => full().on_repo("acme/elsewhere"),
            };
            case(outside, target.clone(), missing);
            case(full().with_only("contents", if pushes { "write" } else { "read" }), target, Expect::Success);
        }
        _ => return None,
    }
    Some(Scenario { cases, needs_area: true, ..Scenario::default() })
}
