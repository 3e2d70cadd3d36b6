//! Tests with the git program as the oracle.

mod ancestry;
mod hostile;
mod log;
mod maintenance;
mod merging;
mod reading;
mod receiving;
mod serving;
mod snapshot;
mod support;
mod writing;

/// The service shares these between threads.
const fn is_shared<T: Send + Sync>() {}
const _: () = {
    is_shared::<super::Repositories>();
    is_shared::<super::Repository>();
    is_shared::<super::Quarantine>();
    is_shared::<super::UploadPack>();
};
