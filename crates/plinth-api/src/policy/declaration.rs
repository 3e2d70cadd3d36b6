//! The form in which the table declares endpoints.

/// Declares a type for each endpoint, with its row, and the table of all rows.
macro_rules! endpoints {
    (@wire) => { Wire::Json };
    (@wire $wire:expr) => { $wire };
    (@caching) => { Caching::NOTHING };
    (@caching access) => { Caching { access: CachedAccess::Rights, response: false } };
    (@caching resource) => { Caching { access: CachedAccess::Content, response: false } };
    (@caching response) => { Caching { access: CachedAccess::None, response: true } };
    (@caching access and response) => { Caching { access: CachedAccess::Rights, response: true } };
    (@caching resource and response) => { Caching { access: CachedAccess::Content, response: true } };
    ($($(#[$doc:meta])* $name:ident = $operation:literal, $method:ident [$($path:literal),+ $(,)?], $rule:expr $(, $wire:expr)? $(=> caches $($caching:ident)+)?;)*) => {
        $(
            $(#[$doc])*
            pub struct $name;

            impl Endpoint for $name {
                const ROW: &'static Row = &Row {
                    operation: $operation,
                    method: Method::$method,
                    paths: &[$($path),+],
                    rule: $rule,
                    wire: endpoints!(@wire $($wire)?),
                    caching: endpoints!(@caching $($($caching)+)?),
                };
            }
        )*

        /// Every row.
        pub const TABLE: &[&Row] = &[$($name::ROW),*];
    };
}
pub(super) use endpoints;
