//! The HTML pages, as a browser gets them.

mod browser;
mod codes;
mod forms;
mod links;
mod reading;
mod sessions;
