//! Handlers of the operations on assignees.

use plinth_base::error::{Error, Result};
use plinth_core::issues::{add_assignees, remove_assignees};
use plinth_core::repos::RepoTarget;
use plinth_core::repos::lists::{self, Affiliation};

use super::body::AssigneesBody;
use super::extract::{FoundConversation, check};
use super::handlers::{created, show};
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{AddAssignees, CheckAssignee, CheckAssigneeOfIssue, ListAssignees, RemoveAssignees};
use crate::pulls::json::user_of;
use crate::request::body::Json;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;

pub async fn list(access: Allowed<ListAssignees, RepoTarget>, app: App) -> Result<ApiResponse> {
    let page = page::of(access.context());
    let mut db = app.read().await?;
    let total = lists::count_users(&mut db, access.repo.id, Affiliation::All).await?;
    let found = lists::list_users(&mut db, access.repo.id, Affiliation::All, page).await?;
    let shown: Vec<_> = found.iter().map(|found| user_of(&found.user, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, access.context(), total)))
}

pub async fn check_assignee(access: Allowed<CheckAssignee, RepoTarget>, app: App) -> Result<ApiResponse> {
    can_be_assigned(&app, &access).await
}

pub async fn check_assignee_of_issue(
    access: Allowed<CheckAssigneeOfIssue, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    can_be_assigned(&app, &access).await
}

async fn can_be_assigned<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<ApiResponse> {
    let login = access.context().params.get("assignee");
    let found = lists::find_user(&mut app.read().await?, access.repo.id, login).await?;
    found.and_then(|found| found.role).map(|_| ApiResponse::no_content()).ok_or(Error::NotFound)
}

pub async fn add(
    access: Allowed<AddAssignees, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
    Json(body): Json<AssigneesBody>,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    let issue = add_assignees(&app, &access.for_writing(), of, body.logins()).await?;
    created(&app, &access, issue).await
}

pub async fn remove(
    access: Allowed<RemoveAssignees, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
    Json(body): Json<AssigneesBody>,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    let issue = remove_assignees(&app, &access.for_writing(), of, body.logins()).await?;
    show(&app, &access, issue).await
}
