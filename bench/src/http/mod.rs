//! As much of HTTP/1.1 as a load generator needs. The load generator shares a machine with the server, so its own cost
//! per response must be small; that rules out a general client.

mod client;
mod parse;
mod recording;
mod request;
mod response;
mod stream;

pub use client::Client;
pub use parse::{Head, body, head, header, headers};
pub use recording::{Recording, record, record_pages};
pub use request::{request, write_request};
pub use response::Response;
pub use stream::{Counted, count_in_stream};
