//! Pull requests of a state file, with their comments.

use std::sync::Arc;

use super::accounts::find_user;
use super::file::{Pull, ReviewComment, StateFile};
use super::histories::Histories;
use super::name::{Name, problem, split_full_name};
use super::report::{Effect, Report};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, RepoId, Sha};
use plinth_core::accounts::{self, AccountKind};
use plinth_core::objects::{ObjectLimits, Objects};
use plinth_core::pulls;
use plinth_core::pulls::diff_context::DiffContext;
use plinth_core::pulls::model::{self, Version};
use plinth_core::pulls::store::NewPull;
use plinth_core::pulls::threads::side_of;
use plinth_core::refs;
use plinth_core::repos::{self, Repo};
use plinth_core::review_comments::{self, At, Located, NewThreadComment, Subject, resolutions};
use plinth_core::review_requests;
use plinth_git::diff::{Comparisons, Side};
use plinth_git::{NoObjects, Reader, RefName, Repositories};
use plinth_markdown as markdown;
use plinth_store::{Connection, Store, Transaction};

/// A pull request with the locations of its comments.
pub struct Prepared {
    number: i64,
    /// `None` if the pull request exists; its comments are left as they are.
    comments: Option<Vec<Located>>,
}

/// Locates all comments before the transaction, since that blocks.
pub async fn prepare(
    store: &Store,
    repositories: &Arc<Repositories>,
    file: &StateFile,
    histories: &Histories,
) -> Result<Vec<Prepared>> {
    let mut prepared = Vec::with_capacity(file.pulls.len());
    for (index, pull) in file.pulls.iter().enumerate() {
        let earlier = file.pulls.iter().take(index).filter(|other| is_same_name(&other.repo, &pull.repo));
        let number = 1 + i64::try_from(earlier.count()).unwrap_or_default();
        let found = find_repo(&mut store.read().await?, &pull.repo).await?;
        let subjects = subjects(pull)?;
        let described = file.repos.iter().position(|repo| is_same_name(&repo.name, &pull.repo));
        let comments = match (described.and_then(|index| histories.of(index)), found) {
            (Some(history), _) => {
                let tip = |branch: &Name, field| {
                    history.tip(&branch.value).ok_or_else(|| problem(branch, field, "there is no such branch"))
                };
                let tips = (tip(&pull.base, "pulls.base")?, tip(&pull.head, "pulls.head")?);
                let repository = history.repository();
                let work = move || locate_all(&repository.reader(&NoObjects), tips, subjects);
                let located = tokio::task::spawn_blocking(work).await;
                Some(located.map_err(|error| Error::internal(error.to_string()))??)
            }
            (None, Some(repo)) => {
                let objects = Objects::new(store.clone(), repositories.clone(), ObjectLimits::default());
                find_in_store(store, &objects, &repo, (pull, number), subjects).await?
            }
            (None, None) => return Err(problem(&pull.repo, "pulls.repo", "there is no such repository with commits")),
        };
        let comments = comments.map(|found| check_located(pull, found)).transpose()?;
        prepared.push(Prepared { number, comments });
    }
    Ok(prepared)
}

/// Creates what does not exist, and updates titles, bodies and states.
pub async fn apply(
    tx: &mut Transaction,
    wanted: &[Pull],
    prepared: &[Prepared],
    now: Timestamp,
    report: &mut Report,
) -> Result<()> {
    for (pull, prepared) in wanted.iter().zip(prepared) {
        let repo = find_repo(tx, &pull.repo).await?;
        let repo = repo.ok_or_else(|| problem(&pull.repo, "pulls.repo", "there is no such repository"))?;
        let what = format!("pull request {}#{}", pull.repo.value, prepared.number);
        let effect = match (pulls::store::find(tx, repo.id, prepared.number).await?, &prepared.comments) {
            (Some(found), _) => update(tx, pull, &found, now).await?,
            (None, Some(comments)) => {
                create(tx, &repo, (pull, prepared.number), comments, now).await?;
                Effect::Created
            }
            (None, None) => return Err(problem(&pull.repo, "pulls", "the pull request was deleted meanwhile")),
        };
        report.note(what, effect);
    }
    Ok(())
}

async fn create(
    tx: &mut Transaction,
    repo: &Repo,
    (pull, number): (&Pull, i64),
    comments: &[Located],
    now: Timestamp,
) -> Result<()> {
    let author = find_user(tx, &pull.author, "pulls.author").await?;
    let new = NewPull {
        repo: repo.id,
        title: pull.title.value.clone(),
        body: pull.body.clone(),
        draft: pull.draft,
        author: author.id,
        head_ref: pull.head.value.clone(),
        base_ref: pull.base.value.clone(),
    };
    let created = pulls::operations::insert(tx, repo, &new, now)
        .await
        .map_err(|error| problem(&pull.head, "pulls.head", error))?;
    if created.number != number {
        let message = format_args!("number {number} is expected, but the next one is {}", created.number);
        return Err(problem(&pull.repo, "pulls", message));
    }
    for (comment, located) in pull.comments.iter().zip(comments) {
        add_comment(tx, &created, comment, located, now).await?;
    }
    for reviewer in &pull.reviewers {
        let logins = std::slice::from_ref(&reviewer.value);
        review_requests::request_as(tx, repo, created.id, logins, (author.id, now))
            .await
            .map_err(|error| problem(reviewer, "pulls.reviewers", error))?;
    }
    if pull.closed {
        pulls::operations::update_from_file(tx, &created, (&created.title, created.body.as_deref()), true, now).await?;
    }
    Ok(())
}

async fn add_comment(
    tx: &mut Transaction,
    pull: &model::Pull,
    comment: &ReviewComment,
    located: &Located,
    now: Timestamp,
) -> Result<()> {
    let author = find_user(tx, &comment.author, "pulls.comments.author").await?;
    let begin = NewThreadComment {
        repo: pull.repo_id,
        pull: pull.id,
        version: pull.version.number,
        located: located.clone(),
        context: None,
        author: author.id,
        body: comment.body.value.clone(),
        mentions: find_mentioned(tx, &comment.body.value).await?,
    };
    let root = review_comments::start_thread(tx, &begin, now).await?;
    for reply in &comment.replies {
        let author = find_user(tx, &reply.author, "pulls.comments.replies.author").await?;
        check_text(&reply.body, "pulls.comments.replies.body")?;
        let new = review_comments::NewReply {
            repo: pull.repo_id,
            pull: pull.id,
            in_reply_to: root.id,
            context: None,
            author: author.id,
            body: reply.body.value.clone(),
            mentions: find_mentioned(tx, &reply.body.value).await?,
        };
        review_comments::reply(tx, &new, now).await?;
    }
    if let Some(name) = &comment.resolved_by {
        let by = find_user(tx, name, "pulls.comments.resolved_by").await?;
        resolutions::resolve_as(tx, pull.repo_id, root.id, (by.id, now)).await?;
    }
    Ok(())
}

/// Finds the users that a text mentions, including users created in this transaction.
pub async fn find_mentioned(tx: &mut Transaction, text: &str) -> Result<Vec<AccountId>> {
    let mut found = Vec::new();
    for login in markdown::mentions(text) {
        found.extend(accounts::store::find_of_kind(tx, &login, AccountKind::User).await?.map(|user| user.id));
    }
    Ok(found)
}

async fn update(tx: &mut Transaction, wanted: &Pull, found: &model::Pull, now: Timestamp) -> Result<Effect> {
    let text = (wanted.title.value.as_str(), wanted.body.as_deref());
    let is_changed = pulls::operations::update_from_file(tx, found, text, wanted.closed, now).await?;
    Ok(if is_changed { Effect::Changed } else { Effect::Unchanged })
}

async fn find_in_store(
    store: &Store,
    objects: &Objects,
    repo: &Repo,
    (pull, number): (&Pull, i64),
    subjects: Vec<(String, At)>,
) -> Result<Option<Vec<Found>>> {
    let mut db = store.read().await?;
    if pulls::store::find(&mut db, repo.id, number).await?.is_some() {
        return Ok(None);
    }
    let base = find_tip(&mut db, repo.id, &pull.base, "pulls.base").await?;
    let head = find_tip(&mut db, repo.id, &pull.head, "pulls.head").await?;
    drop(db);
    objects.read(repo.id, move |reader| locate_all(reader, (base, head), subjects)).await.map(Some)
}

type Found = Result<Located, review_comments::InvalidPosition>;

fn locate_all(reader: &Reader<'_>, (base, head): (Sha, Sha), subjects: Vec<(String, At)>) -> Result<Vec<Found>> {
    let comparisons = Comparisons::default();
    let context = DiffContext { repo: RepoId(0), reader, comparisons: &comparisons };
    let version =
        Version { number: 1, base_sha: base, head_sha: head, merge_base: None, size: None, created_at: Timestamp(0) };
    let locate =
        |(path, at)| review_comments::locate(&context, &version, &Subject { commit_id: head.to_string(), path, at });
    subjects.into_iter().map(locate).collect()
}

fn check_located(pull: &Pull, found: Vec<Found>) -> Result<Vec<Located>> {
    let pairs = pull.comments.iter().zip(found);
    pairs
        .map(|(comment, found)| {
            found.map_err(|invalid| problem(&comment.path, "pulls.comments", Error::Invalid(invalid.errors())))
        })
        .collect()
}

fn subjects(pull: &Pull) -> Result<Vec<(String, At)>> {
    let subject = |comment: &ReviewComment| {
        check_text(&comment.body, "pulls.comments.body")?;
        let side = parse_side(comment.side.as_ref(), Side::Right)?;
        let start_side = parse_side(comment.start_side.as_ref(), side)?;
        let at = match (comment.line, comment.position) {
            (Some(line), None) => At::Line { side, line, start: comment.start_line.map(|line| (start_side, line)) },
            (None, Some(position)) => At::Position(position),
            (None, None) => At::File,
            (Some(_), Some(_)) => {
                return Err(problem(&comment.path, "pulls.comments", "a comment has a line or a position, not both"));
            }
        };
        Ok((comment.path.value.clone(), at))
    };
    pull.comments.iter().map(subject).collect()
}

fn parse_side(word: Option<&Name>, otherwise: Side) -> Result<Side> {
    let Some(word) = word else { return Ok(otherwise) };
    side_of(&word.value).ok_or_else(|| problem(word, "pulls.comments", "a side is LEFT or RIGHT"))
}

fn check_text(text: &Name, field: &str) -> Result<()> {
    review_comments::check_body(&text.value).map_err(|error| problem(text, field, error))
}

async fn find_repo(db: &mut Connection, name: &Name) -> Result<Option<Repo>> {
    let (owner, repo) = split_full_name(name, "pulls.repo")?;
    Ok(repos::store::find(db, owner, repo, None).await?.map(|found| found.repo))
}

async fn find_tip(db: &mut Connection, repo: RepoId, branch: &Name, field: &str) -> Result<Sha> {
    let missing = || problem(branch, field, "there is no such branch");
    let name = RefName::parse(&format!("refs/heads/{}", branch.value)).map_err(|_| missing())?;
    refs::store::find(db, repo, &name).await?.map(|found| found.target).ok_or_else(missing)
}

fn is_same_name(one: &Name, other: &Name) -> bool {
    one.value.eq_ignore_ascii_case(&other.value)
}
