//! A copy of the beginning of a request's body, made while the API reads it.

use std::sync::Arc;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use parking_lot::Mutex;
use serde_json::Value;

/// Longer bodies are not logged.
pub const BYTES_MAX: usize = 64 * 1024;

/// What has been read of a body.
#[derive(Clone, Default)]
pub struct BodyCopy(Arc<Mutex<BytesMut>>);

impl BodyCopy {
    /// The body, if it was read as a whole and is JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.0.lock()).ok()
    }

    fn add(&self, bytes: &Bytes) {
        let mut copy = self.0.lock();
        // One byte too many shows that it is not complete.
        let room = (BYTES_MAX + 1).saturating_sub(copy.len());
        copy.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// The same body, which is copied if `wanted`.
pub fn copied(body: Body, wanted: bool) -> (BodyCopy, Body) {
    let copy = BodyCopy::default();
    if !wanted {
        return (copy, body);
    }
    let target = copy.clone();
    let stream = body.into_data_stream().inspect(move |read| {
        if let Ok(bytes) = read {
            target.add(bytes);
        }
    });
    (copy, Body::from_stream(stream))
}
