//! A body in memory, as one buffer or as several that are sent one after another.
//!
//! A list of cached fragments is sent from where they are cached. To copy them into one buffer first takes as long as all else that
//! a page of thirty comments needs.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

/// The bytes of a whole body. Cheap to clone.
#[derive(Debug, Clone)]
pub enum Buffers {
    One(Bytes),
    Several(Arc<[Bytes]>),
}

impl Buffers {
    pub fn length(&self) -> usize {
        match self {
            Buffers::One(bytes) => bytes.len(),
            Buffers::Several(buffers) => buffers.iter().map(Bytes::len).sum(),
        }
    }

    /// The bytes, if they are in one buffer.
    pub fn as_one(&self) -> Option<&[u8]> {
        match self {
            Buffers::One(bytes) => Some(bytes),
            Buffers::Several(_) => None,
        }
    }

    /// All bytes in one buffer, copied if they are in several.
    pub fn into_one(self) -> Bytes {
        match self {
            Buffers::One(bytes) => bytes,
            Buffers::Several(buffers) => buffers.concat().into(),
        }
    }

    /// A copy without unused capacity.
    pub fn to_copy(&self) -> Bytes {
        match self {
            Buffers::One(bytes) => Bytes::copy_from_slice(bytes),
            Buffers::Several(buffers) => buffers.concat().into(),
        }
    }

    pub fn to_body(&self) -> Body {
        match self {
            Buffers::One(bytes) => Body::from(bytes.clone()),
            Buffers::Several(buffers) => {
                Body::new(BuffersBody { remaining: self.length() as u64, buffers: buffers.clone(), next: 0 })
            }
        }
    }
}

impl From<Bytes> for Buffers {
    fn from(bytes: Bytes) -> Self {
        Buffers::One(bytes)
    }
}

/// Buffers as frames, all of them ready.
struct BuffersBody {
    buffers: Arc<[Bytes]>,
    next: usize,
    /// Bytes of the frames that have not been taken.
    remaining: u64,
}

impl HttpBody for BuffersBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(bytes) = self.buffers.get(self.next).cloned() else { return Poll::Ready(None) };
        self.next += 1;
        self.remaining -= bytes.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.next == self.buffers.len()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use http_body_util::BodyExt as _;

    use super::*;

    fn several(texts: &[&'static str]) -> Buffers {
        Buffers::Several(texts.iter().map(|text| Bytes::from_static(text.as_bytes())).collect())
    }

    #[test]
    fn several_buffers_are_one_body() {
        for (buffers, expected) in [
            (several(&[]), ""),
            (several(&["[", "1", ",2", "]"]), "[1,2]"),
            (Buffers::One(Bytes::from_static(b"[1,2]")), "[1,2]"),
        ] {
            assert_eq!(buffers.length(), expected.len());
            let body = buffers.to_body();
            assert_eq!(HttpBody::size_hint(&body).exact(), Some(expected.len() as u64));
            let collected = body.collect().now_or_never().expect("all frames are ready").expect("no frame fails");
            assert_eq!(collected.to_bytes(), expected);
            assert_eq!(buffers.to_copy(), expected);
            assert_eq!(buffers.into_one(), expected);
        }
    }
}
