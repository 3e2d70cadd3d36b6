//! What the middleware has learned about a request before its handler runs.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use super::request_permit::RequestPermit;
use crate::app::EntityTagKey;
use crate::app::permits::Caller;
use crate::negotiation::{Media, Version};
use crate::policy::Row;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::urls::Urls;
use plinth_core::access::PathParams;
use plinth_core::tokens::Principal;
use plinth_store::{Dependency, Generations, InvalidationScope};

/// What handlers know about a request besides its body.
#[derive(Debug)]
pub struct RequestContext {
    pub row: &'static Row,
    pub params: PathParams,
    pub principal: Arc<Principal>,
    /// The generations of the store from before anything was read, where they are known.
    pub generations: Option<Generations>,
    pub urls: Urls,
    pub media: Media,
    pub version: Version,
    /// The path of the request without the prefix, for links to other pages.
    pub path: String,
    pub query: String,
    /// The client's IP address, for limits of callers without a credential.
    pub peer: IpAddr,
    /// The request's permit, which it does not hold while it waits for its client.
    pub permit: Arc<RequestPermit>,
    pub entity_tag_key: EntityTagKey,
    /// Set once the resource of the path was found.
    pub scope: OnceLock<InvalidationScope>,
    /// Set by a handler that knows what its response is made from.
    pub dependency: OnceLock<Dependency>,
}

impl RequestContext {
    /// Who permits are counted for.
    pub fn caller(&self) -> Caller {
        Caller::of(&self.principal, self.peer)
    }

    /// Whose content the response is made from.
    pub fn scope(&self) -> InvalidationScope {
        self.scope.get().copied().unwrap_or(InvalidationScope::Everything)
    }

    /// What the response is made from: all content of its scope, unless the handler knows better.
    pub fn dependency(&self) -> Dependency {
        self.dependency.get().copied().unwrap_or(Dependency::Content(self.scope()))
    }

    /// One parameter of the query; the last one counts where it is repeated.
    pub fn query(&self, name: &str) -> Option<Cow<'_, str>> {
        form_urlencoded::parse(self.query.as_bytes()).filter(|(key, _)| key == name).map(|(_, value)| value).last()
    }

    /// All values of parameters with these names.
    pub fn query_all<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = Cow<'a, str>> {
        let pairs = form_urlencoded::parse(self.query.as_bytes());
        pairs.filter(|(key, _)| names.contains(&&**key)).map(|(_, value)| value)
    }

    /// A parameter that is a time or a date; none where it is empty.
    pub fn query_time(&self, name: &str) -> Result<Option<Timestamp>> {
        let Some(text) = self.query(name).filter(|text| !text.is_empty()) else { return Ok(None) };
        let moment = Timestamp::parse_lenient(&text);
        moment.map(Some).ok_or_else(|| Error::Shape(vec![format!("{text} is not a valid date-time.")]))
    }

    /// Whether a parameter has a value, which may be empty: `?name=` has one, `?name` does not.
    pub fn has_query_value(&self, name: &str) -> bool {
        let pairs = self.query.split('&').filter(|pair| pair.contains('='));
        pairs.flat_map(|pair| form_urlencoded::parse(pair.as_bytes())).any(|(key, _)| key == name)
    }
}
