//! Several nodes over PostgreSQL and an S3 server: what a request costs with one and with two, clones that fetch packs, and what
//! grows with the number of repositories.

mod clones;
mod growth;
mod requests;

use anyhow::Result;

use super::group::RowGroup;
use crate::harness::{Context, Programs};
use crate::results::Results;

pub const REQUESTS: RowGroup = RowGroup {
    name: "nodes",
    about: "CPU time of nodes and database per request, with one node and with two",
    run: |context| with_programs(context, requests::rows),
};

pub const COLD_CLONE: RowGroup = RowGroup {
    name: "nodes-clone",
    about: "clone of 100 MB from a node that has no pack, compared with one that has all",
    run: |context| with_programs(context, clones::rows),
};

pub const GROWTH: RowGroup = RowGroup {
    name: "nodes-growth",
    about: "reads, clones and starts of a node with up to 1,000 repositories of 10 packs each",
    run: |context| with_programs(context, growth::rows),
};

fn with_programs(context: &Context, rows: fn(&Context, &Programs) -> Result<Results>) -> Result<Results> {
    match Programs::find()? {
        Ok(programs) => rows(context, &programs),
        Err(reason) => Ok(Results { skipped: vec![format!("several nodes: {reason}")], ..Results::default() }),
    }
}
