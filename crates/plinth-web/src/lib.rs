//! The HTML pages: server-rendered, over the operations of the API with the rights of whoever has signed in.
//!
//! A page reads what it shows through `plinth_api::middleware::LocalApi`, and a form calls the operation that an API client
//! would call. So pages have no rights, rules and SQL of their own.

mod accounts;
mod apps;
mod assets;
mod blob;
mod commits;
mod compare;
mod device;
mod diff;
mod forms;
mod highlight;
mod home;
mod issue_fields;
mod issues;
mod layout;
mod markup;
mod model;
mod notifications;
mod projects;
mod pulls;
mod refs;
mod releases;
mod repository;
mod response;
mod routes;
mod service;
mod session;
mod sign_in;
mod text;
mod visit;

pub use service::WebPages;
