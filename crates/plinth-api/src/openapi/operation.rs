//! What the policy table does not contain about an operation, as data.

use super::schema::{SchemaOf, of};

/// A group of operations.
pub struct Area {
    pub name: &'static str,
    pub about: &'static str,
    pub operations: &'static [Operation],
}

/// One operation; its method, path and rights are in the policy table.
pub struct Operation {
    /// The name in the policy table.
    pub id: &'static str,
    pub summary: &'static str,
    /// Markdown, a paragraph or two.
    pub about: &'static str,
    pub query: &'static [Parameter],
    pub body: Option<Body>,
    pub success: Success,
    /// What a response without content means, if a success may also have none.
    pub or_no_content: Option<&'static str>,
    /// What 200 means, if it is a second success with the same schema.
    pub or_ok: Option<&'static str>,
    /// Error responses of its own, in addition to those that every such operation has.
    pub errors: &'static [(u16, &'static str)],
}

/// A parameter of the query.
pub struct Parameter {
    pub name: &'static str,
    pub schema: SchemaOf,
    /// The values that it may have, if these are all.
    pub words: &'static [&'static str],
    pub about: &'static str,
}

/// The body of a request.
pub struct Body {
    pub schema: SchemaOf,
    pub media: &'static str,
    pub presence: Presence,
    /// JSON that can be sent as it is, if what it names exists.
    pub example: &'static str,
}

/// Whether the body may be left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Required,
    Optional,
}

/// The response to a successful request.
pub struct Success {
    pub status: u16,
    pub means: &'static str,
    pub schema: Option<SchemaOf>,
    /// Other media types of the same response, or the only ones where it is not JSON.
    pub media: &'static [&'static str],
}

pub const JSON: &str = "application/json";

impl Operation {
    /// An operation without a query, a body or errors of its own.
    pub const fn new(id: &'static str, summary: &'static str, about: &'static str, success: Success) -> Self {
        Self { id, summary, about, query: &[], body: None, success, or_no_content: None, or_ok: None, errors: &[] }
    }

    pub const fn query(mut self, query: &'static [Parameter]) -> Self {
        self.query = query;
        self
    }

    pub const fn body(mut self, schema: SchemaOf, example: &'static str) -> Self {
        self.body = Some(Body { schema, media: JSON, presence: Presence::Required, example });
        self
    }

    pub const fn optional_body(mut self, schema: SchemaOf, example: &'static str) -> Self {
        self.body = Some(Body { schema, media: JSON, presence: Presence::Optional, example });
        self
    }

    /// A body that is not JSON.
    pub const fn stream(mut self, media: &'static str) -> Self {
        self.body = Some(Body { schema: of::<String>, media, presence: Presence::Required, example: "" });
        self
    }

    /// A second success, 204.
    pub const fn or_no_content(mut self, means: &'static str) -> Self {
        self.or_no_content = Some(means);
        self
    }

    /// A second success, 200.
    pub const fn or_ok(mut self, means: &'static str) -> Self {
        self.or_ok = Some(means);
        self
    }

    pub const fn errors(mut self, errors: &'static [(u16, &'static str)]) -> Self {
        self.errors = errors;
        self
    }
}

impl Success {
    /// The same response in other media types.
    pub const fn or(mut self, media: &'static [&'static str]) -> Self {
        self.media = media;
        self
    }
}

pub const fn ok(means: &'static str, schema: SchemaOf) -> Success {
    Success { status: 200, means, schema: Some(schema), media: &[] }
}

pub const fn created(means: &'static str, schema: SchemaOf) -> Success {
    Success { status: 201, means, schema: Some(schema), media: &[] }
}

pub const fn no_content(means: &'static str) -> Success {
    Success { status: 204, means, schema: None, media: &[] }
}

pub const fn accepted(means: &'static str, schema: SchemaOf) -> Success {
    Success { status: 202, means, schema: Some(schema), media: &[] }
}

/// 200 with something that is not JSON.
pub const fn file(means: &'static str, media: &'static [&'static str]) -> Success {
    Success { status: 200, means, schema: None, media }
}

pub const fn parameter(name: &'static str, schema: SchemaOf, about: &'static str) -> Parameter {
    Parameter { name, schema, words: &[], about }
}

/// A parameter that is one of a few words.
pub const fn choice(name: &'static str, words: &'static [&'static str], about: &'static str) -> Parameter {
    Parameter { name, schema: of::<String>, words, about }
}
