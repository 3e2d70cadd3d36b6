//! Rows about installations, whose rights hang on more than one thing.

use super::credential::Credential;
use super::objects::Place;
use super::requirement::{Case, Expect, Scenario};
use super::rows::Row;

/// `None` for a row that nobody has thought of.
pub fn scenario(row: &Row) -> Option<Scenario> {
    let missing = Expect::Status(row.status());
    let full = || Credential::full(&row.kind);
    let mut cases = Vec::new();
    let mut case = |credential, place, expect| cases.push(Case { credential, place, expect });
    match row.requirement.as_str() {
        "installation:of calling app and visible to user" => {
            case(full().of_user("stranger"), Place::PUBLIC, missing);
            case(full(), Place::PUBLIC.of_app("narrow"), missing);
            case(full().of_user("reader"), Place::PUBLIC, Expect::Success);
        }
        "installation:visible to user" => {
            case(full().of_user("stranger"), Place::PUBLIC, missing);
            case(full().of_user("reader"), Place::PUBLIC, Expect::Success);
        }
        "installation:visible to user and same owner as repo" => {
            case(full(), Place { account: "other", repo: "theirs", ..Place::SPARE.of_app("narrow") }, missing);
            case(full().of_user("stranger"), Place::SPARE, missing);
            case(full(), Place::SPARE, Expect::Success);
        }
        "role:user>=repo.read @repo=private" => {
            // The outsider sees the installation through another repository.
            case(full().of_user("outsider"), Place::SPARE_PRIVATE, missing);
            case(full(), Place::SPARE_PRIVATE, Expect::Success);
        }
        "role:user=repo.admin @repo=visible" => {
            case(full().of_user("writer"), Place::SPARE, missing);
            case(full().of_user("writer"), Place::SPARE_PRIVATE, missing);
            case(full(), Place::SPARE, Expect::Success);
        }
        "state:repository_selection=selected and not last repo" => {
            case(full(), Place::SPARE.of_app("everything"), missing);
            case(full(), Place::SPARE.of_app("single"), missing);
            case(full(), Place::SPARE, Expect::Success);
        }
        "installation:belongs_to iss app" => {
            case(full(), Place::PUBLIC.of_app("narrow"), missing);
            case(full(), Place::PUBLIC, Expect::Success);
        }
        // Told in full in `tokens.rs`; here the row is only seen to hold.
        "jwt:alg=RS256 sig=app key iss=client_id|app_id exp<=now+600 iat<=now+60" => {
            case(Credential::Header("Bearer {jwt}x".into()), Place::PUBLIC, missing);
            case(full(), Place::PUBLIC, Expect::Success);
        }
        "perm:requested subset of installation grant; repos subset" => {
            case(full(), Place { repo: "asks-for-too-much", ..Place::PUBLIC }, missing);
            case(full(), Place::PUBLIC, Expect::Success);
        }
        _ => return None,
    }
    let needs_area = row.of_table().operation != "apps/create-installation-access-token";
    Some(Scenario { cases, needs_area, ..Scenario::default() })
}
