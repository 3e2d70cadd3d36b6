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
    let mut after_comma = Vec::with_capacity(FRAGMENT_SIZE);
    after_comma.push(b',');
    let shown = ReviewComment::new(ready, context.media, repo, &context.urls);
    serde_json::to_writer(&mut after_comma, &shown).expect("a comment has text keys and no failing parts");
    let comment = &ready.comment;
    Fragment {
        columns: comment.into(),
        is_complete,
        digest: context.entity_tag_key.digest(&[&after_comma[1..]]),
        // Without unused capacity.
        after_comma: Bytes::copy_from_slice(&after_comma),
        // A push moves the lines of a comment without changing the comment.
        last_modified: comment.updated_at.max(comment.version.created_at),
    }
}

/// 200 with the comment.
pub fn response(fragment: &Fragment) -> ApiResponse {
    ApiResponse::written_json(fragment.json()).with_entity_seed(fragment.digest.to_vec())
}

/// 200 with a list of comments, sent from where the fragments are. The digests of the fragments identify the body, and are much shorter.
pub fn list_response(fragments: &[Arc<Fragment>]) -> ApiResponse {
    let mut buffers = Vec::with_capacity(fragments.len() + 2);
    let mut seed = Vec::with_capacity(DIGEST_LENGTH * fragments.len());
    buffers.push(Bytes::from_static(b"["));
    for fragment in fragments {
        buffers.push(if buffers.len() == 1 { fragment.json() } else { fragment.after_comma.clone() });
        seed.extend_from_slice(&fragment.digest);
    }
    buffers.push(Bytes::from_static(b"]"));
    ApiResponse::json_in_buffers(buffers, seed)
}
