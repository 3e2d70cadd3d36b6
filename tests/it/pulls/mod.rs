//! Pull requests, reviews, notifications, and what moving branches do to them.

mod commits;
mod lifecycle;
mod notifications;
mod reviews;
mod state;
