//! Tests with the git program as the oracle.

mod fixture;
mod lines;
mod lookups;
mod positions;
mod reanchor;
mod reanchor_random;
mod reanchor_ranges;
mod repo;
mod trees;
