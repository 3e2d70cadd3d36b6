//! Comments as fragments of JSON, and responses made of them.

use std::sync::Arc;

use bytes::Bytes;

use super::json::{Ready, ReviewComment};
use crate::app::DIGEST_LENGTH;
use crate::app::comment_fragments::Fragment;
use crate::request::context::RequestContext;
use crate::response::api_response::ApiResponse;
use plinth_core::repos::Repo;

/// Most comments fit; a longer one grows from here.
const FRAGMENT_SIZE: usize = 4096;

pub fn fragment_of(ready: &Ready, repo: &Repo, context: &RequestContext, is_complete: bool) -> Fragment {
    let mut json = Vec::with_capacity(FRAGMENT_SIZE);
    let shown = ReviewComment::new(ready, context.media, repo, &context.urls);
    serde_json::to_writer(&mut json, &shown).expect("a comment has text keys and no failing parts");
    let comment = &ready.comment;
    Fragment {
        columns: comment.into(),
        is_complete,
        digest: context.entity_tag_key.digest(&[&json]),
        // Without unused capacity.
        json: Bytes::copy_from_slice(&json),
        // A push moves the lines of a comment without changing the comment.
        last_modified: comment.updated_at.max(comment.version.created_at),
    }
}

/// 200 with the comment.
pub fn response(fragment: &Fragment) -> ApiResponse {
    ApiResponse::written_json(fragment.json.clone()).with_entity_seed(fragment.digest.to_vec())
}

/// 200 with a list of comments. The digests of the fragments identify the body, and are much shorter.
pub fn list_response(fragments: &[Arc<Fragment>]) -> ApiResponse {
    let length: usize = fragments.iter().map(|fragment| fragment.json.len() + 1).sum();
    let mut body = Vec::with_capacity(length + 2);
    let mut seed = Vec::with_capacity(DIGEST_LENGTH * fragments.len());
    body.push(b'[');
    for (index, fragment) in fragments.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        body.extend_from_slice(&fragment.json);
        seed.extend_from_slice(&fragment.digest);
    }
    body.push(b']');
    ApiResponse::written_json(body).with_entity_seed(seed)
}
