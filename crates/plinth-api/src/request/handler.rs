//! Handlers of operations: functions whose arguments are read from a request, in order.

use std::future::Future;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::HeaderMap;

use super::context::RequestContext;
use crate::app::App;
use crate::response::api_response::{ApiResponse, Facts};
use plinth_base::error::{Error, Result};

/// A request for one operation, after the middleware has resolved it.
pub struct ApiRequest {
    pub context: Arc<RequestContext>,
    pub headers: HeaderMap,
    body: Option<Body>,
}

impl ApiRequest {
    pub fn new(context: Arc<RequestContext>, headers: HeaderMap, body: Body) -> Self {
        Self { context, headers, body: Some(body) }
    }

    /// The body, which only one argument of a handler can have; the next one gets an empty body.
    pub fn take_body(&mut self) -> Body {
        self.body.take().unwrap_or_default()
    }
}

/// What a handler takes from a request. Arguments are read in the order of the signature, and the first error ends it.
pub trait FromRequest: Sized + Send {
    fn from_request(request: &mut ApiRequest, app: &App) -> impl Future<Output = Result<Self>> + Send;
}

impl FromRequest for App {
    async fn from_request(_: &mut ApiRequest, app: &App) -> Result<Self> {
        Ok(app.clone())
    }
}

impl FromRequest for HeaderMap {
    async fn from_request(request: &mut ApiRequest, _: &App) -> Result<Self> {
        Ok(request.headers.clone())
    }
}

impl FromRequest for Body {
    async fn from_request(request: &mut ApiRequest, _: &App) -> Result<Self> {
        Ok(request.take_body())
    }
}

/// For a handler that has to check something else before it reports what is wrong with this argument.
impl<T: FromRequest> FromRequest for Result<T> {
    async fn from_request(request: &mut ApiRequest, app: &App) -> Result<Self> {
        Ok(T::from_request(request, app).await)
    }
}

/// What a handler returns to the middleware: a response, and what conditional requests need to know about it.
#[derive(Debug)]
pub struct HandlerResponse {
    pub response: Response,
    /// Nothing for what no client asks for conditionally.
    pub facts: Option<Facts>,
}

impl From<ApiResponse> for HandlerResponse {
    fn from(response: ApiResponse) -> Self {
        let (response, facts) = response.into_parts();
        Self { response, facts: Some(facts) }
    }
}

impl From<Response> for HandlerResponse {
    fn from(response: Response) -> Self {
        Self { response, facts: None }
    }
}

/// What a handler may return.
pub trait IntoHandlerResponse {
    fn into_handler_response(self) -> Result<HandlerResponse>;
}

impl<T: Into<HandlerResponse>> IntoHandlerResponse for Result<T, Error> {
    fn into_handler_response(self) -> Result<HandlerResponse> {
        self.map(Into::into)
    }
}

impl IntoHandlerResponse for ApiResponse {
    fn into_handler_response(self) -> Result<HandlerResponse> {
        Ok(self.into())
    }
}

/// An `async fn` with one to five arguments that are read from the request.
pub trait Handler<Arguments>: Clone + Send + Sync + 'static {
    fn call(self, request: ApiRequest, app: App) -> BoxFuture<'static, Result<HandlerResponse>>;
}

macro_rules! implement_handler {
    ($($argument:ident),+) => {
        impl<F, Fut, Out, $($argument),+> Handler<($($argument,)+)> for F
        where
            F: Fn($($argument),+) -> Fut + Clone + Send + Sync + 'static,
            Fut: Future<Output = Out> + Send,
            Out: IntoHandlerResponse,
            $($argument: FromRequest + 'static,)+
        {
            fn call(self, mut request: ApiRequest, app: App) -> BoxFuture<'static, Result<HandlerResponse>> {
                Box::pin(async move {
                    self($($argument::from_request(&mut request, &app).await?),+).await.into_handler_response()
                })
            }
        }
    };
}

implement_handler!(A);
implement_handler!(A, B);
implement_handler!(A, B, C);
implement_handler!(A, B, C, D);
implement_handler!(A, B, C, D, E);
