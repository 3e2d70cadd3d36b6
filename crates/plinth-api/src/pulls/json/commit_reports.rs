//! Check runs of a commit on the wire. There are none, but tools ask for them before they merge.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The check runs of a commit.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct CheckRuns {
    total_count: i64,
    #[schemars(extend("maxItems" = 0))]
    check_runs: Vec<Value>,
}

impl CheckRuns {
    pub fn none() -> Self {
        Self { total_count: 0, check_runs: Vec::new() }
    }
}
