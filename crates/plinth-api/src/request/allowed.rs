//! The proof that a caller may do what a handler is about to do.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use plinth_base::error::Result;
use plinth_base::urls::Urls;
use plinth_core::access::{Access, AccessRequest, Target, WriteAccess, authorize};

use super::context::RequestContext;
use super::handler::{ApiRequest, FromRequest};
use crate::app::App;
use crate::policy::{Endpoint, Row};

/// A resource on which the caller may carry out the operation of the endpoint `E`.
pub struct Allowed<E, T> {
    access: Arc<Access<T>>,
    context: Arc<RequestContext>,
    endpoint: PhantomData<E>,
}

impl<E: Endpoint, T: Target> Allowed<E, T> {
    pub fn urls(&self) -> &Urls {
        &self.context.urls
    }

    pub fn context(&self) -> &RequestContext {
        &self.context
    }

    /// The context, for what outlives the proof.
    pub fn shared_context(&self) -> Arc<RequestContext> {
        self.context.clone()
    }

    /// The proof for another endpoint on the same resource, where only the request says which one is meant.
    pub fn to_do<F: Endpoint>(self) -> Result<Allowed<F, T>> {
        const { assert!(F::ROW.rule.target as u8 == T::KIND as u8, "the endpoint has another target than the proof") }
        let access = self.access.for_operation(F::ROW.operation, &F::ROW.rule)?;
        Ok(Allowed { access, context: self.context, endpoint: PhantomData })
    }

    /// Whether the caller may also call another endpoint on the same resource.
    pub fn may<F: Endpoint>(&self) -> bool {
        const { assert!(F::ROW.rule.target as u8 == T::KIND as u8, "the endpoint has another target than the proof") }
        self.access.may(&F::ROW.rule)
    }

    /// What an operation that writes asks for.
    pub fn for_writing(&self) -> WriteAccess<T> {
        const { assert!(E::ROW.rule.is_write(), "the policy table says that the endpoint reads") }
        self.access.for_writing()
    }
}

impl<E, T> Deref for Allowed<E, T> {
    type Target = Access<T>;

    fn deref(&self) -> &Access<T> {
        &self.access
    }
}

impl<E: Endpoint, T: Target> FromRequest for Allowed<E, T> {
    async fn from_request(request: &mut ApiRequest, app: &App) -> Result<Self> {
        const { assert!(E::ROW.rule.target as u8 == T::KIND as u8, "the handler asks for another target than its row") }
        let context = request.context.clone();
        let access = access_for(app, &context, E::ROW).await?;
        Ok(Self { access, context, endpoint: PhantomData })
    }
}

/// What does not depend on the type of the endpoint, so that it is compiled once for each kind of resource.
async fn access_for<T: Target>(app: &App, context: &RequestContext, row: &'static Row) -> Result<Arc<Access<T>>> {
    let access = AccessRequest {
        operation: row.operation,
        rule: &row.rule,
        params: context.params.clone(),
        principal: context.principal.clone(),
        generations: context.generations,
        cached: row.caching.access,
    };
    let access = Arc::new(authorize::<T>(app, access).await?);
    context.scope.get_or_init(|| access.scope());
    Ok(access)
}
