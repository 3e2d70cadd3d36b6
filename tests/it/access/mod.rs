//! Authorization: every row of the reference table over HTTP, and cases that no row describes.
//!
//! `authz.csv` has one row per endpoint, kind of token and requirement, with the status if only that requirement is
//! missing. `requirement` translates each row into requests; a row that it does not know fails by name.

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
