//! The OpenAPI description and the HTML pages.

mod description;
mod pages;
