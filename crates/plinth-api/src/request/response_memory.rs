//! Large responses, which take memory for as long as their clients take to read them.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

use crate::app::App;
use crate::app::permits::{MEMORY_UNIT, Permit};
use crate::request::context::RequestContext;
use crate::response::buffers::Buffers;
use plinth_base::error::{Error, Result};

/// Smaller bodies are not counted.
pub const SIZE_MIN: usize = 64 * 1024;
/// Large responses that wait for memory.
const WAITING_MAX: usize = 256;

/// Waits for the memory of a body of this length.
pub async fn acquire(app: &App, context: &RequestContext, length: usize) -> Result<Permit> {
    let (memory, patience) = (&app.response_memory, app.settings.request_timeout);
    let acquiring = memory.acquire(context.caller(), length.div_ceil(MEMORY_UNIT), patience, WAITING_MAX);
    let acquired = context.permit.while_waiting(acquiring).await;
    acquired.ok_or_else(|| Error::Unavailable("too many large responses at once".into()))
}

/// Counts the memory of a response until it is sent, where it is large.
pub async fn count(
    app: &App,
    context: &RequestContext,
    response: Response,
    whole: Option<&Buffers>,
) -> Result<Response> {
    match whole {
        Some(whole) if whole.length() >= SIZE_MIN => {
            // Boxed, because it is large and rarely needed.
            let permit = Box::pin(acquire(app, context, whole.length())).await?;
            Ok(response.map(|body| Body::new(CountedBody { body, _permit: permit })))
        }
        Some(_) | None => Ok(response),
    }
}

/// A body with the permit for its memory.
struct CountedBody {
    body: Body,
    _permit: Permit,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
