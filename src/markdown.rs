//! Markdown to safe HTML.
