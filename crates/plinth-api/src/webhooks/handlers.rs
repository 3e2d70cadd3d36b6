//! Handlers of the operations on hooks. Most are the same for repositories and organizations.

use plinth_base::error::{Code, Error, Result};
use plinth_base::ids::{DeliveryId, WebhookId};
use plinth_base::urls::{Url, Urls};
use plinth_core::access::{NoTarget, Org};
use plinth_core::repos::RepoTarget;
use plinth_core::webhooks::deliveries::{self, Filter, Outcome};
use plinth_core::webhooks::model::{Webhook, WebhookWithResponse};
use plinth_core::webhooks::{ConfigInput, HookTarget, operations, push_test, store};
use serde::Serialize;

use super::body::{ConfigBody, CreateOrgHookBody, CreateRepoHookBody, UpdateHookBody};
use super::json::{Accepted, Config, Delivery, DeliveryItem, Hook, OrgHook};
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{
    CreateOrgHook, CreateRepoHook, GetAppHookConfig, GetAppHookDelivery, ListAppHookDeliveries, RedeliverAppHook,
    TestRepoHook, UpdateAppHookConfig,
};
use crate::request::body::Json;
use crate::request::context::RequestContext;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;

/// A resource whose hooks have URLs of their own.
pub trait HookView: HookTarget {
    type Json<'a>: Serialize;

    fn hook_url<'a>(&'a self, urls: &'a Urls, id: WebhookId) -> Url<'a>;

    fn show<'a>(&'a self, found: &'a WebhookWithResponse, urls: &'a Urls) -> Self::Json<'a>;
}

impl HookView for RepoTarget {
    type Json<'a> = Hook<'a>;

    fn hook_url<'a>(&'a self, urls: &'a Urls, id: WebhookId) -> Url<'a> {
        urls.repo_hook(&self.repo.owner_login, &self.repo.name, id)
    }

    fn show<'a>(&'a self, found: &'a WebhookWithResponse, urls: &'a Urls) -> Hook<'a> {
        Hook::new(found, self.hook_url(urls, found.hook.id))
    }
}

impl HookView for Org {
    type Json<'a> = OrgHook<'a>;

    fn hook_url<'a>(&'a self, urls: &'a Urls, id: WebhookId) -> Url<'a> {
        urls.org_hook(&self.0.login, id)
    }

    fn show<'a>(&'a self, found: &'a WebhookWithResponse, urls: &'a Urls) -> OrgHook<'a> {
        OrgHook::new(&found.hook, self.hook_url(urls, found.hook.id))
    }
}

pub async fn list<E: Endpoint, T: HookView>(access: Allowed<E, T>, app: App) -> Result<ApiResponse> {
    let owner = access.target.hook_owner(access.caller())?;
    let page = page::of(access.context());
    let mut db = app.read().await?;
    let total = store::count_of(&mut db, owner).await?;
    let found = store::list_page(&mut db, owner, page).await?;
    let shown: Vec<_> = found.iter().map(|found| access.target.show(found, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, access.context(), total)))
}

pub async fn create_in_repo(
    access: Allowed<CreateRepoHook, RepoTarget>,
    app: App,
    Json(body): Json<CreateRepoHookBody>,
) -> Result<ApiResponse> {
    let made = operations::create(&app, &access.for_writing(), body.into()).await?;
    Ok(created(&access, &made))
}

pub async fn create_in_org(
    access: Allowed<CreateOrgHook, Org>,
    app: App,
    Json(body): Json<CreateOrgHookBody>,
) -> Result<ApiResponse> {
    let made = operations::create(&app, &access.for_writing(), body.into()).await?;
    Ok(created(&access, &made))
}

fn created<E: Endpoint, T: HookView>(access: &Allowed<E, T>, made: &WebhookWithResponse) -> ApiResponse {
    let url = access.target.hook_url(access.urls(), made.hook.id);
    ApiResponse::created(&access.target.show(made, access.urls()), url)
}

pub async fn get<E: Endpoint, T: HookView>(access: Allowed<E, T>, app: App) -> Result<ApiResponse> {
    let owner = access.target.hook_owner(access.caller())?;
    let found = store::find_with_response(&mut app.read().await?, owner, hook_id(access.context())?).await?;
    Ok(ApiResponse::ok(&access.target.show(&found.ok_or(Error::NotFound)?, access.urls())))
}

pub async fn update<E: Endpoint, T: HookView>(
    access: Allowed<E, T>,
    app: App,
    Json(body): Json<UpdateHookBody>,
) -> Result<ApiResponse> {
    let id = hook_id(access.context())?;
    let changed = operations::update(&app, &access.for_writing(), id, body.into()).await?;
    Ok(ApiResponse::ok(&access.target.show(&changed, access.urls())))
}

pub async fn delete<E: Endpoint, T: HookView>(access: Allowed<E, T>) -> Result<ApiResponse> {
    operations::delete(&access.for_writing(), hook_id(access.context())?).await?;
    Ok(ApiResponse::no_content())
}

pub async fn get_config<E: Endpoint, T: HookView>(access: Allowed<E, T>, app: App) -> Result<ApiResponse> {
    Ok(ApiResponse::ok(&Config::new(&find_hook(&access, &app).await?)))
}

pub async fn update_config<E: Endpoint, T: HookView>(
    access: Allowed<E, T>,
    app: App,
    Json(body): Json<ConfigBody>,
) -> Result<ApiResponse> {
    let id = hook_id(access.context())?;
    let hook = operations::update_config(&app, &access.for_writing(), id, ConfigInput::from(body)).await?;
    Ok(ApiResponse::ok(&Config::new(&hook)))
}

pub async fn ping<E: Endpoint, T: HookView>(access: Allowed<E, T>, app: App) -> Result<ApiResponse> {
    operations::ping(&app, &access.for_writing(), hook_id(access.context())?).await?;
    Ok(ApiResponse::no_content())
}

pub async fn test(access: Allowed<TestRepoHook, RepoTarget>, app: App) -> Result<ApiResponse> {
    push_test::send(&app, &access.for_writing(), hook_id(access.context())?).await?;
    Ok(ApiResponse::no_content())
}

pub async fn list_deliveries<E: Endpoint, T: HookView>(access: Allowed<E, T>, app: App) -> Result<ApiResponse> {
    let hook = find_hook(&access, &app).await?;
    show_deliveries(&app, access.context(), hook.id).await
}

pub async fn get_delivery<E: Endpoint, T: HookView>(access: Allowed<E, T>, app: App) -> Result<ApiResponse> {
    let hook = find_hook(&access, &app).await?;
    show_delivery(&app, access.context(), &hook).await
}

pub async fn redeliver<E: Endpoint, T: HookView>(access: Allowed<E, T>, app: App) -> Result<ApiResponse> {
    let (hook, delivery) = (hook_id(access.context())?, delivery_id(access.context())?);
    operations::redeliver(&app, &access.for_writing(), hook, delivery).await?;
    Ok(ApiResponse::accepted(&Accepted {}))
}

pub async fn get_app_config(access: Allowed<GetAppHookConfig, NoTarget>, app: App) -> Result<ApiResponse> {
    let hook = find_app_hook(&access, &app).await?;
    Ok(ApiResponse::ok(&hook.as_ref().map_or_else(Config::of_absent, Config::new)))
}

pub async fn update_app_config(
    access: Allowed<UpdateAppHookConfig, NoTarget>,
    app: App,
    Json(body): Json<ConfigBody>,
) -> Result<ApiResponse> {
    let hook = operations::update_app_config(&app, &access.for_writing(), body.into()).await?;
    Ok(ApiResponse::ok(&hook.as_ref().map_or_else(Config::of_absent, Config::new)))
}

pub async fn list_app_deliveries(access: Allowed<ListAppHookDeliveries, NoTarget>, app: App) -> Result<ApiResponse> {
    match find_app_hook(&access, &app).await? {
        Some(hook) => show_deliveries(&app, access.context(), hook.id).await,
        None => Ok(ApiResponse::ok(&[(); 0])),
    }
}

pub async fn get_app_delivery(access: Allowed<GetAppHookDelivery, NoTarget>, app: App) -> Result<ApiResponse> {
    let hook = find_app_hook(&access, &app).await?.ok_or(Error::NotFound)?;
    show_delivery(&app, access.context(), &hook).await
}

pub async fn redeliver_of_app(access: Allowed<RedeliverAppHook, NoTarget>, app: App) -> Result<ApiResponse> {
    let hook = find_app_hook(&access, &app).await?.ok_or(Error::NotFound)?;
    operations::redeliver(&app, &access.for_writing(), hook.id, delivery_id(access.context())?).await?;
    Ok(ApiResponse::accepted(&Accepted {}))
}

async fn find_hook<E: Endpoint, T: HookView>(access: &Allowed<E, T>, app: &App) -> Result<Webhook> {
    let owner = access.target.hook_owner(access.caller())?;
    let found = store::find_of(&mut app.read().await?, owner, hook_id(access.context())?).await?;
    found.ok_or(Error::NotFound)
}

async fn find_app_hook<E: Endpoint>(access: &Allowed<E, NoTarget>, app: &App) -> Result<Option<Webhook>> {
    let owner = access.target.hook_owner(access.caller())?;
    Ok(store::find_of_app(&mut app.read().await?, owner).await?)
}

async fn show_deliveries(app: &App, context: &RequestContext, hook: WebhookId) -> Result<ApiResponse> {
    let (filter, per_page) = (filter(context)?, page::per_page(context));
    let start = cursor(context)?;
    let mut db = app.read().await?;
    let mut found =
        deliveries::list(&mut db, hook, start.unwrap_or(DeliveryId(i64::MAX)), filter, per_page + 1).await?;
    let next =
        found.split_off(found.len().min(usize::try_from(per_page).unwrap_or(usize::MAX))).first().map(|next| next.id);
    let previous = match start {
        Some(start) => deliveries::list_newer(&mut db, hook, start, filter, per_page).await?.last().copied(),
        None => None,
    };
    let link = |id: DeliveryId, relation: &str| {
        let url = page::with_query(context, &[("cursor", Some(&format!("{CURSOR_PREFIX}{id}")))]);
        format!("<{url}>; rel=\"{relation}\"")
    };
    let links: Vec<String> =
        previous.map(|id| link(id, "prev")).into_iter().chain(next.map(|id| link(id, "next"))).collect();
    let shown: Vec<DeliveryItem<'_>> = found.iter().map(DeliveryItem::from).collect();
    Ok(ApiResponse::ok(&shown).with_link((!links.is_empty()).then(|| links.join(", "))))
}

async fn show_delivery(app: &App, context: &RequestContext, hook: &Webhook) -> Result<ApiResponse> {
    let mut db = app.read().await?;
    let delivery = deliveries::find(&mut db, hook.id, delivery_id(context)?).await?.ok_or(Error::NotFound)?;
    let message = deliveries::find_message(&mut db, delivery.message_id).await?.ok_or(Error::NotFound)?;
    Ok(ApiResponse::ok(&Delivery::new(&delivery, &message, hook)))
}

/// The version of cursors, which name the first delivery of a page.
const CURSOR_PREFIX: &str = "v1_";

fn cursor(context: &RequestContext) -> Result<Option<DeliveryId>> {
    let Some(text) = context.query("cursor").filter(|text| !text.is_empty()) else { return Ok(None) };
    let id = text.strip_prefix(CURSOR_PREFIX).and_then(|id| id.parse().ok());
    id.map(Some).ok_or_else(|| Error::invalid("Hook", "cursor", Code::Invalid))
}

fn filter(context: &RequestContext) -> Result<Filter> {
    let invalid = |field| Error::invalid("Hook", field, Code::Invalid);
    let redelivery = match context.query("redelivery").as_deref() {
        None | Some("") => None,
        Some("true") => Some(true),
        Some("false") => Some(false),
        Some(_) => return Err(invalid("redelivery")),
    };
    let outcome = match context.query("status").as_deref() {
        None | Some("") => None,
        Some("success") => Some(Outcome::Success),
        Some("failure") => Some(Outcome::Failure),
        Some(_) => return Err(invalid("status")),
    };
    Ok(Filter { redelivery, outcome })
}

fn hook_id(context: &RequestContext) -> Result<WebhookId> {
    context.params.number("hook_id").ok_or(Error::NotFound)
}

fn delivery_id(context: &RequestContext) -> Result<DeliveryId> {
    context.params.number("delivery_id").ok_or(Error::NotFound)
}
