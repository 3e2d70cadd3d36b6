//! Enumerations on the wire: one type for the words that clients read and send, and for the schema that lists them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// An enumeration whose values are words.
pub trait Words: Copy + 'static {
    /// Every value, in the order in which errors and the schema list them.
    const ALL: &'static [Self];

    fn word(self) -> &'static str;

    fn from_word(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == text)
    }
}

/// Implements [`Words`] for an enumeration with an `as_str`. A variant that is left out does not compile.
macro_rules! words {
    ($name:ident: $($variant:ident),+ $(,)?) => {
        impl $crate::wire::Words for $name {
            const ALL: &'static [Self] = &[$($name::$variant),+];

            fn word(self) -> &'static str {
                match self {
                    $($name::$variant)|+ => self.as_str(),
                }
            }
        }
    };
}
pub(crate) use words;

/// A value of an enumeration, written as its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<T>(pub T);

impl<T: Words> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

impl<T: Words> JsonSchema for Word<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "word".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = T::ALL.iter().map(|value| value.word()).collect();
        json_schema!({ "type": "string", "enum": words })
    }
}

/// Types that stand for the schema of a text in this format.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident = $format:literal;)+) => {$(
        $(#[$doc])*
        pub enum $name {}

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                $format.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "format": $format })
            }
        }
    )+};
}
formats! {
    /// `YYYY-MM-DD`.
    Date = "date";
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    DateTime = "date-time";
}
