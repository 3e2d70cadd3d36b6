//! What is measured.

mod caches;
mod compare;
mod cores;
mod deep_pages;
mod fast_forward;
mod group;
mod growth;
mod many_refs;
mod nodes;
mod page;
mod peer;
mod peer_mix;
mod postgres;
mod reads;
mod reanchor;
mod sizes;
mod sqlite;
mod start;
mod statements;
mod traffic;
mod transfer;
mod webhooks;
mod wide_pull;
mod writes;

pub use group::RowGroup;

/// In the order of the report.
pub const ALL: &[RowGroup] = &[
    traffic::TRAFFIC,
    postgres::READS,
    postgres::WRITES,
    postgres::TRAFFIC,
    reads::GET_REF,
    reads::GET_COMMENT,
    reads::GET_FIELD,
    reads::LIST_COMMENTS,
    cores::CORES,
    page::PULL_PAGE,
    writes::CREATE_REF,
    writes::UPDATE_REF,
    writes::CREATE_COMMENT,
    writes::UPDATE_COMMENT,
    webhooks::HOOK_COST,
    webhooks::DELIVERIES,
    statements::STATEMENTS,
    caches::CACHES_WORTH,
    sqlite::RAW_SQLITE,
    many_refs::MANY_REFS,
    many_refs::LIST_REFS,
    fast_forward::FAST_FORWARD,
    reanchor::RE_ANCHOR,
    wide_pull::WIDE_PULL,
    transfer::CLONE,
    transfer::PUSH,
    start::START,
    sizes::COMMENTS,
    sizes::REPOSITORIES,
    sizes::TOKENS,
    nodes::REQUESTS,
    nodes::COLD_CLONE,
    nodes::GROWTH,
    peer::PEER,
];
