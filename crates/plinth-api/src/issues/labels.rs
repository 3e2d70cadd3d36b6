//! Handlers of the operations on labels of issues and pull requests.

use plinth_base::error::Result;
use plinth_core::issues::{add_labels, remove_all_labels, remove_label, set_labels};
use plinth_core::labels::{self, Label};
use plinth_core::repos::RepoTarget;

use super::body::Labels;
use super::extract::{FoundConversation, check};
use crate::app::App;
use crate::labels::json;
use crate::policy::Endpoint;
use crate::policy::table::{AddLabels, ListLabelsOfIssue, RemoveAllLabels, RemoveLabel, SetLabels};
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;

pub async fn list(
    access: Allowed<ListLabelsOfIssue, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    let page = page::of(access.context());
    let all = labels::store::list_of_one(&mut app.read().await?, of.id).await?;
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let offset = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let limit = usize::try_from(page.limit()).unwrap_or(usize::MAX);
    let some: Vec<Label> = all.into_iter().skip(offset).take(limit).collect();
    Ok(show(&access, &some).with_link(page::link(page, access.context(), total)))
}

pub async fn add(
    access: Allowed<AddLabels, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
    Labels(names): Labels,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    Ok(show(&access, &add_labels(&app, &access.for_writing(), of, names).await?))
}

pub async fn set(
    access: Allowed<SetLabels, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
    Labels(names): Labels,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    Ok(show(&access, &set_labels(&app, &access.for_writing(), of, names).await?))
}

pub async fn remove_all(
    access: Allowed<RemoveAllLabels, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    remove_all_labels(&app, &access.for_writing(), of).await?;
    Ok(ApiResponse::no_content())
}

pub async fn remove(
    access: Allowed<RemoveLabel, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    let name = access.context().params.get("name").to_owned();
    Ok(show(&access, &remove_label(&app, &access.for_writing(), of, name).await?))
}

fn show<E: Endpoint>(access: &Allowed<E, RepoTarget>, labels: &[Label]) -> ApiResponse {
    let shown: Vec<_> = labels.iter().map(|label| json::Label::new(label, &access.repo, access.urls())).collect();
    ApiResponse::ok(&shown)
}
