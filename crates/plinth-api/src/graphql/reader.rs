//! Reads of REST operations on behalf of a query.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use axum::body::Body;
use http::header::LINK;
use http::{HeaderMap, Method};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::errors::{QueryResult, invalid};
use crate::app::App;
use crate::negotiation::{Media, Version};
use crate::request::body::collect;
use crate::request::context::RequestContext;
use crate::request::handler::ApiRequest;
use crate::routes::Matcher;
use plinth_base::error::Error;
use plinth_core::access::check_kind;
use plinth_core::rate_limit::LimitKey;

/// A query for a hundred commits reads the pull requests of each.
const READS_MAX: usize = 500;
/// What the reads of a query may have in memory.
const BYTES_MAX: usize = 8 * 1024 * 1024;
/// What fields may take from it, each time that one needs it.
const USED_BYTES_MAX: usize = 128 * 1024 * 1024;
/// What a segment of a path may contain as it is.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A response, and whether there is a next page.
#[derive(Clone)]
pub struct Page {
    pub value: Value,
    pub has_next: bool,
    bytes: usize,
}

impl Page {
    /// The page of a list that the caller does not see.
    pub fn empty() -> Self {
        Self { value: Value::Null, has_next: false, bytes: 0 }
    }
}

/// Reads as the caller of the query, each path once.
pub struct Reader {
    pub matcher: Arc<Matcher>,
    pub context: Arc<RequestContext>,
    pub app: App,
    read: HashMap<String, Option<Page>>,
    bytes: usize,
    used_bytes: usize,
}

impl Reader {
    pub fn new(matcher: Arc<Matcher>, context: Arc<RequestContext>, app: App) -> Self {
        Self { matcher, context, app, read: HashMap::new(), bytes: 0, used_bytes: 0 }
    }

    /// The resource at a path with its query; none if the caller does not see it, or if there is nothing in the repository.
    pub async fn get(&mut self, target: String) -> QueryResult<Option<Page>> {
        // Fields that need no read do not let the request time out otherwise.
        tokio::task::yield_now().await;
        if let Some(read) = self.read.get(&target) {
            self.used_bytes += read.as_ref().map_or(0, |page| page.bytes);
            if self.used_bytes > USED_BYTES_MAX {
                return Err(invalid("Query takes too much work"));
            }
            return Ok(read.clone());
        }
        if self.read.len() >= READS_MAX {
            return Err(invalid(format!("Query needs more than {READS_MAX} reads")));
        }
        let page = match self.call(&target).await {
            Ok(page) => {
                self.bytes += page.bytes;
                Some(page)
            }
            Err(Error::BodyTooLarge(_)) => return Err(invalid("Query reads too much")),
            Err(Error::NotFound | Error::Missing(_) | Error::Conflict(_) | Error::Unprocessable(_)) => None,
            Err(error) => return Err(error.into()),
        };
        self.read.insert(target, page.clone());
        Ok(page)
    }

    /// Each read counts in the rate limit, as it would by REST.
    async fn call(&self, target: &str) -> Result<Page, Error> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (route, params) = self.matcher.find(&Method::GET, path).ok_or(Error::NotFound)?;
        let caller = &self.context;
        if let Some(limit_key) = LimitKey::of(&caller.principal, caller.peer) {
            self.app.limiter.count(limit_key, self.app.clock.now()).await.1?;
        }
        let context = Arc::new(RequestContext {
            row: route.row,
            params,
            principal: caller.principal.clone(),
            generations: caller.generations,
            urls: caller.urls.clone(),
            media: Media::Json,
            version: Version::DEFAULT,
            path: path.to_owned(),
            query: query.to_owned(),
            peer: caller.peer,
            permit: caller.permit.clone(),
            entity_tag_key: caller.entity_tag_key,
            scope: OnceLock::new(),
            dependency: OnceLock::new(),
        });
        check_kind(&route.row.rule, &context.principal)?;
        let handled = route.call(ApiRequest::new(context, HeaderMap::new(), Body::empty()), self.app.clone()).await?;
        let link = handled.response.headers().get(LINK).and_then(|link| link.to_str().ok()).unwrap_or_default();
        let has_next = link.contains("rel=\"next\"");
        // The limit is the whole one less what is in memory already.
        let bytes = collect(handled.response.into_body(), BYTES_MAX.saturating_sub(self.bytes)).await?;
        let value = serde_json::from_slice(&bytes).map_err(|error| Error::Internal(error.into()))?;
        Ok(Page { value, has_next, bytes: bytes.len() })
    }
}

/// A text as one segment of a path or one value of a query.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}
