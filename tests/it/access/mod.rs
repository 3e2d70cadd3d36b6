//! Who may do what: every row of the reference table over HTTP, and stories about the spine of it.
//!
//! `authz.csv` has one row per endpoint, kind of token and requirement, with the status that follows when only that
//! requirement is missing. `scenario` turns each row into requests; a row that it does not understand fails by name.

mod cases;
mod credential;
mod every_row;
mod fixture;
mod installations;
mod lists;
mod objects;
mod probes;
mod requirement;
mod rows;
mod smart_http;
mod table;
