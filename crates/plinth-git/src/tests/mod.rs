//! Tests that the real git program judges.

mod ancestry;
mod hostile;
mod making;
mod moving;
mod reading;
mod receiving;
mod serving;
mod snapshot;
mod support;

/// The service hands these from thread to thread.
const fn is_shared<T: Send + Sync>() {}
const _: () = {
    is_shared::<super::Repositories>();
    is_shared::<super::Repository>();
    is_shared::<super::Quarantine>();
    is_shared::<super::UploadPack>();
};
