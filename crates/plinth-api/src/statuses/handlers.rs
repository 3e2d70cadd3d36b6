//! Handlers of statuses.

use super::body::CreateStatusBody;
use super::json::{CombinedStatus, Status};
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{CreateStatus, GetCombinedStatus, ListStatuses};
use crate::pulls::get_commit;
use crate::request::body::Json;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::Result;
use plinth_core::repos::RepoTarget;
use plinth_core::statuses::{self, store};

pub async fn create(
    access: Allowed<CreateStatus, RepoTarget>,
    app: App,
    Json(body): Json<CreateStatusBody>,
) -> Result<ApiResponse> {
    let sha = access.context().params.get("sha");
    let status = statuses::create(&app, &access.for_writing(), sha, body.into()).await?;
    let (repo, urls) = (&access.repo, access.urls());
    let location = urls.status(&repo.owner_login, &repo.name, status.sha);
    Ok(ApiResponse::created(&Status::new(&status, repo, urls), location))
}

pub async fn list(access: Allowed<ListStatuses, RepoTarget>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let sha = get_commit(&app, &access.repo, named(&access)).await?;
    let page = page::of(context);
    let mut db = app.read().await?;
    let total = store::count(&mut db, access.repo.id, sha).await?;
    let statuses = store::list(&mut db, access.repo.id, sha, page).await?;
    drop(db);
    let shown: Vec<_> = statuses.iter().map(|status| Status::new(status, &access.repo, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

pub async fn get_combined(access: Allowed<GetCombinedStatus, RepoTarget>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let sha = get_commit(&app, &access.repo, named(&access)).await?;
    let page = page::of(context);
    let mut db = app.read().await?;
    let counts = store::count_latest(&mut db, access.repo.id, sha).await?;
    let statuses = store::list_latest(&mut db, access.repo.id, sha, page).await?;
    drop(db);
    let shown = CombinedStatus::new(sha, (counts, &statuses), &access.repo, access.urls());
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, counts.total())))
}

/// The commit, branch or tag of the path.
fn named<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> &str {
    let params = &access.context().params;
    params.get(if params.has("ref") { "ref" } else { "sha" })
}
