//! Projects of organizations and users.

mod color;
pub mod mirrors;
pub mod text;

pub use color::Color;
