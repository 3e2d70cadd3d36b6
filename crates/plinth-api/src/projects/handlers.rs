//! Steps of the operations on projects.

use std::collections::HashMap;

use super::json;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{GetOrgProject, GetProject, GetUserProject, ListOrgProjects, ListUserProjects};
use crate::request::context::RequestContext;
use crate::request::{Allowed, cursor};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;
use plinth_core::access::{Org, Target, User};
use plinth_core::accounts::{self, Account, AccountKind};
use plinth_core::paging::{Edge, Window};
use plinth_core::projects::store::{self, Scope};
use plinth_core::projects::{AnyProject, OrgProject, Project, UserProject, rules};
use plinth_store::Connection;

pub async fn list_for_org(access: Allowed<ListOrgProjects, Org>, app: App) -> Result<ApiResponse> {
    let mut db = app.read().await?;
    let owner = access.target.0.id;
    let member = match access.caller().user_id() {
        Some(user) => accounts::store::find_membership(&mut db, owner, user).await?,
        None => None,
    };
    let role = rules::role(member, false);
    let rule = &GetOrgProject::ROW.rule;
    let with_private = rules::sees_private(rule, access.caller(), owner, role, &access.grant);
    list(&app, &mut db, Scope { owner, with_private }, access.context()).await
}

pub async fn list_for_user(access: Allowed<ListUserProjects, User>, app: App) -> Result<ApiResponse> {
    let owner = &access.target.0;
    if owner.kind != AccountKind::User {
        return Err(Error::NotFound);
    }
    let mut db = app.read().await?;
    let role = rules::role(None, access.caller().user_id() == Some(owner.id));
    let rule = &GetUserProject::ROW.rule;
    let with_private = rules::sees_private(rule, access.caller(), owner.id, role, &access.grant);
    list(&app, &mut db, Scope { owner: owner.id, with_private }, access.context()).await
}

pub async fn get_for_org(access: Allowed<GetOrgProject, OrgProject>, app: App) -> Result<ApiResponse> {
    get(&access, &app).await
}

pub async fn get_for_user(access: Allowed<GetUserProject, UserProject>, app: App) -> Result<ApiResponse> {
    get(&access, &app).await
}

pub async fn get_by_id(access: Allowed<GetProject, AnyProject>, app: App) -> Result<ApiResponse> {
    get(&access, &app).await
}

async fn get<E: Endpoint, T: Target + AsRef<Project>>(access: &Allowed<E, T>, app: &App) -> Result<ApiResponse> {
    let project = access.target.as_ref();
    let mut db = app.read().await?;
    let creators = creators(&mut db, std::slice::from_ref(project)).await?;
    Ok(ApiResponse::ok(&shown(project, &creators, access.context())))
}

async fn list(app: &App, db: &mut Connection, scope: Scope, context: &RequestContext) -> Result<ApiResponse> {
    let name = format!("projects:{}", scope.owner);
    let page = cursor::of(context, &app.cursor_key, &name, "ProjectV2")?;
    let limit = page.per_page + 1;
    let (found, behind) = match page.edge {
        Edge::Start => (store::list_after(db, scope, 0, limit).await?, false),
        Edge::After(edge) => {
            let behind = store::list_before(db, scope, edge.saturating_add(1), 1).await?;
            (store::list_after(db, scope, edge, limit).await?, !behind.is_empty())
        }
        Edge::Before(edge) => {
            let behind = store::list_after(db, scope, edge.saturating_sub(1), 1).await?;
            (store::list_before(db, scope, edge, limit).await?, !behind.is_empty())
        }
    };
    let window = Window::new(page, found, behind, |project| project.id.0);
    let creators = creators(db, &window.items).await?;
    let listed: Vec<json::Project<'_>> =
        window.items.iter().map(|project| shown(project, &creators, context)).collect();
    let link = cursor::link(context, &app.cursor_key, &name, window.before_first, window.after_last);
    Ok(ApiResponse::ok(&listed).with_link(link))
}

fn shown<'a>(
    project: &'a Project,
    creators: &'a HashMap<AccountId, Account>,
    context: &'a RequestContext,
) -> json::Project<'a> {
    let creator = project.creator_id.and_then(|id| creators.get(&id));
    json::Project::new(project, creator, &context.urls)
}

/// Whoever made these projects, each looked up once.
async fn creators(db: &mut Connection, projects: &[Project]) -> Result<HashMap<AccountId, Account>> {
    let mut creators = HashMap::new();
    for id in projects.iter().filter_map(|project| project.creator_id) {
        if !creators.contains_key(&id)
            && let Some(account) = accounts::store::find(db, id).await?
        {
            creators.insert(id, account);
        }
    }
    Ok(creators)
}
