//! Handlers of the operations on threads.

use plinth_base::error::Result;
use plinth_core::repos::RepoTarget;
use plinth_core::review_comments::resolutions::model::Resolution;
use plinth_core::review_comments::resolutions::{self, store};

use super::json::ReviewThread;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{ListReviewThreads, ResolveReviewThread, UnresolveReviewThread};
use crate::pulls::find_pull;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use crate::review_comments::handlers::comment_id;

pub async fn list(access: Allowed<ListReviewThreads, RepoTarget>, app: App) -> Result<ApiResponse> {
    let pull = find_pull(&app, &access).await?;
    let (context, viewer) = (access.context(), access.caller().actor());
    let page = page::of(context);
    let mut db = app.read().await?;
    let found = store::list(&mut db, pull.id, viewer, (page.limit(), page.offset())).await?;
    let total = store::count(&mut db, pull.id, viewer).await?;
    drop(db);
    let shown: Vec<_> = found.iter().map(|found| ReviewThread::new(found, &access.repo, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

pub async fn resolve(access: Allowed<ResolveReviewThread, RepoTarget>, app: App) -> Result<ApiResponse> {
    let found = resolutions::resolve(&app, &access.for_writing(), comment_id(&access)?).await?;
    Ok(show(&access, &found))
}

pub async fn unresolve(access: Allowed<UnresolveReviewThread, RepoTarget>, app: App) -> Result<ApiResponse> {
    let found = resolutions::unresolve(&app, &access.for_writing(), comment_id(&access)?).await?;
    Ok(show(&access, &found))
}

fn show<E: Endpoint>(access: &Allowed<E, RepoTarget>, found: &Resolution) -> ApiResponse {
    ApiResponse::ok(&ReviewThread::new(found, &access.repo, access.urls()))
}
