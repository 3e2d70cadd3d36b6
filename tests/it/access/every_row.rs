//! Every row of the reference, over HTTP.

use std::collections::BTreeMap;

use super::fixture::Fixture;
use super::lists;
use super::probes;
use super::requirement::{Case, Expect, Scenario, scenario};
use super::rows::{self, Row};

#[test]
fn authorization_rows_parse() {
    let unknown: Vec<String> = rows::all().iter().filter(|row| scenario(row).is_none()).map(Row::name).collect();
    assert!(unknown.is_empty(), "no scenario understands:\n{}", unknown.join("\n"));
    for row in rows::all() {
        let scenario = scenario(&row).expect("checked above");
        assert!(scenario.is_list || !scenario.cases.is_empty(), "{} tries nothing", row.name());
    }
}

/// A missing requirement returns the row's status, and the same request with it succeeds.
#[tokio::test]
async fn authorization_rows_match_responses() {
    let unserved = probes::unserved();
    let (active, mut waiting): (Vec<Row>, Vec<Row>) =
        rows::all().into_iter().partition(|row| !unserved.contains(row.of_table().operation));
    let mut planned: Vec<(Row, Scenario)> = active
        .into_iter()
        .map(|row| {
            let scenario = scenario(&row).unwrap_or_else(|| panic!("no scenario understands {}", row.name()));
            (row, scenario)
        })
        .collect();
    let mut tokens = String::from(lists::TOKENS);
    for (number, case) in planned.iter().flat_map(|(_, scenario)| &scenario.cases).enumerate() {
        tokens.extend(case.credential.token(number).map(|(line, _)| line));
    }
    let fixture = Fixture::with_tokens(&tokens).await;
    if fixture.is_real("pulls/create-review-comment") {
        fixture.new_comment("archived", "owner").await;
    }
    fixture.archive().await;
    let mut failures = Vec::new();
    let mut number = 0;
    for (row, scenario) in planned.drain(..) {
        let numbers = number..number + scenario.cases.len();
        number = numbers.end;
        if scenario.needs_area && fixture.probes.contains(row.of_table().operation) {
            waiting.push(row);
            continue;
        }
        if scenario.is_list {
            lists::check(&fixture, &row).await;
        }
        for (case, number) in scenario.cases.iter().zip(numbers) {
            failures.extend(run(&fixture, &row, case, number).await);
        }
    }
    report(&waiting);
    assert!(failures.is_empty(), "{} requests went wrong:\n{}", failures.len(), failures.join("\n"));
}

async fn run(fixture: &Fixture, row: &Row, case: &Case, number: usize) -> Option<String> {
    let table = row.of_table();
    let mut call = fixture.call(table, &case.target).await;
    if case.target.repo == "asks-for-too-much" {
        call.body = serde_json::json!({ "permissions": { "members": "read" } });
    }
    let authorization = fixture.authorization(&case.credential, number);
    let response = fixture.send(&call.method, &call.path, &call.body, authorization.as_deref()).await;
    fixture.tidy(table, &case.target, &call).await;
    let good = match case.expect {
        Expect::Success => (200..300).contains(&response.status),
        Expect::Status(status) => response.status == status,
    };
    (!good).then(|| {
        format!(
            "{}\n  {} {} as {:?}\n  expected {:?}, got {response}",
            row.name(),
            call.method,
            call.path,
            case.credential,
            case.expect
        )
    })
}

/// Rows of operations that are not implemented yet, by endpoint; shown with `--nocapture`.
#[expect(clippy::print_stdout, reason = "the count of rows that wait is for people")]
fn report(waiting: &[Row]) {
    let mut by_endpoint: BTreeMap<&str, usize> = BTreeMap::new();
    for row in waiting {
        *by_endpoint.entry(&row.endpoint).or_default() += 1;
    }
    println!("{} of {} rows wait for their area", waiting.len(), rows::all().len());
    for (endpoint, count) in by_endpoint {
        println!("  {count:3} {endpoint}");
    }
}
