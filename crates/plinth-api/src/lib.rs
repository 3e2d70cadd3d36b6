//! HTTP: connections, middleware, the policy table, routes, wire types, OpenAPI and git's smart protocol.
//!
//! A request goes from `server` through `middleware` to a handler that `router` has registered. Handlers call operations of
//! `plinth_core` and turn what these return into JSON.

mod accounts;
pub mod app;
mod branches;
mod commits;
mod contents;
mod explorer;
pub mod git_http;
mod git_objects;
mod graphql;
pub mod health;
mod installations;
mod issue_comments;
mod issue_fields;
mod issues;
mod labels;
mod merges;
mod meta;
pub mod middleware;
pub mod negotiation;
mod notifications;
mod oauth;
pub mod openapi;
pub mod policy;
mod project_fields;
mod project_items;
mod projects;
mod pulls;
mod refs;
mod releases;
mod rendering;
mod repos;
pub mod request;
pub mod response;
mod review_comments;
mod review_requests;
pub mod router;
pub mod routes;
pub mod server;
pub mod settings;
mod statuses;
pub mod webhooks;
mod wire;
