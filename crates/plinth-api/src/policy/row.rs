//! The shape of one row of the table.

use http::Method;
use plinth_core::access::Rule;

/// One operation: where it is, and who may call it.
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

/// What may be taken from memory while it still holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caching {
    None,
    /// Who the caller is in the repository. When the repository was last pushed to is of that moment, too, so this is
    /// for operations that neither ask for that nor tell it.
    Access,
    /// The whole answer: it comes from the store and the clock alone, and holds while neither moves.
    Response,
}

/// What travels both ways, and with it how refusals look and what limits the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// One small JSON text each way.
    Json,
    /// A stream of Git's own protocol, which may take as long as a pack is large.
    Git,
}

/// An operation as a type, so that a handler can name it.
pub trait Endpoint: Send + Sync + 'static {
    const ROW: &'static Row;
}
