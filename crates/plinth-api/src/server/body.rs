//! Response bodies, which keep their request in flight until they are passed on.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::Body;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use super::connections::{Admission, Tracked};
use super::gathered::{Gathered, GatheredBody};

/// A request in flight on a connection.
pub struct InFlight {
    tracked: Arc<Tracked>,
    /// The stream of an HTTP/2 connection. Nothing else shows that its client does not let it go on.
    stream: Option<u64>,
}

impl InFlight {
    /// A request whose head was noted when it was complete.
    pub fn http1(tracked: Arc<Tracked>) -> Self {
        Self { tracked, stream: None }
    }

    pub fn http2(tracked: Arc<Tracked>, stream: u64) -> Self {
        tracked.activity().request_began(Instant::now());
        Self { tracked, stream: Some(stream) }
    }

    pub fn admission(&self) -> Admission {
        self.tracked.admission
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut activity = self.tracked.activity();
        if let Some(stream) = self.stream {
            activity.stream_moved(stream);
        }
        activity.request_ended(Instant::now());
    }
}

/// A body with the request that it responds to.
pub struct TrackedBody {
    body: GatheredBody,
    in_flight: InFlight,
}

impl TrackedBody {
    pub fn new(body: Body, in_flight: InFlight) -> Self {
        let tracked = Self { body: GatheredBody::new(body), in_flight };
        // Until the client lets the first frame go, it is the one that is waited for.
        tracked.wait_for_client();
        tracked
    }

    fn wait_for_client(&self) {
        if let Some(stream) = self.in_flight.stream {
            self.in_flight.tracked.activity().stream_stalled(stream, Instant::now());
        }
    }
}

impl HttpBody for TrackedBody {
    type Data = Gathered;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Gathered>, axum::Error>>> {
        if let Some(stream) = self.in_flight.stream {
            self.in_flight.tracked.activity().stream_moved(stream);
        }
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(Some(Ok(_)))) {
            self.wait_for_client();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
