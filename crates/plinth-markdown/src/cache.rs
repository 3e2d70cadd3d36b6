//! Rendered texts that were asked for before.

use std::collections::HashMap;
use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use parking_lot::Mutex;

use super::{Context, Rendered, render};

/// A digest of the text and its surroundings: nobody can find two texts that share one.
type Key = [u8; SHA256_OUTPUT_LEN];

/// Rendered texts up to a number of bytes, the ones used last kept longest.
///
/// Two generations instead of an exact order: when the young one is full, it becomes the old one, and what was in the
/// old one and not asked for since is forgotten.
#[derive(Debug)]
pub struct Cache {
    generation_bytes_max: usize,
    generations: Mutex<Generations>,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Key, Arc<Rendered>>,
    old: HashMap<Key, Arc<Rendered>>,
    young_bytes: usize,
}

impl Cache {
    /// A cache that holds about this many bytes of HTML and text.
    pub fn new(bytes_max: usize) -> Self {
        Self { generation_bytes_max: bytes_max / 2, generations: Mutex::default() }
    }

    /// As [`render`], but each text only once while it is remembered.
    pub fn render(&self, source: &str, context: &Context<'_>) -> Arc<Rendered> {
        let key = key(source, context);
        if let Some(known) = self.find(&key) {
            return known;
        }
        // Rendered outside the lock: the same text twice is better than everyone waiting.
        let rendered = Arc::new(render(source, context));
        self.insert(key, &rendered);
        rendered
    }

    fn find(&self, key: &Key) -> Option<Arc<Rendered>> {
        let known = {
            let mut generations = self.generations.lock();
            if let Some(young) = generations.young.get(key) {
                return Some(young.clone());
            }
            generations.old.remove(key)?
        };
        self.insert(*key, &known);
        Some(known)
    }

    fn insert(&self, key: Key, rendered: &Arc<Rendered>) {
        let bytes = key.len() + rendered.html.len() + rendered.text.len();
        if bytes > self.generation_bytes_max {
            return;
        }
        let mut generations = self.generations.lock();
        if generations.young_bytes + bytes > self.generation_bytes_max {
            generations.old = std::mem::take(&mut generations.young);
            generations.young_bytes = 0;
        }
        if generations.young.insert(key, rendered.clone()).is_none() {
            generations.young_bytes += bytes;
        }
    }
}

fn key(source: &str, context: &Context<'_>) -> Key {
    let mut input = Vec::with_capacity(context.web_url.len() + 1 + source.len());
    // An address has no line break, so that the two cannot run into each other.
    input.extend_from_slice(context.web_url.as_bytes());
    input.push(b'\n');
    input.extend_from_slice(source.as_bytes());
    let mut key = [0; SHA256_OUTPUT_LEN];
    key.copy_from_slice(digest(&SHA256, &input).as_ref());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: Context<'_> = Context { web_url: "https://example.com" };

    #[test]
    fn a_text_is_rendered_once_while_it_is_used() {
        let cache = Cache::new(1000);
        let first = cache.render("kept", &CONTEXT);
        let passing = cache.render("passing", &CONTEXT);
        for round in 0..100 {
            cache.render(&format!("passing {round}"), &CONTEXT);
            assert!(Arc::ptr_eq(&first, &cache.render("kept", &CONTEXT)), "round {round}");
        }
        assert!(!Arc::ptr_eq(&passing, &cache.render("passing", &CONTEXT)), "what is not used is forgotten");
        let elsewhere = cache.render("kept", &Context { web_url: "https://example.org" });
        assert!(!Arc::ptr_eq(&first, &elsewhere));
    }

    #[test]
    fn the_cache_stays_within_its_bytes() {
        let cache = Cache::new(10_000);
        for round in 0..1000 {
            cache.render(&format!("{round} {}", "x".repeat(round)), &CONTEXT);
            let generations = cache.generations.lock();
            let texts = generations.young.values().chain(generations.old.values());
            let bytes: usize = texts.map(|rendered| 32 + rendered.html.len() + rendered.text.len()).sum();
            assert!(bytes <= 10_000, "{bytes} in round {round}");
        }
    }
}
