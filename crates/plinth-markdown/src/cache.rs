//! The cache of rendered texts.

use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, SHA256_OUTPUT_LEN, digest};

use super::{Context, Rendered, render};
use plinth_base::cache::WeightedCache;

const RENDERED_BYTES_TYPICAL: usize = 1024;

/// A digest of the text and its context, so that nobody can construct two texts with the same key.
type Key = [u8; SHA256_OUTPUT_LEN];

/// Rendered texts, bounded in bytes.
#[derive(Debug)]
pub struct Cache(WeightedCache<Key, Arc<Rendered>>);

impl Cache {
    /// A cache for this many bytes of HTML and text.
    pub fn new(bytes_max: usize) -> Self {
        Self(WeightedCache::new(bytes_max, RENDERED_BYTES_TYPICAL))
    }

    /// As [`render`], cached.
    pub fn render(&self, source: &str, context: &Context<'_>) -> Arc<Rendered> {
        let key = key(source, context);
        if let Some(cached) = self.0.get(&key) {
            return cached;
        }
        // Two threads may render the same text; that is better than that one waits for the other.
        let rendered = Arc::new(render(source, context));
        self.0.insert(key, rendered.clone(), key.len() + rendered.html.len() + rendered.text.len());
        rendered
    }
}

fn key(source: &str, context: &Context<'_>) -> Key {
    let Context { web_url, repo, existing } = context;
    let mut input = Vec::with_capacity(web_url.len() + 128 + source.len());
    // Neither URLs nor names nor numbers have a line break, so the separators are unambiguous.
    input.extend_from_slice(format!("{web_url}\n{}\n{existing:?}\n", repo.unwrap_or_default()).as_bytes());
    input.extend_from_slice(source.as_bytes());
    let mut key = [0; SHA256_OUTPUT_LEN];
    key.copy_from_slice(digest(&SHA256, &input).as_ref());
    key
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::References;

    const NOTHING: &References =
        &References { pulls: BTreeSet::new(), issues: BTreeSet::new(), commits: BTreeMap::new() };
    const CONTEXT: Context<'_> = Context { web_url: "https://example.com", repo: None, existing: NOTHING };

    #[test]
    fn cache_renders_text_once_while_it_is_used() {
        let cache = Cache::new(1000);
        let first = cache.render("used", &CONTEXT);
        let mut passing = Vec::new();
        for round in 0..100 {
            passing.push(cache.render(&format!("passing {round}"), &CONTEXT));
            assert!(Arc::ptr_eq(&first, &cache.render("used", &CONTEXT)), "round {round}");
        }
        assert!(!Arc::ptr_eq(&passing[50], &cache.render("passing 50", &CONTEXT)), "an unused text is evicted");
        let elsewhere = cache.render("used", &Context { web_url: "https://example.org", ..CONTEXT });
        assert!(!Arc::ptr_eq(&first, &elsewhere));
    }

    #[test]
    fn cache_stays_within_its_bytes() {
        let cache = Cache::new(10_000);
        for round in 0..1000 {
            cache.render(&format!("{round} {}", "x".repeat(round)), &CONTEXT);
            assert!(cache.0.weight() <= 10_000, "{} in round {round}", cache.0.weight());
        }
    }
}
