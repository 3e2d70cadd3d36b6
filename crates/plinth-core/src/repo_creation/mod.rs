//! Creating repositories, with a first commit if the caller asks for one.

mod initial_commit;
mod operations;
mod templates;

pub use operations::create;
