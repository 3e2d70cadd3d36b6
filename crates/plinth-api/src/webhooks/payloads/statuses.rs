//! Payloads about statuses of commits.

use plinth_base::error::{Error, Result};
use plinth_base::ids::StatusId;
use plinth_core::refs;
use plinth_core::statuses::StatusState;
use plinth_core::statuses::events::StatusData;
use serde::Serialize;

use super::Context;
use crate::branches::json::ShortBranch;
use crate::pulls::find_people;
use crate::pulls::json::commit::CommitItem;
use crate::wire::Word;
use plinth_base::clock::Timestamp;
use plinth_base::ids::Sha;
use plinth_base::urls::Url;

/// Branches in a payload, as on GitHub.
const BRANCHES_MAX: i64 = 10;

#[derive(Serialize)]
struct Status<'a> {
    id: StatusId,
    sha: Sha,
    /// The full name of the repository.
    name: String,
    target_url: Option<&'a str>,
    avatar_url: Option<Url<'a>>,
    context: &'a str,
    description: Option<&'a str>,
    state: Word<StatusState>,
    commit: CommitItem<'a>,
    branches: Vec<ShortBranch<'a>>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

pub async fn render(context: &Context<'_>) -> Result<Option<String>> {
    let StatusData { status } = context.data()?;
    let Some(repo) = &context.parties.repo else { return Ok(None) };
    let sha = status.sha;
    let found = context.app.objects.read(repo.id, move |reader| reader.find_commit(&sha)).await;
    // The commit may have been collected meanwhile.
    let commit = match found {
        Ok(Some(commit)) => commit,
        Ok(None) | Err(Error::NotFound | Error::OverBudget(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let people = find_people(context.app, std::iter::once(&commit)).await?;
    let branches = refs::store::list_branches_at(&mut context.app.read().await?, repo.id, sha, BRANCHES_MAX).await?;
    let urls = context.urls;
    context.write(Status {
        id: status.id,
        sha,
        name: format!("{}/{}", repo.owner_login, repo.name),
        target_url: status.target_url.as_deref(),
        avatar_url: status.creator.as_ref().map(|creator| urls.avatar(creator.id)),
        context: &status.context,
        description: status.description.as_deref(),
        state: Word(status.state),
        commit: CommitItem::new(sha, &commit, &people, repo, urls),
        branches: branches.iter().map(|branch| ShortBranch::new(branch, repo, urls)).collect(),
        created_at: status.created_at,
        updated_at: status.created_at,
    })
}
