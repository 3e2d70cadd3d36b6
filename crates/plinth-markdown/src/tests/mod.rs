//! Rendering, sanitizing and limits.

mod links;
mod pathological;
mod rendering;
mod reparse;
mod texts;
mod xss;

use std::collections::{BTreeMap, BTreeSet};

use super::{Context, References, Rendered, render};

const NOTHING: &References = &References { pulls: BTreeSet::new(), issues: BTreeSet::new(), commits: BTreeMap::new() };
const CONTEXT: Context<'_> =
    Context { web_url: "https://plinth.example", repo: Some("acme/rocket"), existing: NOTHING };

fn rendered(source: &str) -> Rendered {
    render(source, &CONTEXT)
}
