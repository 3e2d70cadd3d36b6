//! Clone and push with the real git program against a real listener.

mod access;
mod cloning;
pub mod host;
mod hostile;
mod many_refs;
mod partial;
mod pulls;
mod pushing;
mod races;
mod rejections;
mod rest;
mod rights;
