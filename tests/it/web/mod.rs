//! The description of the API and the pages.

mod description;
mod pages;
