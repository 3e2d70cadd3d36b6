//! The table itself: complete, and nothing beside it.

use std::collections::BTreeSet;

use super::rows::{self, TOKEN_KINDS};
use plinth_api::policy::table::TABLE;
use plinth_core::access::{Anonymous, Kind};

/// Endpoints of `authz.csv` that the specification does not list.
const EXTRAS: [&str; 3] = [
    "POST /app/installations/{installation_id}/access_tokens (not in the 28)",
    "git-upload-pack (smart HTTP fetch)",
    "git-receive-pack (smart HTTP push)",
];

#[test]
fn the_reference_and_the_table_have_the_same_operations() {
    const SPECIFIED: usize = 28;
    let endpoints: BTreeSet<String> = rows::all().into_iter().map(|row| row.endpoint).collect();
    let specified: BTreeSet<String> =
        TABLE[..SPECIFIED].iter().map(|row| format!("{} {}", row.method, row.paths[0].replace("{*", "{"))).collect();
    let extras: BTreeSet<String> = EXTRAS.iter().map(|extra| (*extra).to_owned()).collect();
    assert_eq!(endpoints, &specified | &extras);
    for row in rows::all() {
        row.of_table();
    }
}

#[test]
fn every_endpoint_and_kind_of_the_reference_has_a_row_and_a_decision_that_agrees() {
    let rows = rows::all();
    let refused = |endpoint: &str, kind: &str| {
        rows.iter().any(|row| row.endpoint == endpoint && row.kind == kind && row.requirement == "kind:refused")
    };
    for row in TABLE.iter().take(28) {
        let endpoint = rows::endpoint_names(row).pop().expect("an operation has a name");
        for (name, kind) in TOKEN_KINDS.into_iter().chain([("app_jwt", Kind::AppJwt)]) {
            let mentioned = rows.iter().any(|row| row.endpoint == endpoint && row.kind == name);
            assert!(mentioned, "{endpoint} says nothing about {name}");
            assert_eq!(row.rule.kinds.contains(kind), !refused(&endpoint, name), "{endpoint} and {name}");
        }
        let needs_authentication = rows.iter().any(|row| {
            row.endpoint == endpoint
                && row.kind == "anonymous"
                && row.bare() == "auth:required"
                && row.condition().is_none()
        });
        assert_eq!(row.rule.anonymous == Anonymous::Rejected, needs_authentication, "{endpoint} and anonymous");
    }
}

#[test]
fn operations_and_paths_are_unique() {
    let mut operations = BTreeSet::new();
    let mut paths = BTreeSet::new();
    for row in TABLE {
        assert!(operations.insert(row.operation), "{} stands twice in the table", row.operation);
        for path in row.paths {
            assert!(paths.insert((row.method.as_str(), path)), "{} {path} stands twice in the table", row.method);
        }
    }
}

#[test]
fn nothing_is_registered_that_is_not_in_the_table() {
    let table: BTreeSet<&str> = TABLE.iter().map(|row| row.operation).collect();
    let mut registered = BTreeSet::new();
    for row in plinth_api::router::routes().rows() {
        assert!(table.contains(row.operation), "{} is not in the table", row.operation);
        assert!(registered.insert(row.operation), "{} is registered twice", row.operation);
    }
}
