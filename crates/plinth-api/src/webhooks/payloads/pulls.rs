//! Payloads about pull requests.

use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_core::issues::assignee_store;
use plinth_core::labels;
use plinth_core::pulls::events::{PullChanges, PullRequestData};
use plinth_core::pulls::model::{Pull, Size};
use plinth_core::pulls::{operations, store};
use plinth_core::review_requests;
use serde::Serialize;

use super::Context;
use super::common::{From, TextChanges};
use crate::accounts::json::User;
use crate::labels::json::Label;
use crate::negotiation::Media;
use crate::pulls::json::{Ready, WholePullRequest, user_of};

#[derive(Serialize)]
struct Specific<'a> {
    number: i64,
    pull_request: WholePullRequest<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Changes<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Sha>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Sha>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_reviewer: Option<User<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<Label<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee: Option<User<'a>>,
}

#[derive(Serialize)]
struct Changes<'a> {
    #[serde(flatten)]
    texts: TextChanges<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<BaseChange<'a>>,
}

#[derive(Serialize)]
struct BaseChange<'a> {
    r#ref: From<&'a str>,
    sha: From<Sha>,
}

impl<'a> Changes<'a> {
    fn new(changes: &'a PullChanges) -> Self {
        let base = |(name, sha): &'a (String, Sha)| BaseChange { r#ref: From { from: name }, sha: From { from: *sha } };
        Self {
            texts: TextChanges::new(changes.title.as_deref(), changes.body.as_deref()),
            base: changes.base.as_ref().map(base),
        }
    }
}

pub async fn render(context: &Context<'_>) -> Result<Option<String>> {
    let data: PullRequestData = context.data()?;
    let Some(repo) = &context.parties.repo else { return Ok(None) };
    let size = find_size(context, &data.pull).await?;
    let number = data.pull.number;
    let ready = ready(context, data.pull).await?;
    context.write(Specific {
        number,
        pull_request: WholePullRequest::new(&ready, size, Media::Json, repo, context.urls),
        changes: data.changes.as_ref().map(Changes::new),
        before: data.heads.map(|(before, _)| before),
        after: data.heads.map(|(_, after)| after),
        requested_reviewer: data.reviewer.as_ref().map(|reviewer| user_of(reviewer, context.urls)),
        label: data.label.as_ref().map(|label| Label::new(label, repo, context.urls)),
        assignee: data.assignee.as_ref().map(|assignee| user_of(assignee, context.urls)),
    })
}

/// A pull request with the reviewers, labels and assignees that it has now.
pub async fn ready(context: &Context<'_>, pull: Pull) -> Result<Ready> {
    let mut db = context.app.read().await?;
    let reviewers = review_requests::store::list(&mut db, std::iter::once(pull.id)).await?;
    Ok(Ready {
        rendered: None,
        open_issues: context.parties.open_issues,
        reviewers: reviewers.into_values().next().unwrap_or_default(),
        labels: labels::store::list_of_one(&mut db, pull.issue_id).await?,
        assignees: assignee_store::list_of_one(&mut db, pull.issue_id).await?,
        pull,
    })
}

/// The size of the version in the event. It is computed after the transaction that recorded the event, so another version
/// may have come in between; commits that are gone or too expensive to compare leave zeros.
async fn find_size(context: &Context<'_>, pull: &Pull) -> Result<Size> {
    let current = store::find_by_id(&mut context.app.read().await?, pull.id).await?;
    let known = current.filter(|current| current.version.number == pull.version.number).map(|current| current.version);
    let measured = match known.and_then(|version| version.size) {
        Some(size) => return Ok(size),
        None => operations::size(context.app, pull).await,
    };
    match measured {
        Err(Error::NotFound | Error::OverBudget(_)) => Ok(Size::default()),
        measured => measured,
    }
}
