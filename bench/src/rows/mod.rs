//! What is measured, in the order of the report.

mod anchors;
mod compare;
mod fast_forward;
mod growth;
mod many_refs;
mod peer;
mod raw;
mod reads;
mod sizes;
mod start;
mod statements;
mod transfer;
mod wide_pull;
mod writes;

use crate::Result;
use crate::bench::Bench;
use crate::report::Report;

/// One measurement, or a few that belong together.
pub struct RowGroup {
    pub name: &'static str,
    pub about: &'static str,
    pub run: fn(&Bench, &mut Report) -> Result<()>,
}

pub const ALL: &[RowGroup] = &[
    reads::GET_REF,
    reads::GET_COMMENT,
    reads::GET_FIELD,
    reads::LIST_COMMENTS,
    writes::CREATE_REF,
    writes::UPDATE_REF,
    writes::CREATE_COMMENT,
    writes::UPDATE_COMMENT,
    statements::STATEMENTS,
    raw::RAW,
    many_refs::MANY_REFS,
    many_refs::LIST_REFS,
    fast_forward::FAST_FORWARD,
    anchors::RE_ANCHOR,
    wide_pull::WIDE_PULL,
    transfer::CLONE,
    transfer::PUSH,
    start::START,
    sizes::COMMENTS,
    sizes::REPOSITORIES,
    sizes::TOKENS,
    peer::PEER,
];

/// A name that is not there must not quietly measure nothing.
pub fn check_names(names: &[String]) -> Result<()> {
    match names.iter().find(|name| !ALL.iter().any(|row| row.name == **name)) {
        Some(name) => Err(format!("there is no row `{name}`; see --list")),
        None => Ok(()),
    }
}
