//! Repositories of a state file.

use super::accounts::find_user;
use super::file::Repo;
use super::histories::{DEFAULT_BRANCH, Histories};
use super::name::{problem, split_full_name};
use super::report::{Effect, Report};
use super::{releases, statuses};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_core::accounts::{self, AccountKind};
use plinth_core::labels::{self, LabelChange, NewLabel};
use plinth_core::repos::store::{self, NewRepo};
use plinth_core::repos::{self, RepoName, RepoTexts, operations, rules};
use plinth_store::Transaction;

pub async fn apply(
    tx: &mut Transaction,
    wanted: &[Repo],
    histories: &Histories,
    now: Timestamp,
    report: &mut Report,
) -> Result<()> {
    for (index, repo) in wanted.iter().enumerate() {
        let imported = histories.of(index).and_then(|prepared| prepared.default_branch.as_deref());
        let (id, effect) = apply_one(tx, repo, imported, now, report).await?;
        apply_texts(tx, repo, id, now, report).await?;
        apply_labels(tx, repo, id, now, report).await?;
        apply_collaborators(tx, repo, id, now, report).await?;
        histories.apply(tx, (index, repo), (id, effect), now, report).await?;
        statuses::apply(tx, repo, id, now, report).await?;
        releases::apply(tx, repo, id, now, report).await?;
    }
    Ok(())
}

async fn apply_one(
    tx: &mut Transaction,
    repo: &Repo,
    imported_branch: Option<&str>,
    now: Timestamp,
    report: &mut Report,
) -> Result<(RepoId, Effect)> {
    const FIELD: &str = "repos.name";
    let (owner, name) = split_full_name(&repo.name, FIELD)?;
    RepoName::parse(name).map_err(|error| problem(&repo.name, FIELD, error))?;
    let found = accounts::store::find_by_login(tx, owner).await?.filter(|owner| owner.kind != AccountKind::Bot);
    let owner = found.ok_or_else(|| problem(&repo.name, FIELD, format_args!("there is no account {owner:?}")))?;
    let found = store::find(tx, &owner.login, name, None).await?;
    let current = found.as_ref().map(|found| found.repo.default_branch.clone());
    let default_branch = repo.default_branch.as_deref().or(imported_branch).or(current.as_deref());
    let new = NewRepo {
        owner: owner.id,
        name,
        description: repo.description.as_deref(),
        private: repo.private,
        default_branch: default_branch.unwrap_or(DEFAULT_BRANCH),
    };
    let (id, effect) = match found {
        None => {
            let id = operations::insert(tx, &new, None, now).await?;
            store::update_archived(tx, id, repo.archived).await?;
            (id, Effect::Created)
        }
        Some(found) if is_same(&found.repo, &new, repo.archived) => (found.repo.id, Effect::Unchanged),
        Some(found) => {
            operations::update(tx, &found.repo, &new, repo.archived, now).await?;
            (found.repo.id, Effect::Changed)
        }
    };
    report.note(format_args!("repository {}", repo.name.value), effect);
    Ok((id, effect))
}

fn is_same(found: &repos::Repo, wanted: &NewRepo<'_>, archived: bool) -> bool {
    found.description.as_deref() == wanted.description
        && found.private == wanted.private
        && found.archived == archived
        && found.default_branch == wanted.default_branch
}

/// Changes homepage and topics where the file has them.
async fn apply_texts(tx: &mut Transaction, repo: &Repo, id: RepoId, now: Timestamp, report: &mut Report) -> Result<()> {
    if let Some(homepage) = &repo.homepage {
        rules::check_homepage(&homepage.value).map_err(|error| problem(homepage, "repos.homepage", error))?;
    }
    let topics = repo.topics.as_deref().map(rules::check_topics).transpose();
    let topics = topics.map_err(|error| problem(&repo.name, "repos.topics", error))?;
    let texts = RepoTexts {
        homepage: repo.homepage.as_ref().map(|homepage| homepage.value.as_str()),
        topics: topics.as_deref(),
    };
    if operations::set_texts(tx, id, &texts, (None, now)).await? {
        report.note(format_args!("homepage and topics of {}", repo.name.value), Effect::Changed);
    }
    Ok(())
}

async fn apply_labels(
    tx: &mut Transaction,
    repo: &Repo,
    id: RepoId,
    now: Timestamp,
    report: &mut Report,
) -> Result<()> {
    for label in &repo.labels {
        let (color, description) = (label.color.clone(), label.description.clone());
        let new = NewLabel { name: label.name.value.clone(), color, description };
        labels::rules::check_new(&new).map_err(|error| problem(&label.name, "repos.labels", error))?;
        let effect = match labels::store::find(tx, id, &new.name).await? {
            None => {
                labels::operations::insert(tx, id, &new, (None, now)).await?;
                Effect::Created
            }
            Some(found) => {
                let NewLabel { name, color, description } = new;
                let change = LabelChange { new_name: Some(name), color, description: Some(description) };
                let edited = labels::operations::edit(tx, id, &found.name, &change, (None, now)).await?;
                if edited == found { Effect::Unchanged } else { Effect::Changed }
            }
        };
        report.note(format_args!("label {} of {}", label.name.value, repo.name.value), effect);
    }
    Ok(())
}

async fn apply_collaborators(
    tx: &mut Transaction,
    repo: &Repo,
    id: RepoId,
    now: Timestamp,
    report: &mut Report,
) -> Result<()> {
    for collaborator in &repo.collaborators {
        const FIELD: &str = "repos.collaborators.user";
        let user = find_user(tx, &collaborator.user, FIELD).await?;
        let before = operations::set_collaborator(tx, id, user.id, collaborator.permission, (None, now)).await;
        let before = before.map_err(|error| problem(&collaborator.user, FIELD, error))?;
        let effect = match before {
            None => Effect::Created,
            Some(role) if role == collaborator.permission => Effect::Unchanged,
            Some(_) => Effect::Changed,
        };
        report.note(format_args!("collaborator {} of {}", user.login, repo.name.value), effect);
    }
    Ok(())
}
