//! Pull requests, reviews and notifications, and how branch updates affect them.

mod commit_reports;
mod commits;
mod lifecycle;
mod media;
mod notifications;
mod reviews;
mod state;
