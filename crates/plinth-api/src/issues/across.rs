//! Handlers of lists of the issues of several repositories.

use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_core::access::{Org, OwnAccount, Role, Target};
use plinth_core::issues::across::{self, Filter, Involvement, Within};
use plinth_core::repos::RepoWithRole;
use plinth_core::repos::lists::{Relations, Viewer};
use plinth_core::repos::store::{count_open_issues, list_by_ids};

use super::handlers::{label_names, order, state};
use super::json::Issue;
use super::ready::ready_in;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{ListAllIssues, ListOrgIssues, ListOwnIssues};
use crate::repos::json::Repository;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;

const OWNED: Relations = Relations { owner: true, collaborator: false, member: false };
const EVERY: Relations = Relations { owner: true, collaborator: true, member: true };

/// What the caller is involved in wherever it is, or everything in the caller's own repositories.
pub async fn list_all(access: Allowed<ListAllIssues, OwnAccount>, app: App) -> Result<ApiResponse> {
    let within = match involvement(&access) {
        Involvement::Any => Within::Related(access.target.0.id, EVERY),
        _ => Within::Everything,
    };
    respond(&app, &access, within).await
}

/// Of repositories that the caller owns or has a role in.
pub async fn list_own(access: Allowed<ListOwnIssues, OwnAccount>, app: App) -> Result<ApiResponse> {
    respond(&app, &access, Within::Related(access.target.0.id, EVERY)).await
}

pub async fn list_of_org(access: Allowed<ListOrgIssues, Org>, app: App) -> Result<ApiResponse> {
    respond(&app, &access, Within::Related(access.target.0.id, OWNED)).await
}

fn involvement<E: Endpoint, T: Target>(access: &Allowed<E, T>) -> Involvement {
    match access.context().query("filter").as_deref() {
        Some("created") => Involvement::Created,
        Some("mentioned") => Involvement::Mentioned,
        Some("subscribed") => Involvement::Subscribed,
        Some("repos" | "all") => Involvement::Any,
        _ => Involvement::Assigned,
    }
}

async fn respond<E: Endpoint, T: Target>(app: &App, access: &Allowed<E, T>, within: Within) -> Result<ApiResponse> {
    let (context, caller, urls) = (access.context(), access.caller(), access.urls());
    let page = page::of(context);
    let filter = Filter {
        viewer: Viewer::of_issues(caller),
        within,
        user: caller.actor(),
        involvement: involvement(access),
        state: state(context),
        labels: label_names(context)?,
        since: context.query_time("since")?,
    };
    let mut db = app.read().await?;
    let total = across::count(&mut db, &filter).await?;
    let issues = across::list(&mut db, &filter, order(context), page).await?;
    let mut ids: Vec<RepoId> = issues.iter().map(|issue| issue.repo_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let repos = list_by_ids(&mut db, &ids, caller.user_id()).await?;
    let open = count_open_issues(&mut db, ids.iter().copied()).await?;
    drop(db);
    let of = |id: RepoId| repos.iter().find(|found| found.repo.id == id);
    let all: Vec<_> = repos.iter().map(|found| &found.repo).collect();
    let ready = ready_in(app, (context, caller), &all, issues).await?;
    let show = |found: &'_ RepoWithRole| {
        let everyone = (!found.repo.private).then_some(Role::Read);
        let count = open.get(&found.repo.id).copied().unwrap_or_default();
        (found.role.max(everyone), count)
    };
    let shown = ready.iter().filter_map(|ready| {
        let found = of(ready.issue.repo_id)?;
        let (role, count) = show(found);
        let repository = Repository::new(&found.repo, urls).with_open_issues(count).with_permissions(role);
        Some(Issue::new(ready, context.media, &found.repo, urls).with_repository(repository))
    });
    let shown: Vec<_> = shown.collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}
