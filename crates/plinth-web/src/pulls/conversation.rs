//! The conversation of a pull request: description, comments, and reviews with their threads.

use maud::{Markup, html};
use plinth_base::error::Result;

use super::threads::{self, ThreadView, Threads};
use super::{Found, Part, find_pull, frame};
use crate::layout;
use crate::model::{Comment, Review};
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

const COMMENT_PAGES_MAX: u32 = 10;

/// Something that happened, in the order of time.
enum Event<'a> {
    Comment(&'a Comment),
    Review(&'a Review, Vec<&'a ThreadView>),
}

impl Event<'_> {
    fn time(&self) -> &str {
        match self {
            Event::Comment(comment) => &comment.created_at,
            // The own review that is not submitted yet comes last.
            Event::Review(review, _) => review.submitted_at.as_deref().unwrap_or("9"),
        }
    }
}

pub async fn show(visit: &Visit, repo: (&str, &str), number: i64) -> Result<WebResponse> {
    let found = find_pull(visit, repo, number).await?;
    let threads = Threads::load(visit, &found).await?;
    let target = format!("{}/issues/{number}/comments?", found.repo.api());
    let comments = visit.list_all::<Comment>(&target, COMMENT_PAGES_MAX).await?;
    let events = events(&comments.items, &threads);
    let body = html! {
        div class="timeline" {
            (description(visit, &found))
            @for event in &events {
                @match event {
                    Event::Comment(comment) => (comment_view(visit, &found, comment)),
                    Event::Review(review, own) => (review_view(visit, &found, review, own)),
                }
            }
            @if threads.is_cut || comments.has_more { p class="soft" { "There are more comments, which the API lists." } }
            @if visit.login().is_some() { (state_form(&found)) (comment_form(visit)) }
            @else { p class="soft" { a href={ "/-/sign-in" (text::query(&[("to", &visit.path)])) } { "Sign in" } " to take part." } }
        }
    };
    Ok(WebResponse::Page(frame(visit, &found, Part::Conversation, body)))
}

fn events<'a>(comments: &'a [Comment], threads: &'a Threads) -> Vec<Event<'a>> {
    let mut events: Vec<Event<'a>> = comments.iter().map(Event::Comment).collect();
    for review in &threads.reviews {
        let own = threads.all.iter().filter(|thread| thread.first().pull_request_review_id == Some(review.id));
        let own: Vec<&ThreadView> = own.collect();
        // A reply has a review of its own, in which there is nothing to show.
        let is_empty = own.is_empty() && review.body.as_deref().unwrap_or_default().is_empty();
        if !is_empty || review.state != "COMMENTED" {
            events.push(Event::Review(review, own));
        }
    }
    events.sort_by(|a, b| a.time().cmp(b.time()));
    events
}

fn description(visit: &Visit, found: &Found) -> Markup {
    let pull = &found.pull;
    let may_edit = found.may_edit(visit, pull.user.as_ref());
    html! {
        article class="box comment padded" {
            @if may_edit && visit.query("edit").as_deref() == Some("pull") { (edit_pull_form(visit, found)) }
            @else {
                (threads::head(visit, pull.user.as_ref(), &pull.created_at, may_edit.then_some("pull")))
                @if pull.body.as_deref().unwrap_or_default().is_empty() { p class="soft" { "No description." } }
                (layout::rendered(pull.body_html.as_deref()))
                @if !pull.requested_reviewers.is_empty() {
                    p class="soft" { "Review requested from " @for user in &pull.requested_reviewers { (layout::account(user)) " " } }
                }
            }
        }
    }
}

fn edit_pull_form(visit: &Visit, found: &Found) -> Markup {
    let pull = &found.pull;
    html! {
        form method="post" action=(visit.path) class="stack" {
            (layout::form_token(visit))
            input type="hidden" name="edit" value="pull";
            label for="pull-title" { "Title" }
            input #pull-title name="title" required maxlength="256" value=(pull.title);
            label for="pull-body" { "Description" }
            textarea #pull-body name="body" rows="10" { "\n" (pull.body.as_deref().unwrap_or_default()) }
            label for="pull-base" { "Base branch" }
            input #pull-base name="base" required value=(pull.base.branch);
            p class="actions" { button class="primary" { "Save" } " " a href=(visit.path) { "Cancel" } }
        }
    }
}

fn comment_view(visit: &Visit, found: &Found, comment: &Comment) -> Markup {
    issue_comment(visit, comment, found.may_edit(visit, comment.user.as_ref()))
}

/// A comment of a conversation, which issues have, too.
pub fn issue_comment(visit: &Visit, comment: &Comment, may_edit: bool) -> Markup {
    let key = format!("c{}", comment.id);
    html! {
        article class="box comment padded" id={ "issuecomment-" (comment.id) } {
            (threads::head(visit, comment.user.as_ref(), &comment.created_at, may_edit.then_some(key.as_str())))
            @if comment.updated_at != comment.created_at { " " span class="soft" { "edited" } }
            @if may_edit && visit.query("edit").is_some_and(|asked| asked == key) {
                (threads::edit_form(visit, &key, comment.body.as_deref()))
            } @else { (layout::rendered(comment.body_html.as_deref())) }
        }
    }
}

fn review_view(visit: &Visit, found: &Found, review: &Review, own: &[&ThreadView]) -> Markup {
    let (word, class) = match review.state.as_str() {
        "APPROVED" => ("approved these changes", "good"),
        "CHANGES_REQUESTED" => ("requested changes", "bad"),
        "PENDING" => ("started a review, which only you see", "soft"),
        _ => ("reviewed", "soft"),
    };
    html! {
        section class="review" id={ "pullrequestreview-" (review.id) } {
            p {
                (layout::author(review.user.as_ref())) " " b class=(class) { (word) } " "
                @if let Some(time) = &review.submitted_at { (text::date(time)) }
                @else { a href={ (found.page()) "/files#review" } { "Finish it" } }
            }
            @if !review.body.as_deref().unwrap_or_default().is_empty() {
                div class="box padded" { (layout::rendered(review.body_html.as_deref())) }
            }
            @for thread in own { (threads::with_hunk(visit, found, thread)) }
        }
    }
}

fn state_form(found: &Found) -> Markup {
    let pull = &found.pull;
    let is_open = pull.state == "open";
    html! {
        div class="box padded merge" {
            @match (pull.status(), pull.mergeable) {
                ("merged", _) => p { "This is merged." },
                ("closed", _) => p { "This is closed." },
                ("draft", _) => p { "This is a draft." },
                (_, Some(true)) => p class="good" { "The branches can be merged." },
                (_, Some(false)) => p class="bad" { "The branches conflict: merge or rebase them with git." },
                (_, None) => p class="soft" { "It is not known yet whether the branches can be merged." },
            }
            p class="actions" {
                @if is_open && found.repo.can_push() && !pull.draft {
                    button class="primary" form="act" name="merge" value="merge" { "Merge" }
                    button form="act" name="merge" value="squash" { "Squash and merge" }
                    button form="act" name="merge" value="rebase" { "Rebase and merge" }
                }
                @if is_open { button form="act" name="state" value="closed" { "Close" } }
                @else if !pull.merged { button form="act" name="state" value="open" { "Reopen" } }
            }
        }
    }
}

/// The form for a new comment of a conversation.
pub fn comment_form(visit: &Visit) -> Markup {
    html! {
        form method="post" action=(visit.path) class="stack box padded" {
            (layout::form_token(visit))
            label for="comment" { "Comment" }
            textarea #comment name="body" rows="5" required placeholder="Markdown" {}
            p class="actions" { button class="primary" name="comment" value="1" { "Comment" } }
        }
    }
}
