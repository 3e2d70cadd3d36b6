//! Statuses of commits of a state file.

use super::accounts::find_user;
use super::file::Repo;
use super::name::{Name, problem};
use super::release::Status;
use super::report::{Effect, Report};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{ObjectKind, RepoId, Sha};
use plinth_core::refs;
use plinth_core::statuses::{self, DEFAULT_CONTEXT, NewStatus, rules};
use plinth_git::RefName;
use plinth_store::Transaction;

/// Creates a status where the latest one of its context says something else. The references of the repository exist already.
pub async fn apply(tx: &mut Transaction, wanted: &Repo, id: RepoId, now: Timestamp, report: &mut Report) -> Result<()> {
    for status in &wanted.statuses {
        let new = new_status(status)?;
        rules::check(&new).map_err(|error| problem(&status.target, "repos.statuses", error))?;
        let creator = find_user(tx, &status.creator, "repos.statuses.creator").await?.id;
        let sha = find_commit(tx, id, &status.target).await?;
        let created = statuses::ensure(tx, (id, sha), &new, (creator, now)).await;
        let created = created.map_err(|error| problem(&status.target, "repos.statuses", error))?;
        let what = format_args!("status {} of {} in {}", new.context, status.target.value, wanted.name.value);
        report.note(what, if created { Effect::Created } else { Effect::Unchanged });
    }
    Ok(())
}

fn new_status(status: &Status) -> Result<NewStatus> {
    let expected = "a state is error, failure, pending or success";
    let state = status.state.value.parse();
    Ok(NewStatus {
        state: state.map_err(|()| problem(&status.state, "repos.statuses.state", expected))?,
        context: status.context.clone().unwrap_or_else(|| DEFAULT_CONTEXT.to_owned()),
        description: status.description.clone(),
        target_url: status.target_url.clone(),
    })
}

/// The commit of a branch or of a lightweight tag.
async fn find_commit(tx: &mut Transaction, repo: RepoId, target: &Name) -> Result<Sha> {
    for prefix in ["refs/heads/", "refs/tags/"] {
        let Ok(name) = RefName::parse(&format!("{prefix}{}", target.value)) else { continue };
        let found = refs::store::find(tx, repo, &name).await?;
        if let Some(found) = found.filter(|found| found.kind == ObjectKind::Commit) {
            return Ok(found.target);
        }
    }
    let message = format_args!("there is no branch or lightweight tag {:?}", target.value).to_string();
    Err(problem(target, "repos.statuses.target", message))
}
