//! Completes issues with what their JSON needs, each kind with one statement for a page.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_core::accounts;
use plinth_core::issue_field_values::{self, FieldValue};
use plinth_core::issue_fields::model::Visibility;
use plinth_core::issues::{Issue, assignee_store};
use plinth_core::labels;
use plinth_core::repos::{Repo, RepoTarget};
use plinth_core::tokens::Principal;
use plinth_markdown::Rendered;
use plinth_store::Connection;

use super::json::Ready;
use crate::app::App;
use crate::policy::Endpoint;
use crate::rendering::render;
use crate::request::Allowed;

pub async fn ready_one<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, issue: Issue) -> Result<Ready> {
    let ready = ready(app, access, vec![issue]).await?.pop();
    ready.ok_or_else(|| Error::internal("one issue became none"))
}

pub async fn ready<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, issues: Vec<Issue>) -> Result<Vec<Ready>> {
    let bodies = issues.iter().map(|issue| issue.body.as_deref().unwrap_or_default());
    let rendered = render(app, access.context(), &access.repo, bodies).await?;
    let mut db = app.read().await?;
    let ids = || issues.iter().map(|issue| issue.id);
    let mut labels = labels::store::list_of(&mut db, ids()).await?;
    let mut assignees = assignee_store::list_of(&mut db, ids()).await?;
    let only_issues = issues.iter().filter(|issue| issue.pull.is_none()).map(|issue| issue.id);
    let mut values = issue_field_values::store::list_of(&mut db, only_issues).await?;
    let sees_all =
        values.values().flatten().all(is_public) || is_member(&mut db, access.caller(), &access.repo).await?;
    drop(db);
    let ready = |(issue, rendered): (Issue, Option<Arc<Rendered>>)| {
        let mut values = values.remove(&issue.id).unwrap_or_default();
        values.retain(|value| sees_all || is_public(value));
        Ready {
            rendered: rendered.filter(|_| issue.body.is_some()),
            labels: labels.remove(&issue.id).unwrap_or_default(),
            assignees: assignees.remove(&issue.id).unwrap_or_default(),
            values,
            issue,
        }
    };
    Ok(issues.into_iter().zip(rendered).map(ready).collect())
}

/// The values that the caller may see.
pub async fn visible<E: Endpoint>(
    db: &mut Connection,
    access: &Allowed<E, RepoTarget>,
    mut values: Vec<FieldValue>,
) -> Result<Vec<FieldValue>> {
    if !values.iter().all(is_public) && !is_member(db, access.caller(), &access.repo).await? {
        values.retain(is_public);
    }
    Ok(values)
}

fn is_public(value: &FieldValue) -> bool {
    value.visibility == Visibility::All
}

/// Whether the caller is a member of the organization that owns the repository, or an app that is installed there.
async fn is_member(db: &mut Connection, caller: &Principal, repo: &Repo) -> Result<bool> {
    match caller {
        Principal::Anonymous | Principal::App(_) => Ok(false),
        Principal::Installation(token) => Ok(token.account == repo.owner_id),
        Principal::User(_) => match caller.user_id() {
            Some(user) => Ok(accounts::store::find_membership(db, repo.owner_id, user).await?.is_some()),
            None => Ok(false),
        },
    }
}
