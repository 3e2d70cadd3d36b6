//! Conditional requests: entity tags over the representation, and the comparison with what a client holds.

use http::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue};

use super::context::RequestContext;
use crate::app::DIGEST_LENGTH;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_core::tokens::Principal;

/// A strong entity tag, for a response that is sent as it was made: sixty-four hexadecimal digits in quotation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityTag([u8; 2 + 2 * DIGEST_LENGTH]);

impl EntityTag {
    /// A tag over some bytes, different for every principal and representation.
    pub fn new(context: &RequestContext, seed: &[u8]) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digest = context.entity_tag_key.digest(&[
            &principal_key(&context.principal),
            context.media.header().as_bytes(),
            context.version.as_str().as_bytes(),
            context.urls.api().as_bytes(),
            seed,
        ]);
        let mut text = [b'"'; _];
        for (pair, byte) in text[1..].as_chunks_mut().0.iter_mut().zip(digest) {
            *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
        }
        Self(text)
    }

    pub fn header_value(&self) -> HeaderValue {
        HeaderValue::from_bytes(&self.0).expect("a tag is ASCII")
    }

    /// The part between the quotation marks.
    fn opaque(&self) -> &[u8] {
        &self.0[1..=2 * DIGEST_LENGTH]
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
        sent == "*" || opaque.as_bytes() == tag.opaque()
    })
}
