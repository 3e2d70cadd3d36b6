//! octocrab against a fresh service: every operation through its typed method if the client has one that can parse the
//! response, and by its route otherwise.
//!
//! `node tests/clients/run.mjs octocrab --covers -- cargo test --package client-octocrab` starts the service with
//! tests/clients/state.yaml. Tests run in parallel: none depends on what another may change.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise, in its helpers too")]

mod apps;
mod conventions;
mod git_refs;
mod installations;
mod issue_fields;
mod media_types;
mod project_fields;
mod review_comments;
mod support;
