//! Handlers of the operations on fields of projects, the same for organizations and users.

use http::HeaderMap;

use super::json::{ProjectField, Setting};
use crate::app::App;
use crate::policy::Endpoint;
use crate::request::body::Json;
use crate::request::shape::FromJson;
use crate::request::{Allowed, conditional, cursor};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::ProjectFieldId;
use plinth_base::urls::Part::{Fixed, Number};
use plinth_base::urls::Urls;
use plinth_core::access::Target;
use plinth_core::project_fields::model::Day;
use plinth_core::project_fields::{self, Found, NewField, Wanted, operations, rules};
use plinth_core::projects::Project;

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
    let found = project_fields::read(&app, &access, Wanted::Page(page)).await?;
    let Found { window, contents } = &*found;
    let setting = Setting { project, contents, today, urls: access.urls() };
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
    let found = project_fields::read(&app, &access, Wanted::Field(id)).await?;
    let seed = seed(project, today, &format!("field {id}"));
    if conditional::is_held(access.context(), &headers, &seed) {
        return Ok(ApiResponse::not_modified(seed));
    }
    let field = found.window.items.first().ok_or(Error::NotFound)?;
    let setting = Setting { project, contents: &found.contents, today, urls: access.urls() };
    Ok(ApiResponse::ok(&ProjectField::new(field, setting)).with_entity_seed(seed))
}

pub async fn add<E: Endpoint, T: Target + AsRef<Project>, B: FromJson + Into<NewField>>(
    access: Allowed<E, T>,
    app: App,
    Json(body): Json<B>,
) -> Result<ApiResponse> {
    let project = access.target.as_ref();
    let whole = operations::add(&app, &access.for_writing(), body.into()).await?;
    Ok(created(project, &whole, Day(app.clock.now().date()), access.urls()))
}

fn created(project: &Project, whole: &operations::ProjectFieldWithContents, today: Day, urls: &Urls) -> ApiResponse {
    let contents = &whole.contents;
    let field = ProjectField::new(&whole.field, Setting { project, contents, today, urls });
    let location = crate::projects::json::url(project, urls).then(Fixed("/fields/")).then(Number(whole.field.id.0));
    ApiResponse::created(&field, location)
}

/// The seed of the entity tag: it depends on the generation of the project's fields, on the date if iterations show it,
/// and on the request.
fn seed(project: &Project, today: Day, request: &str) -> Vec<u8> {
    let date = if project.has_iterations { today.to_string() } else { String::new() };
    format!("fields {} {} {date} {request}", project.id, project.generation).into_bytes()
}
