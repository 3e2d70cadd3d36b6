//! Clone and push: Git's own protocol over HTTP, with the tokens and the rights of the API.
//!
//! Names are answered from the store and changed through it; packs are built and checked by git itself. What a push may
//! do, and the limits, are decided in docs/decisions/0050 to 0053.

mod advertise;
mod commands;
mod cut_names;
mod fetch;
mod filter;
mod handlers;
mod incoming;
mod ls_refs;
mod model;
mod negotiation;
mod permits;
mod prefixes;
mod push;
mod quarantine;
mod ref_pages;
mod report;
mod spool;
mod upload_request;

use crate::policy::table::{GitAdvertise, GitReceivePack, GitUploadPack};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GitAdvertise, _, _>(handlers::advertise)
        .on::<GitUploadPack, _, _>(handlers::upload_pack)
        .on::<GitReceivePack, _, _>(handlers::receive_pack)
}
