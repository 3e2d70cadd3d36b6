//! What happens to every request before and after its handler, as tower layers. `service.rs` lists them in order.

mod admission;
mod authentication;
mod cached;
mod finish;
mod forwarded;
mod head;
mod lifetime;
mod local;
mod observation;
mod operation;
mod pages;
mod pipeline;
mod rate_limit;
mod read_at;
mod recent_requests;
mod request_id;
mod response_cache;
mod response_key;
mod routing;
mod service;

pub use authentication::{authenticate, presented_token};
pub use head::{HEADER_BYTES_MAX, HEADER_LINES_MAX, URI_BYTES_MAX};
pub use local::{LocalApi, LocalCaller, LocalRequest, LocalResponse};
pub use pages::{PageOrigin, PageRequest, PageResponse, Pages};
pub use service::ApiService;
