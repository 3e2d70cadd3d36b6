//! Handlers of the operations on issues.

use plinth_base::error::{Code, Error, Result};
use plinth_base::ids::{AccountId, LabelId, RepoId};
use plinth_core::accounts;
use plinth_core::issues::listing::{self, AssigneeFilter, Direction, Filter, LABELS_MAX, Sort, StateFilter};
use plinth_core::issues::{Issue, operations, rules, store};
use plinth_core::labels;
use plinth_core::repos::RepoTarget;
use plinth_store::Connection;

use super::body::{CreateIssueBody, UpdateIssueBody};
use super::extract::{FoundConversation, check};
use super::json;
use super::ready::{ready, ready_one};
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{CreateIssue, GetIssue, ListIssues, UpdateIssue};
use crate::request::body::Json;
use crate::request::context::RequestContext;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;

/// No account and no label has this id.
const NOBODY: i64 = 0;

pub async fn list(access: Allowed<ListIssues, RepoTarget>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let page = page::of(context);
    let mut db = app.read().await?;
    let filter = filter(&mut db, access.repo.id, context).await?;
    let issues = listing::list(&mut db, access.repo.id, &filter, order(context), page).await?;
    let total = listing::count(&mut db, access.repo.id, &filter).await?;
    drop(db);
    let ready = ready(&app, &access, issues).await?;
    let shown: Vec<_> =
        ready.iter().map(|ready| json::Issue::new(ready, context.media, &access.repo, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

pub async fn create(
    access: Allowed<CreateIssue, RepoTarget>,
    app: App,
    Json(body): Json<CreateIssueBody>,
) -> Result<ApiResponse> {
    let issue = operations::create(&app, &access.for_writing(), body.into()).await?;
    created(&app, &access, issue).await
}

pub async fn get(
    access: Allowed<GetIssue, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    let found = store::find(&mut app.read().await?, access.repo.id, of.number).await?;
    let issue = found.ok_or(Error::NotFound)?;
    let updated_at = issue.updated_at;
    Ok(show(&app, &access, issue).await?.with_last_modified(Some(updated_at)))
}

pub async fn update(
    access: Allowed<UpdateIssue, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
    Json(body): Json<UpdateIssueBody>,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    let issue = operations::update(&app, &access.for_writing(), of, body.into()).await?;
    show(&app, &access, issue).await
}

pub async fn show<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, issue: Issue) -> Result<ApiResponse> {
    let ready = ready_one(app, access, issue).await?;
    Ok(ApiResponse::ok(&json::Issue::new(&ready, access.context().media, &access.repo, access.urls())))
}

/// 201 with the issue.
pub async fn created<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, issue: Issue) -> Result<ApiResponse> {
    let location = access.urls().issue(&access.repo.owner_login, &access.repo.name, issue.number);
    let ready = ready_one(app, access, issue).await?;
    let shown = json::Issue::new(&ready, access.context().media, &access.repo, access.urls());
    Ok(ApiResponse::created(&shown, location))
}

async fn filter(db: &mut Connection, repo: RepoId, context: &RequestContext) -> Result<Filter> {
    let mut creator = find_account(db, context, "creator").await?;
    // There are no milestones: everything is without one, and nothing has any other.
    if context.query("milestone").is_some_and(|text| !matches!(&*text, "" | "none")) {
        creator = Some(AccountId(NOBODY));
    }
    Ok(Filter {
        state: state(context),
        creator,
        assignee: assignee(db, context).await?,
        mentioned: find_account(db, context, "mentioned").await?,
        labels: label_ids(db, repo, context).await?,
        since: context.query_time("since")?,
    })
}

/// The account that a parameter names. Nobody has created anything under a login that does not exist.
async fn find_account(db: &mut Connection, context: &RequestContext, name: &str) -> Result<Option<AccountId>> {
    let Some(login) = context.query(name).filter(|login| !login.is_empty()) else { return Ok(None) };
    let found = accounts::store::find_by_login(db, &login).await?;
    Ok(Some(found.map_or(AccountId(NOBODY), |account| account.id)))
}

async fn assignee(db: &mut Connection, context: &RequestContext) -> Result<AssigneeFilter> {
    match context.query("assignee").as_deref() {
        None | Some("") => Ok(AssigneeFilter::All),
        Some("none") => Ok(AssigneeFilter::Unassigned),
        Some("*") => Ok(AssigneeFilter::Assigned),
        Some(login) => match accounts::store::find_by_login(db, login).await? {
            Some(account) => Ok(AssigneeFilter::User(account.id)),
            None => Err(Error::invalid(rules::RESOURCE, "assignee", Code::Invalid)),
        },
    }
}

/// The labels with the names that the query lists. Nothing has a label that does not exist.
async fn label_ids(db: &mut Connection, repo: RepoId, context: &RequestContext) -> Result<Vec<LabelId>> {
    let names = label_names(context)?;
    let mut ids = Vec::with_capacity(names.len());
    for name in names {
        let id = labels::store::find(db, repo, &name).await?.map_or(LabelId(NOBODY), |label| label.id);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// The names of labels that the query lists.
pub fn label_names(context: &RequestContext) -> Result<Vec<String>> {
    let listed = context.query("labels").unwrap_or_default();
    let names: Vec<String> =
        listed.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    if names.len() > LABELS_MAX {
        let message = format!("No more than {LABELS_MAX} labels are allowed");
        return Err(Error::invalid(rules::RESOURCE, "labels", Code::InvalidBecause(message)));
    }
    Ok(names)
}

pub fn state(context: &RequestContext) -> StateFilter {
    match context.query("state").as_deref() {
        Some("all") => StateFilter::All,
        Some("closed") => StateFilter::Closed,
        _ => StateFilter::Open,
    }
}

pub fn order(context: &RequestContext) -> (Sort, Direction) {
    let sort = match context.query("sort").as_deref() {
        Some("updated") => Sort::Updated,
        Some("comments") => Sort::Comments,
        _ => Sort::Created,
    };
    let direction = match context.query("direction").as_deref() {
        Some("asc") => Direction::Up,
        _ => Direction::Down,
    };
    (sort, direction)
}
