//! Handlers of lists of repositories.

use super::json::Repository;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{ListOrgRepos, ListOwnRepos, ListUserRepos};
use crate::request::context::RequestContext;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;
use plinth_core::access::{Org, OwnAccount, Role, Target, User};
use plinth_core::repos::lists::{self, Direction, Filter, Relations, Shown, Sort, Viewer};
use plinth_core::repos::store::count_open_issues;
use plinth_core::tokens::Principal;

const OWNED: Relations = Relations { owner: true, collaborator: false, member: false };
const OTHERS: Relations = Relations { owner: false, collaborator: true, member: true };
const EVERY: Relations = Relations { owner: true, collaborator: true, member: true };

pub async fn list_own(access: Allowed<ListOwnRepos, OwnAccount>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let word = |name| context.query(name).filter(|text| !text.is_empty());
    let (kind, visibility, affiliation) = (word("type"), word("visibility"), word("affiliation"));
    if kind.is_some() && (visibility.is_some() || affiliation.is_some()) {
        let message = "If you specify visibility or affiliation, you cannot specify type.";
        return Err(Error::unprocessable(message));
    }
    let (mut relations, mut shown) = match kind.as_deref() {
        Some("owner") => (OWNED, Shown::All),
        Some("member") => (OTHERS, Shown::All),
        Some("public") => (EVERY, Shown::Public),
        Some("private") => (EVERY, Shown::Private),
        _ => (EVERY, Shown::All),
    };
    if let Some(affiliation) = affiliation {
        let has = |wanted: &str| affiliation.split(',').any(|word| word.trim() == wanted);
        relations =
            Relations { owner: has("owner"), collaborator: has("collaborator"), member: has("organization_member") };
    }
    match visibility.as_deref() {
        Some("public") => shown = Shown::Public,
        Some("private") => shown = Shown::Private,
        _ => {}
    }
    let filter = Filter {
        since: context.query_time("since")?.unwrap_or(Timestamp(i64::MIN)),
        before: context.query_time("before")?.unwrap_or(Timestamp(i64::MAX)),
        ..filter(access.target.0.id, relations, shown)
    };
    respond(&app, &access, &filter, Sort::FullName).await
}

pub async fn list_of_org(access: Allowed<ListOrgRepos, Org>, app: App) -> Result<ApiResponse> {
    let shown = match access.context().query("type").as_deref() {
        Some("public") => Shown::Public,
        Some("private") => Shown::Private,
        // There are no forks.
        Some("forks") => return Ok(ApiResponse::ok(&Vec::<Repository>::new())),
        _ => Shown::All,
    };
    respond(&app, &access, &filter(access.target.0.id, OWNED, shown), Sort::Created).await
}

/// Only public ones, as at GitHub, also for the user's own token.
pub async fn list_of_user(access: Allowed<ListUserRepos, User>, app: App) -> Result<ApiResponse> {
    let relations = match access.context().query("type").as_deref() {
        Some("all") => EVERY,
        Some("member") => OTHERS,
        _ => OWNED,
    };
    respond(&app, &access, &filter(access.target.0.id, relations, Shown::Public), Sort::FullName).await
}

fn filter(account: AccountId, relations: Relations, shown: Shown) -> Filter {
    Filter { account, relations, shown, since: Timestamp(i64::MIN), before: Timestamp(i64::MAX) }
}

async fn respond<E: Endpoint, T: Target>(
    app: &App,
    access: &Allowed<E, T>,
    filter: &Filter,
    default: Sort,
) -> Result<ApiResponse> {
    let (context, urls) = (access.context(), access.urls());
    let (page, viewer) = (page::of(context), Viewer::of(access.caller()));
    let mut db = app.read().await?;
    let total = lists::count(&mut db, viewer, filter).await?;
    let found = lists::list(&mut db, viewer, filter, order(context, default), page).await?;
    let open = count_open_issues(&mut db, found.iter().map(|found| found.repo.id)).await?;
    let is_anonymous = matches!(access.caller(), Principal::Anonymous);
    let shown = found.iter().map(|found| {
        let open = open.get(&found.repo.id).copied().unwrap_or_default();
        let repository = Repository::new(&found.repo, urls).with_open_issues(open);
        let everyone = (!found.repo.private).then_some(Role::Read);
        if is_anonymous { repository } else { repository.with_permissions(found.role.max(everyone)) }
    });
    let shown: Vec<_> = shown.collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

/// Names go up by default, and times down.
fn order(context: &RequestContext, default: Sort) -> (Sort, Direction) {
    let sort = match context.query("sort").as_deref() {
        Some("created") => Sort::Created,
        Some("updated") => Sort::Updated,
        Some("pushed") => Sort::Pushed,
        Some("full_name") => Sort::FullName,
        _ => default,
    };
    let direction = match context.query("direction").as_deref() {
        Some("asc") => Direction::Up,
        Some("desc") => Direction::Down,
        _ if sort == Sort::FullName => Direction::Up,
        _ => Direction::Down,
    };
    (sort, direction)
}
