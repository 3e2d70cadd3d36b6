//! octocrab against a fresh service: every operation through its typed method, where it has one that can read the answer, and
//! by its route otherwise.
//!
//! `node tests/clients/run.mjs octocrab --covers -- cargo test --package client-octocrab` starts the service, which holds
//! what tests/clients/state.yaml says. Stories run side by side: none counts on what another may change.

#![expect(clippy::unwrap_used, reason = "a story stops at the first surprise, in its helpers too")]

mod apps;
mod conventions;
mod git_refs;
mod installations;
mod issue_fields;
mod media_types;
mod project_fields;
mod review_comments;
mod support;
