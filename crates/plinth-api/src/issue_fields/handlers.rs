//! Steps of the operations on issue fields.

use http::HeaderMap;

use super::json::{self, ListedOption, WholeOption};
use crate::app::App;
use crate::policy::Allowed;
use crate::policy::table::{CreateIssueField, DeleteIssueField, ListIssueFields, UpdateIssueField};
use crate::request::body::Json;
use crate::request::conditional;
use crate::response::reply::Reply;
use plinth_base::error::{Error, Result};
use plinth_base::ids::IssueFieldId;
use plinth_core::access::Org;
use plinth_core::issue_fields::{IssueFieldChange, NewIssueField, operations, store};

pub async fn list(access: Allowed<ListIssueFields, Org>, app: App, headers: HeaderMap) -> Result<Reply> {
    let org = access.target.0.id;
    let mut db = app.read().await?;
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
    let whole = operations::create(&app, &access.for_writing(), new).await?;
    Ok(Reply::ok(&json::IssueField::<WholeOption<'_>>::new(&whole.field, &whole.options)))
}

pub async fn update(
    access: Allowed<UpdateIssueField, Org>,
    app: App,
    Json(change): Json<IssueFieldChange>,
) -> Result<Reply> {
    let whole = operations::update(&app, &access.for_writing(), field_id(access.exchange())?, change).await?;
    Ok(Reply::ok(&json::IssueField::<WholeOption<'_>>::new(&whole.field, &whole.options)))
}

pub async fn delete(access: Allowed<DeleteIssueField, Org>, app: App) -> Result<Reply> {
    operations::delete(&app, &access.for_writing(), field_id(access.exchange())?).await?;
    Ok(Reply::no_content())
}

fn field_id(exchange: &crate::request::context::Exchange) -> Result<IssueFieldId> {
    exchange.params.number("issue_field_id").ok_or(Error::NotFound)
}
