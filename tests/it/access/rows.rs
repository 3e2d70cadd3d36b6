//! The rows of `authz.csv`.

use http::Method;

use plinth_api::policy::Row as TableRow;
use plinth_api::policy::table::TABLE;
use plinth_core::access::Kind;

/// One requirement of one endpoint for one kind of token.
#[derive(Debug, Clone)]
pub struct Row {
    pub endpoint: String,
    pub kind: String,
    pub requirement: String,
    pub outcome: String,
}

impl Row {
    pub fn name(&self) -> String {
        format!("{} / {} / {} -> {}", self.endpoint, self.kind, self.requirement, self.outcome)
    }

    /// The requirement without the condition under which it applies.
    pub fn bare(&self) -> &str {
        self.requirement.split(" @").next().unwrap_or_default()
    }

    /// The condition after the `@`.
    pub fn condition(&self) -> Option<&str> {
        self.requirement.split_once(" @").map(|(_, condition)| condition)
    }

    pub fn status(&self) -> u16 {
        self.outcome.parse().unwrap_or_else(|_| panic!("{}: the outcome is no status", self.name()))
    }

    /// The row of the policy table for this endpoint.
    pub fn of_table(&self) -> &'static TableRow {
        let row = TABLE.iter().copied().find(|row| endpoint_names(row).contains(&self.endpoint));
        row.unwrap_or_else(|| panic!("{} is not in the access table", self.endpoint))
    }
}

pub fn all() -> Vec<Row> {
    let mut lines = include_str!("authz.csv").lines();
    assert_eq!(lines.next(), Some("endpoint,token_kind,requirement,outcome_when_missing,source"));
    lines.map(parse).collect()
}

/// A requirement with a comma is quoted; no field contains a quote.
fn parse(line: &str) -> Row {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields.last_mut().expect("there is always one").push(other),
        }
    }
    let [endpoint, kind, requirement, outcome, _source] = <[String; 5]>::try_from(fields).expect("five fields");
    Row { endpoint, kind, requirement, outcome }
}

/// The name of an operation of the policy table in `authz.csv`.
pub fn endpoint_names(row: &TableRow) -> Vec<String> {
    match row.operation {
        "git/upload-pack" => return vec!["git-upload-pack (smart HTTP fetch)".into()],
        "git/receive-pack" => return vec!["git-receive-pack (smart HTTP push)".into()],
        _ => {}
    }
    let name = format!("{} {}", row.method, row.paths[0].replace("{*", "{"));
    vec![format!("{name} (not in the 28)"), name]
}

pub fn is_read(row: &TableRow) -> bool {
    row.method == Method::GET || row.operation == "git/upload-pack"
}

/// The five kinds of token with the names that `authz.csv` uses.
pub const TOKEN_KINDS: [(&str, Kind); 5] = [
    ("classic_pat", Kind::Classic),
    ("oauth_app_token", Kind::OAuth),
    ("fine_grained_pat", Kind::FineGrained),
    ("app_user_token", Kind::AppUser),
    ("installation_token", Kind::Installation),
];
