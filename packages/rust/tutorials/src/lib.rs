//! Programs that use GitHub's API and do not know about Plinth.

pub mod bot;
pub mod greeter;
pub mod patience;
pub mod renewal;
