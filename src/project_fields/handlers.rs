//! Steps of the operations on fields of projects, the same for organizations and users.

use http::HeaderMap;

use super::changes::{self, Place};
use super::contents::Contents;
use super::input::NewField;
use super::json::{ProjectField, Setting};
use super::model::Day;
use super::{contents, rules, store};
use crate::api::access::{Allowed, Current, Endpoint, Reach, Target, check_issue_fields};
use crate::api::body::Json;
use crate::api::conditional;
use crate::api::cursor::{CursorPage, Edge};
use crate::api::reply::Reply;
use crate::api::shape::FromJson;
use crate::app::App;
use crate::db::Connection;
use crate::error::{Error, Result};
use crate::ids::{ProjectFieldId, ProjectId};
use crate::projects::{self, Project, Window};
use crate::tokens::Principal;
use crate::urls::Part::{Fixed, Number};
use crate::urls::Urls;

pub async fn list<E: Endpoint, T: Target + AsRef<Project>>(
    access: Allowed<E, T>,
    app: App,
    headers: HeaderMap,
) -> Result<Reply> {
    let (project, exchange, today) = (access.target.as_ref(), access.exchange(), Day(app.clock.now().date()));
    let name = format!("fields:{}", project.id);
    let page = CursorPage::of(exchange, &app.cursor_key, &name, rules::RESOURCE)?;
    let seed = seed(project, today, &format!("{page:?}"));
    if conditional::is_held(exchange, &headers, &seed) {
        return Ok(Reply::not_modified(seed));
    }
    let mut db = app.store.read().await?;
    let window = find_window(&mut db, project.id, page).await?;
    let contents = contents::find(&mut db, &window.items).await?;
    let setting = Setting { project, contents: &contents, today, urls: access.urls() };
    let listed: Vec<_> = window.items.iter().map(|field| ProjectField::new(field, setting)).collect();
    let link = CursorPage::link(exchange, &app.cursor_key, &name, window.before_first, window.after_last);
    Ok(Reply::ok(&listed).with_link(link).with_entity_seed(seed))
}

pub async fn get<E: Endpoint, T: Target + AsRef<Project>>(
    access: Allowed<E, T>,
    app: App,
    headers: HeaderMap,
) -> Result<Reply> {
    let (project, today) = (access.target.as_ref(), Day(app.clock.now().date()));
    let id: ProjectFieldId = access.exchange().params.number("field_id").ok_or(Error::NotFound)?;
    let mut db = app.store.read().await?;
    let field = store::find(&mut db, project.id, id).await?.ok_or(Error::NotFound)?;
    let seed = seed(project, today, &format!("field {id}"));
    if conditional::is_held(access.exchange(), &headers, &seed) {
        return Ok(Reply::not_modified(seed));
    }
    let contents = contents::find(&mut db, std::slice::from_ref(&field)).await?;
    let setting = Setting { project, contents: &contents, today, urls: access.urls() };
    Ok(Reply::ok(&ProjectField::new(&field, setting)).with_entity_seed(seed))
}

pub async fn add<E: Endpoint, T: Target + AsRef<Project>, B: FromJson + Into<NewField>>(
    access: Allowed<E, T>,
    app: App,
    Json(new): Json<B>,
) -> Result<Reply> {
    let (project, now, new) = (access.target.as_ref(), app.clock.now(), new.into());
    check_rights(&new, access.caller(), &access.reach)?;
    rules::check_new(&new)?;
    app.limiter.admit(access.caller(), E::ROW.operation, &format!("{} {new:?}", project.id), now)?;
    let place = Place { project: project.id, owner: project.owner_id };
    let context = (place, new, now);
    let whole = app
        .store
        .write_with_proof(access.authority(), context, |tx, changed, (place, new, now)| {
            Box::pin(async move {
                if let Some(Current { caller, reach, .. }) = changed {
                    check_rights(new, caller, reach)?;
                }
                changes::add(tx, *place, new, *now).await
            })
        })
        .await?;
    Ok(created(project, &whole, Day(now.date()), access.urls()))
}

/// A field that follows an issue field shows what it says.
fn check_rights(new: &NewField, caller: &Principal, reach: &Reach) -> Result<()> {
    match new {
        NewField::FromIssueField { .. } => check_issue_fields(caller, reach),
        NewField::Own(_) => Ok(()),
    }
}

fn created(project: &Project, whole: &changes::Whole, today: Day, urls: &Urls) -> Reply {
    let contents: &Contents = &whole.contents;
    let field = ProjectField::new(&whole.field, Setting { project, contents, today, urls });
    let location = projects::json::address(project, urls).then(Fixed("/fields/")).then(Number(whole.field.id.0));
    Reply::created(&field, location)
}

/// What the entity tag is made of: it changes with every change of the project's fields, with the date where that
/// shows, and with what was asked for.
fn seed(project: &Project, today: Day, asked: &str) -> Vec<u8> {
    let date = if project.has_iterations { today.to_string() } else { String::new() };
    format!("fields {} {} {date} {asked}", project.id, project.generation).into_bytes()
}

async fn find_window(
    db: &mut Connection,
    project: ProjectId,
    page: CursorPage,
) -> Result<Window<super::model::ProjectField>> {
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
