//! Handlers of the operations on labels.

use plinth_base::error::{Error, Result};
use plinth_core::labels::{operations, store};
use plinth_core::repos::RepoTarget;

use super::body::{CreateLabelBody, UpdateLabelBody};
use super::json::Label;
use crate::app::App;
use crate::policy::table::{CreateLabel, DeleteLabel, GetLabel, ListLabels, UpdateLabel};
use crate::request::body::Json;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;

pub async fn list(access: Allowed<ListLabels, RepoTarget>, app: App) -> Result<ApiResponse> {
    let page = page::of(access.context());
    let mut db = app.read().await?;
    let labels = store::list(&mut db, access.repo.id, page).await?;
    let total = store::count(&mut db, access.repo.id).await?;
    let shown: Vec<_> = labels.iter().map(|label| Label::new(label, &access.repo, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, access.context(), total)))
}

pub async fn create(
    access: Allowed<CreateLabel, RepoTarget>,
    app: App,
    Json(body): Json<CreateLabelBody>,
) -> Result<ApiResponse> {
    let label = operations::create(&app, &access.for_writing(), body.into()).await?;
    let location = access.urls().label(&access.repo.owner_login, &access.repo.name, &label.name);
    Ok(ApiResponse::created(&Label::new(&label, &access.repo, access.urls()), location))
}

pub async fn get(access: Allowed<GetLabel, RepoTarget>, app: App) -> Result<ApiResponse> {
    let name = access.context().params.get("name");
    let label = store::find(&mut app.read().await?, access.repo.id, name).await?.ok_or(Error::NotFound)?;
    Ok(ApiResponse::ok(&Label::new(&label, &access.repo, access.urls())))
}

pub async fn update(
    access: Allowed<UpdateLabel, RepoTarget>,
    app: App,
    Json(body): Json<UpdateLabelBody>,
) -> Result<ApiResponse> {
    let name = access.context().params.get("name").to_owned();
    let label = operations::update(&app, &access.for_writing(), name, body.into()).await?;
    Ok(ApiResponse::ok(&Label::new(&label, &access.repo, access.urls())))
}

pub async fn delete(access: Allowed<DeleteLabel, RepoTarget>, app: App) -> Result<ApiResponse> {
    let name = access.context().params.get("name").to_owned();
    operations::delete(&app, &access.for_writing(), name).await?;
    Ok(ApiResponse::no_content())
}
