//! Steps of the operations on issue fields.

use http::HeaderMap;

use super::json::{self, IssueFieldChange, ListedOption, NewIssueField, WholeOption};
use super::{changes, rules, store};
use crate::api::access::table::{CreateIssueField, DeleteIssueField, ListIssueFields, UpdateIssueField};
use crate::api::access::{Allowed, Endpoint, Org};
use crate::api::body::Json;
use crate::api::conditional;
use crate::api::reply::Reply;
use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::IssueFieldId;

pub async fn list(access: Allowed<ListIssueFields, Org>, app: App, headers: HeaderMap) -> Result<Reply> {
    let org = access.target.0.id;
    let mut db = app.store.read().await?;
    let generation = store::find_generation(&mut db, org).await?;
    let seed = format!("issue-fields {org} {generation}").into_bytes();
    if conditional::is_held(access.exchange(), &headers, &seed) {
        return Ok(Reply::not_modified(seed));
    }
    let fields = store::list(&mut db, org).await?;
    let options = store::list_options(&mut db, org).await?;
    let listed: Vec<json::IssueField<'_, ListedOption<'_>>> = fields
        .iter()
        .map(|field| {
            let start = options.partition_point(|option| option.issue_field_id < field.id);
            let end = options.partition_point(|option| option.issue_field_id <= field.id);
            json::IssueField::new(field, &options[start..end])
        })
        .collect();
    Ok(Reply::ok(&listed).with_entity_seed(seed))
}

pub async fn create(access: Allowed<CreateIssueField, Org>, app: App, Json(new): Json<NewIssueField>) -> Result<Reply> {
    rules::check_new(&new)?;
    let now = app.clock.now();
    let content = format!("{} {new:?}", access.target.0.id);
    app.limiter.admit(access.caller(), CreateIssueField::ROW.operation, &content, now)?;
    let context = (access.target.0.id, new, now);
    let whole =
        access.write(&app.store, context, |tx, (org, new, now)| Box::pin(changes::create(tx, *org, new, *now))).await?;
    Ok(Reply::ok(&json::IssueField::<WholeOption<'_>>::new(&whole.field, &whole.options)))
}

pub async fn update(
    access: Allowed<UpdateIssueField, Org>,
    app: App,
    Json(change): Json<IssueFieldChange>,
) -> Result<Reply> {
    let id = field_id(access.exchange())?;
    let context = (access.target.0.id, id, change, app.clock.now());
    let whole = access
        .write(&app.store, context, |tx, (org, id, change, now)| Box::pin(changes::update(tx, *org, *id, change, *now)))
        .await?;
    Ok(Reply::ok(&json::IssueField::<WholeOption<'_>>::new(&whole.field, &whole.options)))
}

pub async fn delete(access: Allowed<DeleteIssueField, Org>, app: App) -> Result<Reply> {
    let context = (access.target.0.id, field_id(access.exchange())?, app.clock.now());
    access.write(&app.store, context, |tx, (org, id, now)| Box::pin(changes::delete(tx, *org, *id, *now))).await?;
    Ok(Reply::no_content())
}

fn field_id(exchange: &crate::api::exchange::Exchange) -> Result<IssueFieldId> {
    exchange.params.number("issue_field_id").ok_or(Error::NotFound)
}
