//! Downloads of files, read from the store chunk by chunk while they are sent.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use http_body::{Body as HttpBody, Frame, SizeHint};

use crate::app::App;
use crate::app::permits::Permit;
use crate::request::context::RequestContext;
use crate::request::response_memory;
use crate::response::content_type::with_type;
use plinth_base::error::{Error, Result};
use plinth_core::releases::Asset;
use plinth_core::releases::assets::{CHUNK_BYTES, store};

/// The type of every download: a browser must not show what others have uploaded.
pub const MEDIA: &str = "application/octet-stream";
/// Chunks of one download that are in memory: the one that is sent, and the one that is read.
const CHUNKS_IN_MEMORY: usize = 2;

/// 200 with the bytes of a file.
pub async fn stream(app: &App, context: &RequestContext, asset: &Asset) -> Result<Response> {
    let permit = response_memory::acquire(app, context, CHUNKS_IN_MEMORY * CHUNK_BYTES).await?;
    let left = u64::try_from(asset.size).unwrap_or_default();
    let body = AssetBody { app: app.clone(), asset: asset.clone(), number: 0, left, reading: None, _permit: permit };
    let mut response = with_type(HeaderValue::from_static(MEDIA), Body::new(body));
    let disposition = format!("attachment; filename={}", asset.name);
    let disposition = HeaderValue::try_from(disposition).map_err(|_| Error::internal("the name of a file is ASCII"))?;
    response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}

/// The bytes of a file. If it is deleted meanwhile, the body ends with an error, before its announced length.
struct AssetBody {
    app: App,
    asset: Asset,
    /// The next chunk.
    number: i64,
    left: u64,
    reading: Option<BoxFuture<'static, Result<Option<Vec<u8>>>>>,
    _permit: Permit,
}

impl AssetBody {
    fn read(&self) -> BoxFuture<'static, Result<Option<Vec<u8>>>> {
        let (app, asset, number) = (self.app.clone(), self.asset.id, self.number);
        Box::pin(async move { Ok(store::find_chunk(&mut app.read().await?, asset, number).await?) })
    }
}

impl HttpBody for AssetBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        if self.reading.is_none() {
            self.reading = Some(self.read());
        }
        let Some(reading) = self.reading.as_mut() else { return Poll::Pending };
        let read = ready!(reading.as_mut().poll(context));
        self.reading = None;
        match read {
            Ok(Some(chunk)) => {
                self.number += 1;
                self.left = self.left.saturating_sub(chunk.len() as u64);
                Poll::Ready(Some(Ok(Frame::data(chunk.into()))))
            }
            Ok(None) => Poll::Ready(Some(Err(Error::NotFound))),
            Err(error) => Poll::Ready(Some(Err(error))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
