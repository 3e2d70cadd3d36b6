//! Steps of the operations on fields of projects, the same for organizations and users.

use http::HeaderMap;

use super::json::{ProjectField, Setting};
use crate::app::App;
use crate::policy::Endpoint;
use crate::request::body::Json;
use crate::request::shape::FromJson;
use crate::request::{Allowed, conditional, cursor};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ProjectFieldId, ProjectId};
use plinth_base::urls::Part::{Fixed, Number};
use plinth_base::urls::Urls;
use plinth_core::access::Target;
use plinth_core::paging::{CursorPage, Edge, Window};
use plinth_core::project_fields::model::{self, Day};
use plinth_core::project_fields::{NewField, operations, rules, store};
use plinth_core::projects::Project;
use plinth_store::Connection;

pub async fn list<E: Endpoint, T: Target + AsRef<Project>>(
    access: Allowed<E, T>,
    app: App,
    headers: HeaderMap,
) -> Result<ApiResponse> {
    let (project, context, today) = (access.target.as_ref(), access.context(), Day(app.clock.now().date()));
    let name = format!("fields:{}", project.id);
    let page = cursor::of(context, &app.cursor_key, &name, rules::RESOURCE)?;
    let seed = seed(project, today, &format!("{page:?}"));
    if conditional::is_held(context, &headers, &seed) {
        return Ok(ApiResponse::not_modified(seed));
    }
    let mut db = app.read().await?;
    let window = find_window(&mut db, project.id, page).await?;
    let contents = store::find_contents(&mut db, &window.items).await?;
    let setting = Setting { project, contents: &contents, today, urls: access.urls() };
    let listed: Vec<_> = window.items.iter().map(|field| ProjectField::new(field, setting)).collect();
    let link = cursor::link(context, &app.cursor_key, &name, window.before_first, window.after_last);
    Ok(ApiResponse::ok(&listed).with_link(link).with_entity_seed(seed))
}

pub async fn get<E: Endpoint, T: Target + AsRef<Project>>(
    access: Allowed<E, T>,
    app: App,
    headers: HeaderMap,
) -> Result<ApiResponse> {
    let (project, today) = (access.target.as_ref(), Day(app.clock.now().date()));
    let id: ProjectFieldId = access.context().params.number("field_id").ok_or(Error::NotFound)?;
    let mut db = app.read().await?;
    let field = store::find(&mut db, project.id, id).await?.ok_or(Error::NotFound)?;
    let seed = seed(project, today, &format!("field {id}"));
    if conditional::is_held(access.context(), &headers, &seed) {
        return Ok(ApiResponse::not_modified(seed));
    }
    let contents = store::find_contents(&mut db, std::slice::from_ref(&field)).await?;
    let setting = Setting { project, contents: &contents, today, urls: access.urls() };
    Ok(ApiResponse::ok(&ProjectField::new(&field, setting)).with_entity_seed(seed))
}

pub async fn add<E: Endpoint, T: Target + AsRef<Project>, B: FromJson + Into<NewField>>(
    access: Allowed<E, T>,
    app: App,
    Json(new): Json<B>,
) -> Result<ApiResponse> {
    let project = access.target.as_ref();
    let whole = operations::add(&app, &access.for_writing(), new.into()).await?;
    Ok(created(project, &whole, Day(app.clock.now().date()), access.urls()))
}

fn created(project: &Project, whole: &operations::ProjectFieldWithContents, today: Day, urls: &Urls) -> ApiResponse {
    let contents = &whole.contents;
    let field = ProjectField::new(&whole.field, Setting { project, contents, today, urls });
    let location = crate::projects::json::url(project, urls).then(Fixed("/fields/")).then(Number(whole.field.id.0));
    ApiResponse::created(&field, location)
}

/// What the entity tag is made of: it changes with every change of the project's fields, with the date where that
/// shows, and with what was asked for.
fn seed(project: &Project, today: Day, asked: &str) -> Vec<u8> {
    let date = if project.has_iterations { today.to_string() } else { String::new() };
    format!("fields {} {} {date} {asked}", project.id, project.generation).into_bytes()
}

async fn find_window(db: &mut Connection, project: ProjectId, page: CursorPage) -> Result<Window<model::ProjectField>> {
    let limit = page.per_page + 1;
    let (found, behind) = match page.edge {
        Edge::Start => (store::list_after(db, project, 0, limit).await?, false),
        Edge::After(edge) => {
            let behind = store::list_before(db, project, edge.saturating_add(1), 1).await?;
            (store::list_after(db, project, edge, limit).await?, !behind.is_empty())
        }
        Edge::Before(edge) => {
            let behind = store::list_after(db, project, edge.saturating_sub(1), 1).await?;
            (store::list_before(db, project, edge, limit).await?, !behind.is_empty())
        }
    };
    Ok(Window::new(page, found, behind, |field| field.id.0))
}
