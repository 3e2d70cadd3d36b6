//! Steps of the operations on notifications.

use super::json::Thread;
use super::model::Notification;
use super::store::{self, Filter, View};
use crate::api::access::table::{GetNotificationThread, ListNotifications, MarkNotificationThreadRead};
use crate::api::access::{Allowed, Endpoint, OwnAccount};
use crate::api::exchange::Exchange;
use crate::api::page::Page;
use crate::api::reply::Reply;
use crate::app::App;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::tokens::{Principal, Scope, UserLimits};

pub async fn list(access: Allowed<ListNotifications, OwnAccount>, app: App) -> Result<Reply> {
    let exchange = access.exchange();
    let page = Page::of(exchange);
    let filter = Filter {
        all: exchange.query("all").as_deref() == Some("true"),
        since: moment(exchange, "since")?.unwrap_or(Timestamp(i64::MIN)),
        before: moment(exchange, "before")?.unwrap_or(Timestamp(i64::MAX)),
    };
    let mut db = app.store.read().await?;
    let found = store::list(&mut db, view(&access), filter, (page.limit(), page.offset())).await?;
    let total = store::count(&mut db, view(&access), filter).await?;
    let shown: Vec<_> = found.iter().map(|notification| Thread::new(notification, access.urls())).collect();
    Ok(Reply::ok(&shown).with_link(page.link(exchange, total)))
}

pub async fn get(access: Allowed<GetNotificationThread, OwnAccount>, app: App) -> Result<Reply> {
    let found = find(&app, &access).await?;
    Ok(Reply::ok(&Thread::new(&found, access.urls())))
}

pub async fn mark_read(access: Allowed<MarkNotificationThreadRead, OwnAccount>, app: App) -> Result<Reply> {
    let found = find(&app, &access).await?;
    let context = (found.id, app.clock.now());
    access
        .write(&app.store, context, |tx, (id, now)| Box::pin(async move { Ok(store::mark_read(tx, *id, *now).await?) }))
        .await?;
    Ok(Reply::reset_content())
}

/// The thread that the path names, if it is one of the caller's.
async fn find<E: Endpoint>(app: &App, access: &Allowed<E, OwnAccount>) -> Result<Notification> {
    let id = access.exchange().params.number("thread_id").ok_or(Error::NotFound)?;
    let mut db = app.store.read().await?;
    store::find(&mut db, view(access), id).await?.ok_or(Error::NotFound)
}

/// A token without the scope for private repositories is not told about them either.
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

fn moment(exchange: &Exchange, name: &str) -> Result<Option<Timestamp>> {
    let Some(text) = exchange.query(name).filter(|text| !text.is_empty()) else { return Ok(None) };
    let moment = Timestamp::parse(&text);
    moment.map(Some).ok_or_else(|| Error::Shape(vec![format!("{text} is not a valid date-time.")]))
}
