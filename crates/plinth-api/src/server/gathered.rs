//! The frames of a body that are ready at once, as one frame, so that the system is called once for all of them.

use std::collections::VecDeque;
use std::io::IoSlice;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::{Buf, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};

/// A frame of this size gets no more buffers, so that a body that is made while it is sent stays small in memory.
const FULL_FRAME_BYTES: usize = 256 * 1024;

/// Several buffers in a row.
#[derive(Debug)]
pub struct Gathered {
    first: Bytes,
    rest: VecDeque<Bytes>,
    remaining: usize,
}

impl Gathered {
    fn new(first: Bytes) -> Self {
        Self { remaining: first.len(), first, rest: VecDeque::new() }
    }

    fn push(&mut self, bytes: Bytes) {
        self.remaining += bytes.len();
        self.rest.push_back(bytes);
    }
}

impl Buf for Gathered {
    fn remaining(&self) -> usize {
        self.remaining
    }

    fn chunk(&self) -> &[u8] {
        // The first buffer may be empty, and then the next one that is not comes first.
        let mut buffers = std::iter::once(&self.first).chain(&self.rest);
        buffers.find(|bytes| !bytes.is_empty()).map_or(&[], |bytes| bytes)
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let buffers = std::iter::once(&self.first).chain(&self.rest).filter(|bytes| !bytes.is_empty());
        let mut count = 0;
        for (slice, bytes) in slices.iter_mut().zip(buffers) {
            *slice = IoSlice::new(bytes);
            count += 1;
        }
        count
    }

    fn advance(&mut self, mut count: usize) {
        assert!(count <= self.remaining, "more bytes were taken than there are");
        self.remaining -= count;
        while count >= self.first.len() {
            count -= self.first.len();
            match self.rest.pop_front() {
                Some(next) => self.first = next,
                None => {
                    self.first = Bytes::new();
                    return;
                }
            }
        }
        self.first.advance(count);
    }
}

/// A body whose ready frames are gathered, where its length is known.
pub struct GatheredBody {
    body: Body,
    /// What came after the gathered frames.
    next: Option<Result<Frame<Bytes>, axum::Error>>,
}

impl GatheredBody {
    pub fn new(body: Body) -> Self {
        Self { body, next: None }
    }

    /// Adds frames to the first one for as long as they are ready.
    fn gather(&mut self, first: Bytes, context: &mut Context<'_>) -> Gathered {
        let mut gathered = Gathered::new(first);
        // The others are streams, which are sent as they come.
        let has_length = HttpBody::size_hint(&self.body).exact().is_some();
        while has_length && gathered.remaining < FULL_FRAME_BYTES && !HttpBody::is_end_stream(&self.body) {
            let Poll::Ready(Some(polled)) = Pin::new(&mut self.body).poll_frame(context) else { break };
            match polled.map(Frame::into_data) {
                Ok(Ok(bytes)) => gathered.push(bytes),
                Ok(Err(other)) => self.next = Some(Ok(other)),
                Err(error) => self.next = Some(Err(error)),
            }
            if self.next.is_some() {
                break;
            }
        }
        gathered
    }
}

impl HttpBody for GatheredBody {
    type Data = Gathered;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Gathered>, axum::Error>>> {
        let polled = match self.next.take() {
            Some(next) => Some(next),
            None => std::task::ready!(Pin::new(&mut self.body).poll_frame(context)),
        };
        Poll::Ready(polled.map(|frame| {
            Ok(match frame?.into_data() {
                Ok(first) => Frame::data(self.gather(first, context)),
                Err(other) => other.map_data(Gathered::new),
            })
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.next.is_none() && HttpBody::is_end_stream(&self.body)
    }

    fn size_hint(&self) -> SizeHint {
        HttpBody::size_hint(&self.body)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::response::buffers::Buffers;

    fn body(texts: &[&'static str]) -> GatheredBody {
        let buffers = texts.iter().map(|text| Bytes::from_static(text.as_bytes())).collect();
        GatheredBody::new(Buffers::Several(buffers).to_body())
    }

    fn next(body: &mut GatheredBody) -> Option<Gathered> {
        let frame = body.frame().now_or_never().expect("all frames are ready")?;
        Some(frame.expect("no frame fails").into_data().expect("all frames have data"))
    }

    /// All of it, taken in steps of this length.
    fn take(mut gathered: Gathered, step: usize) -> Vec<u8> {
        let mut taken = Vec::new();
        while gathered.has_remaining() {
            let mut slices = [IoSlice::new(&[]); 3];
            let count = gathered.chunks_vectored(&mut slices);
            let all: Vec<u8> = slices[..count].iter().flat_map(|slice| slice.iter().copied()).collect();
            assert!(all.starts_with(gathered.chunk()) && !gathered.chunk().is_empty());
            let step = step.min(all.len());
            taken.extend_from_slice(&all[..step]);
            gathered.advance(step);
        }
        taken
    }

    #[test]
    fn ready_frames_are_one_frame() {
        let texts = ["", "[", "one", "", ",two", ",three", "]", ""];
        for step in 1..20 {
            let mut body = body(&texts);
            let gathered = next(&mut body).expect("there is a frame");
            assert_eq!(gathered.remaining(), "[one,two,three]".len());
            assert_eq!(take(gathered, step), b"[one,two,three]");
            assert!(HttpBody::is_end_stream(&body) && next(&mut body).is_none());
        }
    }

    #[test]
    fn large_frames_are_not_gathered() {
        let large: &'static str = String::leak("a".repeat(FULL_FRAME_BYTES));
        let mut body = body(&[large, "b", large, "c"]);
        let sizes: Vec<usize> = std::iter::from_fn(|| next(&mut body)).map(|frame| frame.remaining()).collect();
        assert_eq!(sizes, [large.len(), large.len() + 1, 1]);
    }

    #[test]
    fn streams_are_not_gathered() {
        let frames = futures_util::stream::iter(["a", "b"].map(|text| Ok::<_, std::io::Error>(Bytes::from(text))));
        let mut body = GatheredBody::new(Body::from_stream(frames));
        let frames: Vec<Vec<u8>> = std::iter::from_fn(|| next(&mut body)).map(|frame| take(frame, 9)).collect();
        assert_eq!(frames, [b"a", b"b"]);
    }
}
