//! Completes issues with what their JSON needs, each kind with one statement for a page.

use std::collections::HashMap;
use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;
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
use crate::request::context::RequestContext;

pub async fn ready_one<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, issue: Issue) -> Result<Ready> {
    let ready = ready(app, access, vec![issue]).await?.pop();
    ready.ok_or_else(|| Error::internal("one issue became none"))
}

pub async fn ready<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, issues: Vec<Issue>) -> Result<Vec<Ready>> {
    ready_in(app, (access.context(), access.caller()), &[&access.repo], issues).await
}

/// As [`ready`], for issues of several repositories; those of other repositories than `repos` are left out.
pub async fn ready_in(
    app: &App,
    (context, caller): (&RequestContext, &Principal),
    repos: &[&Repo],
    issues: Vec<Issue>,
) -> Result<Vec<Ready>> {
    let owner = |issue: &Issue| repos.iter().find(|repo| repo.id == issue.repo_id).map(|repo| repo.owner_id);
    let issues: Vec<(Issue, AccountId)> =
        issues.into_iter().filter_map(|issue| owner(&issue).map(|owner| (issue, owner))).collect();
    let rendered = render_in(app, context, repos, &issues).await?;
    let ready = complete(&mut app.read().await?, caller, issues).await?;
    let with = |(ready, rendered): (Ready, Option<Arc<Rendered>>)| Ready {
        rendered: rendered.filter(|_| ready.issue.body.is_some()),
        ..ready
    };
    Ok(ready.into_iter().zip(rendered).map(with).collect())
}

/// Completes issues of any repositories, each with the owner of its repository, but for rendered bodies.
pub async fn complete(db: &mut Connection, caller: &Principal, issues: Vec<(Issue, AccountId)>) -> Result<Vec<Ready>> {
    let ids = || issues.iter().map(|(issue, _)| issue.id);
    let mut labels = labels::store::list_of(db, ids()).await?;
    let mut assignees = assignee_store::list_of(db, ids()).await?;
    let only_issues = issues.iter().filter(|(issue, _)| issue.pull.is_none()).map(|(issue, _)| issue.id);
    let mut values = issue_field_values::store::list_of(db, only_issues).await?;
    let mut members = HashMap::new();
    for (issue, owner) in &issues {
        let has_hidden = values.get(&issue.id).is_some_and(|values| !values.iter().all(is_public));
        if has_hidden && !members.contains_key(owner) {
            members.insert(*owner, is_member(db, caller, *owner).await?);
        }
    }
    let ready = |(issue, owner): (Issue, AccountId)| {
        let sees_all = members.get(&owner).copied().unwrap_or_default();
        let mut values = values.remove(&issue.id).unwrap_or_default();
        values.retain(|value| sees_all || is_public(value));
        Ready {
            rendered: None,
            labels: labels.remove(&issue.id).unwrap_or_default(),
            assignees: assignees.remove(&issue.id).unwrap_or_default(),
            values,
            issue,
        }
    };
    Ok(issues.into_iter().map(ready).collect())
}

/// The rendered bodies, in the order of the issues.
async fn render_in(
    app: &App,
    context: &RequestContext,
    repos: &[&Repo],
    issues: &[(Issue, AccountId)],
) -> Result<Vec<Option<Arc<Rendered>>>> {
    let mut rendered = vec![None; issues.len()];
    for repo in repos {
        let own = || issues.iter().enumerate().filter(|(_, (issue, _))| issue.repo_id == repo.id);
        let bodies = own().map(|(_, (issue, _))| issue.body.as_deref().unwrap_or_default());
        for ((index, _), body) in own().zip(render(app, context, repo, bodies).await?) {
            rendered[index] = body;
        }
    }
    Ok(rendered)
}

/// The values that the caller may see.
pub async fn visible<E: Endpoint>(
    db: &mut Connection,
    access: &Allowed<E, RepoTarget>,
    mut values: Vec<FieldValue>,
) -> Result<Vec<FieldValue>> {
    if !values.iter().all(is_public) && !is_member(db, access.caller(), access.repo.owner_id).await? {
        values.retain(is_public);
    }
    Ok(values)
}

fn is_public(value: &FieldValue) -> bool {
    value.visibility == Visibility::All
}

/// Whether the caller is a member of the organization that owns a repository, or an app that is installed there.
async fn is_member(db: &mut Connection, caller: &Principal, owner: AccountId) -> Result<bool> {
    match caller {
        Principal::Anonymous | Principal::App(_) => Ok(false),
        Principal::Installation(token) => Ok(token.account == owner),
        Principal::User(_) => match caller.user_id() {
            Some(user) => Ok(accounts::store::find_membership(db, owner, user).await?.is_some()),
            None => Ok(false),
        },
    }
}
