//! Rows about clone and push, tried on the advertisement that both begin with.

use super::credential::Credential;
use super::objects::Place;
use super::requirement::{Case, Expect, Scenario};
use super::rows::Row;

/// `None` for a row that nobody has thought of.
pub fn scenario(row: &Row) -> Option<Scenario> {
    let pushes = row.endpoint.starts_with("git-receive-pack");
    let missing = Expect::Status(row.status());
    let full = || Credential::full(&row.kind);
    let mut cases = Vec::new();
    let mut case = |credential, place, expect| cases.push(Case { credential, place, expect });
    match row.requirement.split([' ', ':', '=', ';']).next()? {
        "visibility" => {
            case(Credential::Anonymous, Place::PRIVATE, missing);
            case(Credential::Anonymous, Place::ABSENT, missing);
            case(Credential::Anonymous, Place::PUBLIC, if pushes { missing } else { Expect::Success });
        }
        "scope" if pushes => {
            case(full().without_scopes(&["repo", "public_repo"]), Place::PUBLIC, missing);
            case(full().with_scopes(&["public_repo"]), Place::PUBLIC, Expect::Success);
            case(full().with_scopes(&["repo"]), Place::PRIVATE, Expect::Success);
        }
        "scope" => {
            case(full().without_scopes(&["repo"]), Place::PRIVATE, missing);
            case(full().with_scopes(&["repo"]), Place::PRIVATE, Expect::Success);
        }
        "perm" => {
            let (level, place) = if pushes { ("read", Place::PUBLIC) } else { ("none", Place::PRIVATE) };
            case(full().without_permission("contents", level), place.clone(), missing);
            let outside = match row.kind.as_str() {
                "app_user_token" => full().through_app("narrow"),
                _ => full().on_repo("acme/elsewhere"),
            };
            case(outside, place.clone(), missing);
            case(full().with_only("contents", if pushes { "write" } else { "read" }), place, Expect::Success);
        }
        _ => return None,
    }
    Some(Scenario { cases, needs_area: true, ..Scenario::default() })
}
