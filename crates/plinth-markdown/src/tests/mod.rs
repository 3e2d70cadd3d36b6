//! Rendering, sanitizing and limits.

mod links;
mod pathological;
mod rendering;
mod reparse;
mod texts;
mod xss;

use super::{Context, Rendered, render};

const CONTEXT: Context<'_> = Context { web_url: "https://plinth.example" };

fn rendered(source: &str) -> Rendered {
    render(source, &CONTEXT)
}
