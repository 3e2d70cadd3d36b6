//! Steps of the operations on issue fields.

use http::HeaderMap;

use super::json::{self, ListedOption, WholeOption};
use crate::app::App;
use crate::policy::table::{CreateIssueField, DeleteIssueField, ListIssueFields, UpdateIssueField};
use crate::request::body::Json;
use crate::request::{Allowed, conditional};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::IssueFieldId;
use plinth_core::access::Org;
use plinth_core::issue_fields::{IssueFieldChange, NewIssueField, operations, store};

pub async fn list(access: Allowed<ListIssueFields, Org>, app: App, headers: HeaderMap) -> Result<ApiResponse> {
    let org = access.target.0.id;
    let mut db = app.read().await?;
    let generation = store::find_generation(&mut db, org).await?;
    let seed = format!("issue-fields {org} {generation}").into_bytes();
    if conditional::is_held(access.context(), &headers, &seed) {
        return Ok(ApiResponse::not_modified(seed));
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
    Ok(ApiResponse::ok(&listed).with_entity_seed(seed))
}

pub async fn create(
    access: Allowed<CreateIssueField, Org>,
    app: App,
    Json(new): Json<NewIssueField>,
) -> Result<ApiResponse> {
    let whole = operations::create(&app, &access.for_writing(), new).await?;
    Ok(ApiResponse::ok(&json::IssueField::<WholeOption<'_>>::new(&whole.field, &whole.options)))
}

pub async fn update(
    access: Allowed<UpdateIssueField, Org>,
    app: App,
    Json(change): Json<IssueFieldChange>,
) -> Result<ApiResponse> {
    let whole = operations::update(&app, &access.for_writing(), field_id(access.context())?, change).await?;
    Ok(ApiResponse::ok(&json::IssueField::<WholeOption<'_>>::new(&whole.field, &whole.options)))
}

pub async fn delete(access: Allowed<DeleteIssueField, Org>, app: App) -> Result<ApiResponse> {
    operations::delete(&app, &access.for_writing(), field_id(access.context())?).await?;
    Ok(ApiResponse::no_content())
}

fn field_id(context: &crate::request::context::RequestContext) -> Result<IssueFieldId> {
    context.params.number("issue_field_id").ok_or(Error::NotFound)
}
