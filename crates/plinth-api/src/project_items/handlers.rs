//! Handlers of the operations on items of projects, the same for organizations and users.

use super::body::{AddItemBody, UpdateItemBody};
use super::json::{self, Item, ItemWithFields};
use super::ready::{ReadyItems, ready};
use super::selection::Selection;
use super::values::Shown;
use crate::app::App;
use crate::policy::Endpoint;
use crate::request::body::Json;
use crate::request::context::RequestContext;
use crate::request::{Allowed, cursor};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Code, Error, Result};
use plinth_base::ids::{ProjectId, ProjectItemId};
use plinth_core::access::Target;
use plinth_core::paging::{CursorPage, Edge, Window};
use plinth_core::project_fields::model::Day;
use plinth_core::project_items::{FieldChange, ProjectItem, operations, rules, store};
use plinth_core::projects::Project;
use plinth_store::Connection;

pub async fn list<E: Endpoint, T: Target + AsRef<Project>>(access: Allowed<E, T>, app: App) -> Result<ApiResponse> {
    let (project, context) = (access.target.as_ref(), access.context());
    check_unfiltered(context)?;
    let name = format!("items:{}", project.id);
    let page = cursor::of(context, &app.cursor_key, &name, rules::RESOURCE)?;
    let selection = Selection::of(context)?;
    let mut db = app.read().await?;
    let fields = selection.find(&mut db, project.id).await?;
    let window = find_window(&mut db, project.id, page).await?;
    let items = ready(&mut db, access.caller(), fields, window.items).await?;
    drop(db);
    let shown = shown(&items, project, &app, context);
    let listed: Vec<_> = items.items.iter().map(|item| ItemWithFields::new(item, shown)).collect();
    let link = cursor::link(context, &app.cursor_key, &name, window.before_first, window.after_last);
    Ok(ApiResponse::ok(&listed).with_link(link))
}

pub async fn get<E: Endpoint, T: Target + AsRef<Project>>(access: Allowed<E, T>, app: App) -> Result<ApiResponse> {
    let project = access.target.as_ref();
    let id = item_id(access.context())?;
    let selection = Selection::of(access.context())?;
    let item = store::find(&mut app.read().await?, project.id, id).await?.ok_or(Error::NotFound)?;
    show(&app, &access, &selection, item).await
}

pub async fn add<E: Endpoint, T: Target + AsRef<Project>>(
    access: Allowed<E, T>,
    app: App,
    Json(body): Json<AddItemBody>,
) -> Result<ApiResponse> {
    let (project, urls) = (access.target.as_ref(), access.urls());
    let item = operations::add(&app, &access.for_writing(), body.into()).await?;
    let location = json::url(&item, project, urls).to_string();
    let items = ready(&mut app.read().await?, access.caller(), Vec::new(), vec![item]).await?;
    let item = items.items.first().ok_or_else(one_became_none)?;
    Ok(ApiResponse::created(&Item::new(item, project, urls), location))
}

/// The response shows the title and the fields of the request.
pub async fn update<E: Endpoint, T: Target + AsRef<Project>>(
    access: Allowed<E, T>,
    app: App,
    Json(body): Json<UpdateItemBody>,
) -> Result<ApiResponse> {
    let changes: Vec<FieldChange> = body.into();
    let selection = Selection::TitleAnd(changes.iter().map(|change| change.field).collect());
    let item = operations::update(&app, &access.for_writing(), item_id(access.context())?, changes).await?;
    show(&app, &access, &selection, item).await
}

pub async fn delete<E: Endpoint, T: Target + AsRef<Project>>(access: Allowed<E, T>, app: App) -> Result<ApiResponse> {
    operations::delete(&app, &access.for_writing(), item_id(access.context())?).await?;
    Ok(ApiResponse::no_content())
}

fn item_id(context: &RequestContext) -> Result<ProjectItemId> {
    context.params.number("item_id").ok_or(Error::NotFound)
}

async fn show<E: Endpoint, T: Target + AsRef<Project>>(
    app: &App,
    access: &Allowed<E, T>,
    selection: &Selection,
    item: ProjectItem,
) -> Result<ApiResponse> {
    let project = access.target.as_ref();
    let mut db = app.read().await?;
    let fields = selection.find(&mut db, project.id).await?;
    let items = ready(&mut db, access.caller(), fields, vec![item]).await?;
    drop(db);
    let item = items.items.first().ok_or_else(one_became_none)?;
    Ok(ApiResponse::ok(&ItemWithFields::new(item, shown(&items, project, app, access.context()))))
}

fn shown<'a>(items: &'a ReadyItems, project: &'a Project, app: &App, context: &'a RequestContext) -> Shown<'a> {
    Shown { items, project, today: Day(app.clock.now().date()), urls: &context.urls }
}

fn one_became_none() -> Error {
    Error::internal("one item became none")
}

/// A filter that is ignored would return items that the caller does not want.
fn check_unfiltered(context: &RequestContext) -> Result<()> {
    match context.query("q").filter(|query| !query.trim().is_empty()) {
        None => Ok(()),
        Some(_) => {
            let message = "items cannot be filtered".to_owned();
            Err(Error::invalid(rules::RESOURCE, "q", Code::InvalidBecause(message)))
        }
    }
}

async fn find_window(db: &mut Connection, project: ProjectId, page: CursorPage) -> Result<Window<ProjectItem>> {
    let limit = page.per_page + 1;
    let (found, has_more) = match page.edge {
        Edge::Start => (store::list_after(db, project, 0, limit).await?, false),
        Edge::After(edge) => {
            let has_more = store::list_before(db, project, edge.saturating_add(1), 1).await?;
            (store::list_after(db, project, edge, limit).await?, !has_more.is_empty())
        }
        Edge::Before(edge) => {
            let has_more = store::list_after(db, project, edge.saturating_sub(1), 1).await?;
            (store::list_before(db, project, edge, limit).await?, !has_more.is_empty())
        }
    };
    Ok(Window::new(page, found, has_more, |item| item.id.0))
}
