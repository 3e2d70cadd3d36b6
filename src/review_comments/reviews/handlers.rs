//! Steps of the operations on reviews.

use super::input::{NewReview, Submission};
use super::json::PullRequestReview;
use super::model::Review;
use super::{rules, store, write};
use crate::api::access::table::{
    CreateReview, DeletePendingReview, GetReview, ListReviewCommentsOfReview, ListReviews, SubmitReview,
};
use crate::api::access::{Allowed, Endpoint, RepoTarget};
use crate::api::body::Json;
use crate::api::page::Page;
use crate::api::reply::Reply;
use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::{ReviewId, Sha};
use crate::pulls::model::PullFacts;
use crate::pulls::range::at_desk;
use crate::pulls::{self, FoundPull};
use crate::review_comments::handlers::create::{author, find_place};
use crate::review_comments::handlers::list_in;
use crate::review_comments::input::{DraftComment, Subject};
use crate::review_comments::model::Scope;
use crate::review_comments::{Misplaced, mentions, present, rules as comment_rules};

pub async fn list(access: Allowed<ListReviews, RepoTarget>, app: App) -> Result<Reply> {
    let pull = pulls::find(&app, &access).await?;
    let (exchange, viewer) = (access.exchange(), access.caller().actor());
    let page = Page::of(exchange);
    let mut db = app.store.read().await?;
    let reviews = store::list(&mut db, pull.id, viewer, (page.limit(), page.offset())).await?;
    let total = store::count(&mut db, pull.id, viewer).await?;
    drop(db);
    let bodies = reviews.iter().map(|review| review.body.as_str());
    let rendered = present::render(&app, exchange, bodies).await?;
    let both = reviews.iter().zip(&rendered);
    let shown: Vec<_> = both
        .map(|(review, rendered)| {
            PullRequestReview::new(review, rendered.as_ref(), exchange.media, &access.repo, &exchange.urls)
        })
        .collect();
    Ok(Reply::ok(&shown).with_link(page.link(exchange, total)))
}

pub async fn create(
    access: Allowed<CreateReview, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(new): Json<NewReview>,
) -> Result<Reply> {
    let author = author(&access)?;
    rules::check_comment_count(new.comments.len())?;
    rules::check_verdict(pull.author, author, new.state, &new.body, new.comments.len())?;
    if !new.body.is_empty() {
        comment_rules::check_body(&new.body)?;
    }
    let contents = new.comments.iter().map(|comment| comment.body.as_str());
    let contents: Vec<&str> = contents.chain((!new.body.is_empty()).then_some(new.body.as_str())).collect();
    app.limiter.admit_contents(author, CreateReview::ROW.operation, &contents, app.clock.now())?;
    let _held = app.objects.hold(pull.repo_id).await;
    let commit_id = new.commit_id.unwrap_or_else(|| pull.version.head_sha.to_string());
    let commit = commit_id.parse().map_err(|_| Error::Invalid(Misplaced::Commit.errors()))?;
    check_commit(&app, &pull, commit).await?;
    let comments = find_places(&app, &pull, &commit_id, new.comments).await?;
    let new = write::New { pull, author, state: new.state, body: new.body, commit, comments };
    let now = app.clock.now();
    let review = access.write(&app.store, (new, now), |tx, (new, now)| Box::pin(write::create(tx, new, *now))).await?;
    show(&app, &access, &review).await
}

pub async fn get(access: Allowed<GetReview, RepoTarget>, app: App) -> Result<Reply> {
    let review = find(&app, &access).await?;
    show(&app, &access, &review).await
}

pub async fn submit(
    access: Allowed<SubmitReview, RepoTarget>,
    app: App,
    Json(submission): Json<Submission>,
) -> Result<Reply> {
    let review = find(&app, &access).await?;
    if let Some(body) = submission.body.as_ref().filter(|body| !body.is_empty()) {
        comment_rules::check_body(body)?;
    }
    let mentions = find_mentions(&app, review.id).await?;
    let context = (review.pull_id, (review.id, mentions), author(&access)?, submission, app.clock.now());
    let review = access
        .write(&app.store, context, |tx, (pull, (id, mentions), author, submission, now)| {
            let verdict = (submission.state, submission.body.as_deref());
            Box::pin(write::submit(tx, *pull, (*id, mentions), *author, verdict, *now))
        })
        .await?;
    show(&app, &access, &review).await
}

pub async fn delete(access: Allowed<DeletePendingReview, RepoTarget>, app: App) -> Result<Reply> {
    let review = find(&app, &access).await?;
    let context = (review.pull_id, review.id, author(&access)?);
    let review = access
        .write(&app.store, context, |tx, (pull, id, author)| Box::pin(write::delete(tx, *pull, *id, *author)))
        .await?;
    show(&app, &access, &review).await
}

pub async fn list_comments(access: Allowed<ListReviewCommentsOfReview, RepoTarget>, app: App) -> Result<Reply> {
    let review = find(&app, &access).await?;
    list_in(&app, &access, Scope::Review(review.id), &[]).await
}

/// The review that the path names inside its pull request.
async fn find<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<Review> {
    let pull = pulls::find(app, access).await?;
    let id = access.exchange().params.number::<ReviewId>("review_id").ok_or(Error::NotFound)?;
    let mut db = app.store.read().await?;
    store::find(&mut db, pull.id, id, access.caller().actor()).await?.ok_or(Error::NotFound)
}

/// A review is about a commit of its pull request, whether it has comments or not.
async fn check_commit(app: &App, pull: &PullFacts, commit: Sha) -> Result<()> {
    let version = pull.version;
    let is_part = at_desk(app, pull.repo_id, move |desk| desk.contains(&version, &commit)).await?;
    if is_part { Ok(()) } else { Err(Error::Invalid(Misplaced::Commit.errors())) }
}

/// Whom the comments of a pending review mention. Nobody but their author can change them meanwhile.
async fn find_mentions(app: &App, review: ReviewId) -> Result<write::Mentions> {
    let comments = store::list_bodies(&mut app.store.read().await?, review).await?;
    let (ids, bodies): (Vec<_>, Vec<_>) = comments.into_iter().unzip();
    Ok(ids.into_iter().zip(mentions::find(app, bodies).await?).collect())
}

async fn find_places(
    app: &App,
    pull: &PullFacts,
    commit_id: &str,
    drafts: Vec<DraftComment>,
) -> Result<Vec<write::Draft>> {
    let bodies = drafts.iter().map(|draft| draft.body.clone()).collect();
    let mut mentions = mentions::find(app, bodies).await?.into_iter();
    let mut found = Vec::with_capacity(drafts.len());
    for DraftComment { body, path, at } in drafts {
        let subject = Subject { commit_id: commit_id.to_owned(), path, at };
        let located = find_place(app, pull, subject, comment_rules::body_errors(&body)).await?;
        found.push(write::Draft { body, located, mentions: mentions.next().unwrap_or_default() });
    }
    Ok(found)
}

async fn show<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, review: &Review) -> Result<Reply> {
    let exchange = access.exchange();
    let rendered = present::render(app, exchange, std::iter::once(review.body.as_str())).await?.pop().flatten();
    let shown = PullRequestReview::new(review, rendered.as_ref(), exchange.media, &access.repo, &exchange.urls);
    Ok(Reply::ok(&shown))
}
