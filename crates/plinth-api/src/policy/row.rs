//! One row of the policy table.

use http::Method;
use plinth_core::access::{CachedAccess, Rule};

/// One endpoint: its path, and who may call it.
#[derive(Debug)]
pub struct Row {
    /// The name in the documentation.
    pub operation: &'static str,
    pub method: Method,
    /// The path of the specification first, then other spellings that clients use.
    pub paths: &'static [&'static str],
    pub rule: Rule,
    pub wire: Wire,
    pub caching: Caching,
}

/// What may come from a cache while it is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caching {
    /// The caller's access to the repository or project.
    pub access: CachedAccess,
    /// The whole response: it depends on the store and the clock alone.
    pub response: bool,
}

impl Caching {
    pub const NOTHING: Self = Self { access: CachedAccess::None, response: false };
}

/// The format of bodies, which also decides how errors look and how long a request may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// One small JSON document each way.
    Json,
    /// A file in the request, which may take as long as it is large, and JSON in the response.
    Upload,
    /// A stream of Git's own protocol, which may take as long as a pack is large.
    Git,
}

/// An endpoint as a type, so that a handler can name it.
pub trait Endpoint: Send + Sync + 'static {
    const ROW: &'static Row;
}
