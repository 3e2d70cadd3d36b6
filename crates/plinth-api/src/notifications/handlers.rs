//! Handlers of the operations on notifications.

use super::json::Thread;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{GetNotificationThread, ListNotifications, MarkNotificationThreadRead};
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_core::access::OwnAccount;
use plinth_core::notifications::model::Notification;
use plinth_core::notifications::operations;
use plinth_core::notifications::store::{self, Filter, View};
use plinth_core::tokens::{Principal, Scope, UserLimits};

pub async fn list(access: Allowed<ListNotifications, OwnAccount>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let page = page::of(context);
    let filter = Filter {
        all: context.query("all").as_deref() == Some("true"),
        since: context.query_time("since")?.unwrap_or(Timestamp(i64::MIN)),
        before: context.query_time("before")?.unwrap_or(Timestamp(i64::MAX)),
    };
    let mut db = app.read().await?;
    let found = store::list(&mut db, view(&access), filter, (page.limit(), page.offset())).await?;
    let total = store::count(&mut db, view(&access), filter).await?;
    let shown: Vec<_> = found.iter().map(|notification| Thread::new(notification, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

pub async fn get(access: Allowed<GetNotificationThread, OwnAccount>, app: App) -> Result<ApiResponse> {
    let found = find(&app, &access).await?;
    Ok(ApiResponse::ok(&Thread::new(&found, access.urls())))
}

pub async fn mark_read(access: Allowed<MarkNotificationThreadRead, OwnAccount>, app: App) -> Result<ApiResponse> {
    let found = find(&app, &access).await?;
    operations::mark_read(&app, &access.for_writing(), found.id).await?;
    Ok(ApiResponse::reset_content())
}

/// The thread that the path names, if it belongs to the caller.
async fn find<E: Endpoint>(app: &App, access: &Allowed<E, OwnAccount>) -> Result<Notification> {
    let id = access.context().params.number("thread_id").ok_or(Error::NotFound)?;
    let mut db = app.read().await?;
    store::find(&mut db, view(access), id).await?.ok_or(Error::NotFound)
}

/// A token without the scope for private repositories does not see their notifications.
fn view<E: Endpoint>(access: &Allowed<E, OwnAccount>) -> View {
    let private = match access.caller() {
        Principal::User(token) => match &token.limits {
            UserLimits::Classic(scopes) | UserLimits::OAuth { scopes, .. } => scopes.grant(Scope::Repo),
            UserLimits::FineGrained { .. } | UserLimits::AppUser { .. } => false,
        },
        Principal::Anonymous | Principal::Installation(_) | Principal::App(_) => false,
    };
    View { user: access.target.0.id, private }
}
