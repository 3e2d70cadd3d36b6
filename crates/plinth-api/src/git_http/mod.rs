//! Clone and push: git's smart HTTP protocol, with the tokens and the rights of the API.
//!
//! References come from the store and change through it; git builds and checks packs. Decisions 0050 to 0053 define
//! what a push may do, and the limits.

mod advertise;
mod commands;
mod fetch;
mod handlers;
mod incoming;
mod ls_refs;
mod model;
mod negotiation;
mod permits;
mod push;
mod ref_pages;
mod spool;
mod upload_request;

pub use commands::Commands;
pub use ls_refs::LsRefs;
pub use upload_request::{Command as UploadRequest, Shallow, parse as parse_upload_request};

use crate::policy::table::{GitAdvertise, GitReceivePack, GitUploadPack};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GitAdvertise, _, _>(handlers::advertise)
        .on::<GitUploadPack, _, _>(handlers::upload_pack)
        .on::<GitReceivePack, _, _>(handlers::receive_pack)
}
