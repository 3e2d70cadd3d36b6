//! Request bodies as they come: without a permit while the client is waited for, and never slower than a limit.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::request_permit::RequestPermit;

/// A body may take its first time, and a second more for each of these.
const BYTES_PER_SECOND_MIN: u64 = 4 * 1024;

/// A body that gives the permit of its request back whenever it has to wait. What counts is the time in which the service
/// waits for the client, not the time in which the client waits for the service.
pub struct RequestBody {
    body: Body,
    permit: Arc<RequestPermit>,
    patience: Patience,
    waiting: Option<Waiting>,
    /// What has come while the permit is not held yet.
    arrived: Option<Arrived>,
}

/// How long the service waits for a client.
struct Patience {
    /// How long the client may let the service wait, besides what it earns by sending.
    allowance: Duration,
    waited: Duration,
    received: u64,
}

impl Patience {
    fn left(&self) -> Duration {
        let earned = Duration::from_secs(self.received / BYTES_PER_SECOND_MIN);
        (self.allowance + earned).saturating_sub(self.waited)
    }
}

struct Waiting {
    since: Instant,
    deadline: Pin<Box<Sleep>>,
}

struct Arrived {
    frame: Option<Result<Frame<Bytes>, axum::Error>>,
    holding: BoxFuture<'static, ()>,
}

impl RequestBody {
    /// Wraps a body, unless there is none.
    pub fn wrap(body: Body, permit: Arc<RequestPermit>, allowance: Duration) -> Body {
        if body.is_end_stream() {
            return body;
        }
        let patience = Patience { allowance, waited: Duration::ZERO, received: 0 };
        Body::new(Self { body, permit, patience, waiting: None, arrived: None })
    }

    /// Whether reading failed because the client was too slow.
    pub fn is_too_slow(error: &(dyn std::error::Error + 'static)) -> bool {
        let mut causes = std::iter::successors(Some(error), |cause| cause.source());
        causes
            .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::TimedOut))
    }

    /// Waits for the client until its time is over.
    fn poll_deadline(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.waiting.is_none() {
            let since = Instant::now();
            let deadline = Box::pin(tokio::time::sleep_until(since + self.patience.left()));
            self.waiting = Some(Waiting { since, deadline });
        }
        match &mut self.waiting {
            Some(waiting) => waiting.deadline.as_mut().poll(context),
            None => Poll::Pending,
        }
    }
}

type Polled = Poll<Option<Result<Frame<Bytes>, axum::Error>>>;

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Polled {
        let this = &mut *self;
        if this.arrived.is_none() {
            let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) else {
                this.permit.release();
                ready!(this.poll_deadline(context));
                return Poll::Ready(Some(Err(axum::Error::new(io::Error::from(io::ErrorKind::TimedOut)))));
            };
            this.patience.waited += this.waiting.take().map(|waiting| waiting.since.elapsed()).unwrap_or_default();
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()).and_then(Frame::data_ref);
            this.patience.received += data.map_or(0, |data| data.len() as u64);
            if this.permit.try_hold() {
                return Poll::Ready(frame);
            }
            this.arrived = Some(Arrived { frame, holding: Box::pin(this.permit.clone().hold()) });
        }
        if let Some(arrived) = &mut this.arrived {
            ready!(arrived.holding.as_mut().poll(context));
        }
        Poll::Ready(this.arrived.take().and_then(|arrived| arrived.frame))
    }

    fn is_end_stream(&self) -> bool {
        self.arrived.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use futures_util::{FutureExt, StreamExt, stream};
    use http_body_util::BodyExt;
    use tokio::sync::mpsc;

    use super::*;
    use crate::app::permits::{Caller, Permits};
    use plinth_core::tokens::Principal;

    fn permit(permits: &Arc<Permits>) -> Arc<RequestPermit> {
        let permit = RequestPermit::try_new(permits).expect("a permit");
        let caller = Caller::of(&Principal::Anonymous, Ipv4Addr::LOCALHOST.into());
        permit.count_for(caller).expect("the caller has no other");
        permit
    }

    #[tokio::test]
    async fn a_body_that_is_waited_for_holds_no_permit() {
        let permits = Arc::new(Permits::new(1, 1));
        let (client, pieces) = mpsc::unbounded_channel::<Result<Bytes, axum::Error>>();
        let pieces = stream::unfold(pieces, |mut pieces| async move { Some((pieces.recv().await?, pieces)) });
        let body = RequestBody::wrap(Body::from_stream(pieces), permit(&permits), Duration::from_secs(600));
        assert_eq!(permits.available(), 0);
        let mut body = body.into_data_stream();
        assert!(body.next().now_or_never().is_none(), "nothing has come");
        let other = permit(&permits);
        client.send(Ok("a".into())).expect("it is read");
        assert!(body.next().now_or_never().is_none(), "what has come waits for the permit");
        drop(other);
        assert_eq!(body.next().await.expect("a piece").expect("a piece"), "a");
        assert_eq!(permits.available(), 0, "there is work again");
        drop((client, body));
        assert_eq!(permits.available(), 1);
    }

    #[tokio::test]
    async fn a_body_that_does_not_come_fails_as_too_slow() {
        let permits = Arc::new(Permits::new(1, 1));
        let never = Body::from_stream(stream::pending::<Result<Bytes, axum::Error>>());
        let body = RequestBody::wrap(never, permit(&permits), Duration::from_millis(1));
        let error = body.collect().await.expect_err("it never comes");
        assert!(RequestBody::is_too_slow(&error), "{error:?}");
        assert!(!RequestBody::is_too_slow(&axum::Error::new(io::Error::from(io::ErrorKind::BrokenPipe))));
    }

    #[test]
    fn whoever_sends_earns_more_time() {
        let second = Duration::from_secs(1);
        let left =
            |waited: u32, received| Patience { allowance: 10 * second, waited: waited * second, received }.left();
        assert_eq!(
            (left(0, 0), left(9, 0), left(10, 0), left(11, 0)),
            (10 * second, second, Duration::ZERO, Duration::ZERO)
        );
        assert_eq!(left(100, 100 * BYTES_PER_SECOND_MIN), 10 * second);
        assert_eq!(left(100, 80 * BYTES_PER_SECOND_MIN), Duration::ZERO);
    }
}
