//! Handlers of the operations on values of issue fields.

use plinth_base::error::{Error, Result};
use plinth_base::ids::IssueFieldId;
use plinth_core::conversations::Conversation;
use plinth_core::issue_field_values::{self as values, store};
use plinth_core::repos::RepoTarget;

use super::body::FieldValuesBody;
use super::extract::FoundConversation;
use super::json::FieldValue;
use super::ready::visible;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{AddFieldValues, DeleteFieldValue, ListFieldValues, SetFieldValues};
use crate::request::body::Json;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;

pub async fn list(
    access: Allowed<ListFieldValues, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
) -> Result<ApiResponse> {
    let of = only_issue(of)?;
    let page = page::of(access.context());
    let all = store::list_of_one(&mut app.read().await?, of.id).await?;
    let all = visible(&mut app.read().await?, &access, all).await?;
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let offset = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let limit = usize::try_from(page.limit()).unwrap_or(usize::MAX);
    let some: Vec<_> = all.iter().skip(offset).take(limit).map(FieldValue::new).collect();
    Ok(ApiResponse::ok(&some).with_link(page::link(page, access.context(), total)))
}

pub async fn add(
    access: Allowed<AddFieldValues, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
    Json(body): Json<FieldValuesBody>,
) -> Result<ApiResponse> {
    let all = values::add(&app, &access.for_writing(), only_issue(of)?, body.into()).await?;
    show(&app, &access, all).await
}

pub async fn set(
    access: Allowed<SetFieldValues, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
    Json(body): Json<FieldValuesBody>,
) -> Result<ApiResponse> {
    let all = values::set(&app, &access.for_writing(), only_issue(of)?, body.into()).await?;
    show(&app, &access, all).await
}

pub async fn delete(
    access: Allowed<DeleteFieldValue, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
) -> Result<ApiResponse> {
    let field: IssueFieldId = access.context().params.number("issue_field_id").ok_or(Error::NotFound)?;
    values::delete(&app, &access.for_writing(), only_issue(of)?, field).await?;
    Ok(ApiResponse::no_content())
}

/// Pull requests have no values.
fn only_issue(of: Conversation) -> Result<Conversation> {
    if of.is_pull { Err(Error::NotFound) } else { Ok(of) }
}

async fn show<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    values: Vec<values::FieldValue>,
) -> Result<ApiResponse> {
    let values = visible(&mut app.read().await?, access, values).await?;
    let shown: Vec<_> = values.iter().map(FieldValue::new).collect();
    Ok(ApiResponse::ok(&shown))
}
