//! Completes project items with what their JSON needs, each kind with few statements for a page.

use std::collections::HashMap;

use plinth_base::error::Result;
use plinth_base::ids::{PullId, RepoId};
use plinth_core::issues;
use plinth_core::project_fields::model::{Contents, DataType, ProjectField};
use plinth_core::project_fields::store::find_contents;
use plinth_core::project_items::{ContentRepo, ItemValue, ProjectItem, store};
use plinth_core::pulls;
use plinth_core::repos::Repo;
use plinth_core::repos::store::count_open_issues;
use plinth_core::tokens::Principal;
use plinth_store::Connection;

use crate::issues::{complete as complete_issues, json::Ready as ReadyIssue};
use crate::pulls::{complete as complete_pulls, json::Ready as ReadyPull};

/// Items with their content, and the fields that are shown of each.
pub struct ReadyItems {
    pub items: Vec<ReadyItem>,
    pub fields: Vec<ProjectField>,
    pub contents: Contents,
}

pub struct ReadyItem {
    pub item: ProjectItem,
    /// `None` if the caller may not read it.
    pub content: Option<ReadyContent>,
    /// The values of the project's own fields; none without the content.
    pub values: Vec<ItemValue>,
}

/// What an item shows, with its repository.
pub struct ReadyContent {
    pub repo: Repo,
    /// Open issues and pull requests of the repository; 0 unless the field for the repository is shown.
    pub open_issues: i64,
    pub subject: Subject,
}

pub enum Subject {
    Issue(Box<ReadyIssue>),
    Pull(Box<ReadyPull>),
}

pub async fn ready(
    db: &mut Connection,
    caller: &Principal,
    fields: Vec<ProjectField>,
    items: Vec<ProjectItem>,
) -> Result<ReadyItems> {
    let repos = find_repos(db, caller, &items).await?;
    let is_shown = |item: &&ProjectItem| {
        let repo = repos.get(&item.content.repo);
        repo.is_some_and(|repo| repo.shows(&item.content, caller))
    };
    let shown: Vec<&ProjectItem> = items.iter().filter(is_shown).collect();
    let mut subjects = find_subjects(db, caller, &repos, &shown).await?;
    let open = match fields.iter().any(|field| field.data_type == DataType::Repository) {
        true => count_open_issues(db, repos.keys().copied()).await?,
        false => HashMap::new(),
    };
    let has_own_values = fields.iter().any(has_own_values);
    let with_values = shown.iter().filter(|_| has_own_values).map(|item| item.id);
    let mut values = store::list_values(db, with_values).await?;
    let contents = find_contents(db, &fields).await?;
    let ready = |item: ProjectItem| {
        let subject = subjects.remove(&(item.content.repo, item.content.number));
        let content = repos.get(&item.content.repo).zip(subject).map(|(found, subject)| ReadyContent {
            repo: found.repo.clone(),
            open_issues: open.get(&found.repo.id).copied().unwrap_or_default(),
            subject,
        });
        let values = values.remove(&item.id).unwrap_or_default();
        ReadyItem { item, content, values }
    };
    Ok(ReadyItems { items: items.into_iter().map(ready).collect(), fields, contents })
}

fn has_own_values(field: &ProjectField) -> bool {
    let is_set_on_items = match field.data_type {
        DataType::Text | DataType::Number | DataType::Date | DataType::SingleSelect | DataType::Iteration => true,
        DataType::Assignees
        | DataType::LinkedPullRequests
        | DataType::Reviewers
        | DataType::Labels
        | DataType::Milestone
        | DataType::Repository
        | DataType::Title
        | DataType::IssueType
        | DataType::ParentIssue
        | DataType::SubIssuesProgress => false,
    };
    is_set_on_items && field.issue_field_id.is_none()
}

/// The repositories of items, each looked up once.
async fn find_repos(
    db: &mut Connection,
    caller: &Principal,
    items: &[ProjectItem],
) -> Result<HashMap<RepoId, ContentRepo>> {
    let mut repos = HashMap::new();
    for id in items.iter().map(|item| item.content.repo) {
        if !repos.contains_key(&id)
            && let Some(repo) = ContentRepo::find(db, id, caller).await?
        {
            repos.insert(id, repo);
        }
    }
    Ok(repos)
}

/// What items show, by repository and number.
async fn find_subjects(
    db: &mut Connection,
    caller: &Principal,
    repos: &HashMap<RepoId, ContentRepo>,
    items: &[&ProjectItem],
) -> Result<HashMap<(RepoId, i64), Subject>> {
    let of_issues = items.iter().filter(|item| item.content.pull.is_none());
    let issue_ids: Vec<_> = of_issues.map(|item| item.content.issue).collect();
    let pull_ids: Vec<PullId> = items.iter().filter_map(|item| item.content.pull).collect();
    let issues = issues::store::list_by_id(db, &issue_ids).await?;
    let with_owner = |issue: issues::Issue| Some((repos.get(&issue.repo_id)?.repo.owner_id, issue));
    let issues = issues.into_iter().filter_map(with_owner).map(|(owner, issue)| (issue, owner)).collect();
    let issues = complete_issues(db, caller, issues).await?;
    let pulls = pulls::listing::list_by_id(db, &pull_ids).await?;
    let pulls = complete_pulls(db, pulls).await?;
    let issues = issues.into_iter().map(|ready| {
        let key = (ready.issue.repo_id, ready.issue.number);
        (key, Subject::Issue(Box::new(ready)))
    });
    let pulls = pulls.into_iter().map(|ready| {
        let key = (ready.pull.repo_id, ready.pull.number);
        (key, Subject::Pull(Box::new(ready)))
    });
    Ok(issues.chain(pulls).collect())
}
