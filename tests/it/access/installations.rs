//! Rows about installations, whose rights depend on several conditions.

use super::credential::Credential;
use super::objects::RequestTarget;
use super::requirement::{Case, Expect, Scenario};
use super::rows::Row;

/// `None` for a requirement that this file does not know.
pub fn scenario(row: &Row) -> Option<Scenario> {
    let missing = Expect::Status(row.status());
    let full = || Credential::full(&row.kind);
    let mut cases = Vec::new();
    let mut case = |credential, target, expect| cases.push(Case { credential, target, expect });
    match row.requirement.as_str() {
        "installation:of calling app and visible to user" => {
            case(full().of_user("stranger"), RequestTarget::PUBLIC, missing);
            case(full(), RequestTarget::PUBLIC.of_app("narrow"), missing);
            case(full().of_user("reader"), RequestTarget::PUBLIC, Expect::Success);
        }
        "installation:visible to user" => {
            case(full().of_user("stranger"), RequestTarget::PUBLIC, missing);
            case(full().of_user("reader"), RequestTarget::PUBLIC, Expect::Success);
        }
        "installation:visible to user and same owner as repo" => {
            case(
                full(),
                RequestTarget { account: "other", repo: "theirs", ..RequestTarget::SPARE.of_app("narrow") },
                missing,
            );
            case(full().of_user("stranger"), RequestTarget::SPARE, missing);
            case(full(), RequestTarget::SPARE, Expect::Success);
        }
        "role:user>=repo.read @repo=private" => {
            // The outsider sees the installation through another repository.
            case(full().of_user("outsider"), RequestTarget::SPARE_PRIVATE, missing);
            case(full(), RequestTarget::SPARE_PRIVATE, Expect::Success);
        }
        "role:user=repo.admin @repo=visible" => {
            case(full().of_user("writer"), RequestTarget::SPARE, missing);
            case(full().of_user("writer"), RequestTarget::SPARE_PRIVATE, missing);
            case(full(), RequestTarget::SPARE, Expect::Success);
        }
        "state:repository_selection=selected and not last repo" => {
            case(full(), RequestTarget::SPARE.of_app("everything"), missing);
            case(full(), RequestTarget::SPARE.of_app("single"), missing);
            case(full(), RequestTarget::SPARE, Expect::Success);
        }
        "installation:belongs_to iss app" => {
            case(full(), RequestTarget::PUBLIC.of_app("narrow"), missing);
            case(full(), RequestTarget::PUBLIC, Expect::Success);
        }
        // `tokens` tests this in detail; here only the row is checked.
        "jwt:alg=RS256 sig=app key iss=client_id|app_id exp<=now+600 iat<=now+60" => {
            case(Credential::Header("Bearer {jwt}x".into()), RequestTarget::PUBLIC, missing);
            case(full(), RequestTarget::PUBLIC, Expect::Success);
        }
        "perm:requested subset of installation grant; repos subset" => {
            case(full(), RequestTarget { repo: "asks-for-too-much", ..RequestTarget::PUBLIC }, missing);
            case(full(), RequestTarget::PUBLIC, Expect::Success);
        }
        _ => return None,
    }
    let needs_area = row.of_table().operation != "apps/create-installation-access-token";
    Some(Scenario { cases, needs_area, ..Scenario::default() })
}
