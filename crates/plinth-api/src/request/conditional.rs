//! Conditional requests: entity tags over the representation, and the comparison with what a client holds.

use aws_lc_rs::digest::{Context, SHA256};
use http::HeaderMap;
use http::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};

use super::context::RequestContext;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_core::tokens::Principal;

/// The opaque part of an entity tag: sixty-four hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityTag(String);

impl EntityTag {
    /// A tag over some bytes, different for every principal and representation.
    pub fn new(context: &RequestContext, seed: &[u8]) -> Self {
        let mut hash = Context::new(&SHA256);
        hash.update(&principal_key(&context.principal));
        hash.update(context.media.header().as_bytes());
        hash.update(context.version.as_str().as_bytes());
        hash.update(context.urls.api().as_bytes());
        hash.update(seed);
        let digest = hash.finish();
        let mut text = String::with_capacity(64);
        for byte in digest.as_ref() {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        Self(text)
    }

    /// The strong form, for a response that is sent as it was made.
    pub fn strong(&self) -> String {
        format!("\"{}\"", self.0)
    }
}

fn principal_key(principal: &Principal) -> [u8; 9] {
    let (kind, id) = match principal {
        Principal::Anonymous => (0, 0),
        Principal::User(token) => (1, token.token.0),
        Principal::Installation(token) => (2, token.token.0),
        Principal::App(signed) => (3, signed.app.0),
    };
    let mut key = [kind; 9];
    key[1..].copy_from_slice(&id.to_be_bytes());
    key
}

/// Whether the client already holds the representation that has this seed, asked before it is built.
pub fn is_held(context: &RequestContext, headers: &HeaderMap, seed: &[u8]) -> bool {
    headers.contains_key(IF_NONE_MATCH) && matches(headers, &EntityTag::new(context, seed))
}

/// The headers that make a request conditional, without all the others.
pub fn preconditions(headers: &HeaderMap) -> HeaderMap {
    let tags = headers.get_all(IF_NONE_MATCH).iter().map(|value| (IF_NONE_MATCH, value.clone()));
    let since = headers.get(IF_MODIFIED_SINCE).map(|value| (IF_MODIFIED_SINCE, value.clone()));
    let mut preconditions = HeaderMap::new();
    for (name, value) in tags.chain(since) {
        preconditions.append(name, value);
    }
    preconditions
}

/// Whether the client already holds this representation. A tag counts more than a date.
pub fn is_not_modified(headers: &HeaderMap, tag: Option<&EntityTag>, modified: Option<Timestamp>) -> Result<bool> {
    if headers.contains_key(IF_NONE_MATCH) {
        return Ok(tag.is_some_and(|tag| matches(headers, tag)));
    }
    let (Some(since), Some(modified)) = (headers.get(IF_MODIFIED_SINCE), modified) else { return Ok(false) };
    let since = since.to_str().ok().and_then(|text| httpdate::parse_http_date(text).ok()).ok_or_else(|| {
        Error::unprocessable(
            "Unable to parse If-Modified-Since request header. Please make sure value is in an acceptable format.",
        )
    })?;
    Ok(modified.to_system_time() <= since)
}

fn matches(headers: &HeaderMap, tag: &EntityTag) -> bool {
    let lists = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).map(str::trim).any(|sent| {
        let opaque = sent.trim_start_matches("W/").trim_matches('"');
        sent == "*" || opaque == tag.0
    })
}
