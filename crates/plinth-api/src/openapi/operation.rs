//! What the access table does not know about an operation, as data.

use super::schema::Schema;

/// A group of operations with the shapes that they speak of.
pub struct Area {
    pub name: &'static str,
    pub about: &'static str,
    pub operations: &'static [Operation],
    /// Shapes that are used more than once, by name.
    pub schemas: &'static [(&'static str, Schema)],
}

/// One operation; its method, path and rights are in the access table.
pub struct Operation {
    /// The name in the access table.
    pub id: &'static str,
    pub summary: &'static str,
    /// Markdown, a paragraph or two.
    pub about: &'static str,
    pub query: &'static [Parameter],
    pub body: Option<Body>,
    pub success: Success,
    /// Refusals of its own, beside those that every operation with such a row has.
    pub refusals: &'static [(u16, &'static str)],
}

/// A parameter of the query.
pub struct Parameter {
    pub name: &'static str,
    pub schema: Schema,
    pub about: &'static str,
}

/// What is sent.
pub struct Body {
    pub schema: Schema,
    pub media: &'static str,
    pub presence: Presence,
    /// JSON that can be sent as it is, given that what it names exists.
    pub example: &'static str,
}

/// Whether the body may be left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Required,
    Optional,
}

/// What comes back when all is well.
pub struct Success {
    pub status: u16,
    pub means: &'static str,
    pub schema: Option<Schema>,
    /// Other media types under which the same can be had, or the only ones where there is no shape.
    pub media: &'static [&'static str],
}

pub const JSON: &str = "application/json";

impl Operation {
    /// Reads or does something without a query, a body or refusals of its own.
    pub const fn new(id: &'static str, summary: &'static str, about: &'static str, success: Success) -> Self {
        Self { id, summary, about, query: &[], body: None, success, refusals: &[] }
    }

    pub const fn query(mut self, query: &'static [Parameter]) -> Self {
        self.query = query;
        self
    }

    pub const fn body(mut self, schema: Schema, example: &'static str) -> Self {
        self.body = Some(Body { schema, media: JSON, presence: Presence::Required, example });
        self
    }

    pub const fn optional_body(mut self, schema: Schema, example: &'static str) -> Self {
        self.body = Some(Body { schema, media: JSON, presence: Presence::Optional, example });
        self
    }

    /// A body that is not JSON.
    pub const fn stream(mut self, media: &'static str) -> Self {
        self.body = Some(Body { schema: Schema::Text, media, presence: Presence::Required, example: "" });
        self
    }

    pub const fn refusals(mut self, refusals: &'static [(u16, &'static str)]) -> Self {
        self.refusals = refusals;
        self
    }
}

impl Success {
    /// The same under other media types, too.
    pub const fn or(mut self, media: &'static [&'static str]) -> Self {
        self.media = media;
        self
    }
}

pub const fn ok(means: &'static str, schema: Schema) -> Success {
    Success { status: 200, means, schema: Some(schema), media: &[] }
}

pub const fn created(means: &'static str, schema: Schema) -> Success {
    Success { status: 201, means, schema: Some(schema), media: &[] }
}

pub const fn no_content(means: &'static str) -> Success {
    Success { status: 204, means, schema: None, media: &[] }
}

/// 200 with something that is not JSON.
pub const fn file(means: &'static str, media: &'static [&'static str]) -> Success {
    Success { status: 200, means, schema: None, media }
}

pub const fn parameter(name: &'static str, schema: Schema, about: &'static str) -> Parameter {
    Parameter { name, schema, about }
}
