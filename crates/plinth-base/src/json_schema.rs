//! JSON schemas of the types that are written as text.

/// Implements `JsonSchema` for a type that is written as a string, with one more keyword that says which strings.
macro_rules! text_schema {
    ($type:ty: $keyword:literal = $value:literal) => {
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                $value.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", $keyword: $value })
            }
        }
    };
}
pub(crate) use text_schema;
