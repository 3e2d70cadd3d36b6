//! Threads of review comments, and the forms in them.

use std::collections::{HashMap, HashSet};

use maud::{Markup, PreEscaped, html};
use plinth_base::error::Result;

use super::Found;
use crate::diff::{self, Kind};
use crate::layout;
use crate::markup;
use crate::model::{Review, ReviewComment, Side, Thread, User};
use crate::text;
use crate::visit::Visit;

/// Comments on one page: more are only in the API.
const COMMENT_PAGES_MAX: u32 = 10;
/// Lines of the old hunk that a thread shows above its comments.
const HUNK_LINES: usize = 4;

/// All threads of a pull request.
pub struct Threads {
    pub all: Vec<ThreadView>,
    pub reviews: Vec<Review>,
    pub is_cut: bool,
}

/// A thread: its first comment, and the replies.
pub struct ThreadView {
    pub comments: Vec<ReviewComment>,
    pub resolved_by: Option<User>,
    pub is_resolved: bool,
    /// Only its author sees it until the review is submitted.
    pub is_pending: bool,
}

impl ThreadView {
    pub fn first(&self) -> &ReviewComment {
        &self.comments[0]
    }

    /// The line below which it is shown, if that still exists.
    pub fn line(&self) -> Option<(Side, i64)> {
        let first = self.first();
        first.line.filter(|_| !first.is_about_file()).map(|line| (first.side, line))
    }
}

impl Threads {
    pub async fn load(visit: &Visit, found: &Found) -> Result<Self> {
        let comments =
            visit.list_all::<ReviewComment>(&format!("{}/comments?", found.api()), COMMENT_PAGES_MAX).await?;
        let states = visit.list_all::<Thread>(&format!("{}/threads?", found.api()), COMMENT_PAGES_MAX).await?;
        let reviews = visit.list_all::<Review>(&format!("{}/reviews?", found.api()), COMMENT_PAGES_MAX).await?;
        let mut comments_of = comments.items;
        let pending: HashSet<i64> =
            reviews.items.iter().filter(|review| review.is_pending()).map(|review| review.id).collect();
        for review in &pending {
            let target = format!("{}/reviews/{review}/comments?", found.api());
            let known: HashSet<i64> = comments_of.iter().map(|comment| comment.id).collect();
            let own = visit.list_all::<ReviewComment>(&target, 1).await?.items;
            comments_of.extend(own.into_iter().filter(|comment| !known.contains(&comment.id)));
        }
        let mut by_root: HashMap<i64, usize> = HashMap::new();
        let mut all: Vec<ThreadView> = Vec::new();
        for comment in comments_of {
            let root = comment.in_reply_to_id.unwrap_or(comment.id);
            let is_pending = comment.pull_request_review_id.is_some_and(|review| pending.contains(&review));
            match by_root.get(&root) {
                Some(index) => all[*index].comments.push(comment),
                None => {
                    by_root.insert(root, all.len());
                    all.push(ThreadView { comments: vec![comment], resolved_by: None, is_resolved: false, is_pending });
                }
            }
        }
        for state in states.items.into_iter().filter(|state| state.is_resolved) {
            if let Some(thread) = by_root.get(&state.comment_id).and_then(|index| all.get_mut(*index)) {
                thread.is_resolved = true;
                thread.resolved_by = state.resolved_by;
            }
        }
        Ok(Self { all, reviews: reviews.items, is_cut: comments.has_more })
    }

    /// The visitor's own review that is not submitted yet.
    pub fn pending_review(&self) -> Option<&Review> {
        self.reviews.iter().find(|review| review.is_pending())
    }
}

/// A thread with its old hunk above it, where it is not below its line.
pub fn with_hunk(visit: &Visit, found: &Found, thread: &ThreadView) -> Markup {
    let first = thread.first();
    let hunk = diff::parse(&first.diff_hunk);
    let lines: Vec<_> = hunk.into_iter().filter(|line| line.kind != Kind::Hunk).collect();
    let start = lines.len().saturating_sub(HUNK_LINES);
    html! {
        div class="box thread-box" {
            p class="box-head" {
                a href={ (found.page()) "/files#discussion_r" (first.id) } { code { (first.path) } }
                @if first.is_outdated() { span class="tag" { "Outdated" } }
            }
            @if !first.is_about_file() { (diff::table(&lines[start..])) }
            (show(visit, found, thread))
        }
    }
}

pub fn show(visit: &Visit, found: &Found, thread: &ThreadView) -> Markup {
    let first = thread.first();
    let asked = visit.query("reply").is_some_and(|id| *id == first.id.to_string());
    let can_write = visit.login().is_some();
    let content = html! {
        @for comment in &thread.comments { (comment_view(visit, found, comment, thread.is_pending)) }
        @if asked && can_write { (reply_form(visit, first.id)) }
        @else if can_write && !thread.is_pending {
            p class="actions" {
                a class="button" href={ "?reply=" (first.id) "#discussion_r" (first.id) } { "Reply" }
                @if thread.is_resolved { button form="act" name="unresolve" value=(first.id) { "Unresolve" } }
                @else { button form="act" name="resolve" value=(first.id) { "Resolve" } }
            }
        }
    };
    if !thread.is_resolved || asked {
        return html! { div class="thread" { (content) } };
    }
    html! {
        details class="thread" {
            summary class="soft" {
                "Resolved" @if let Some(user) = &thread.resolved_by { " by " (user.login) }
                " · " (text::count(i64::try_from(thread.comments.len()).unwrap_or(i64::MAX), "comment", "comments"))
            }
            (content)
        }
    }
}

fn comment_view(visit: &Visit, found: &Found, comment: &ReviewComment, is_pending: bool) -> Markup {
    let may_edit = found.may_edit(visit, comment.user.as_ref());
    let key = format!("r{}", comment.id);
    html! {
        article class="comment" id={ "discussion_r" (comment.id) } {
            // A reply is a review of its own, whose URL leads here.
            @if let (Some(_), Some(review)) = (comment.in_reply_to_id, comment.pull_request_review_id) {
                span id={ "pullrequestreview-" (review) } {}
            }
            (head(visit, comment.user.as_ref(), &comment.created_at, may_edit.then_some(key.as_str())))
            @if is_pending { " " span class="tag" { "Pending" } }
            @if comment.updated_at != comment.created_at { " " span class="soft" { "edited" } }
            @if may_edit && visit.query("edit").is_some_and(|asked| asked == key) {
                (edit_form(visit, &key, comment.body.as_deref()))
            } @else { (body(comment)) }
        }
    }
}

/// Who has written a comment and when, with a link to its form.
pub fn head(visit: &Visit, author: Option<&User>, time: &str, edit: Option<&str>) -> Markup {
    html! {
        p class="comment-head" {
            (layout::author(author)) " " (text::date(time))
            @if let (Some(key), Some(_)) = (edit, visit.login()) {
                " " a class="edit" href={ "?edit=" (key) "#" (anchor(key)) } { "Edit" }
            }
        }
    }
}

/// The anchor of what a key names.
fn anchor(key: &str) -> String {
    match key.split_at_checked(1) {
        Some(("r", id)) => format!("discussion_r{id}"),
        Some(("c", id)) => format!("issuecomment-{id}"),
        _ => "main".into(),
    }
}

/// The text of a comment. A suggestion is shown as the change that it suggests.
fn body(comment: &ReviewComment) -> Markup {
    let html_text = comment.body_html.as_deref().unwrap_or_default();
    let source = comment.body.as_deref().unwrap_or_default();
    let Some(suggested) = markup::suggestion(source).filter(|_| comment.side == Side::Right) else {
        return layout::rendered(Some(html_text));
    };
    let first = comment.original_start_line.or(comment.original_line).unwrap_or_default();
    let count = comment.original_line.unwrap_or_default().saturating_sub(first).saturating_add(1);
    let old = markup::commented_lines(&comment.diff_hunk, usize::try_from(count).unwrap_or(1));
    html! {
        div class="prose" { (PreEscaped(markup::for_page(&markup::without_suggestion(html_text)))) }
        div class="suggestion" {
            p class="soft" { "Suggested change" }
            table class="diff" {
                tbody {
                    @for line in &old { tr class="d" { td { "−" } td { (line) } } }
                    @for line in &suggested { tr class="a" { td { "+" } td { (line) } } }
                }
            }
        }
    }
}

fn reply_form(visit: &Visit, root: i64) -> Markup {
    html! {
        form method="post" action=(visit.path) class="stack" {
            (layout::form_token(visit))
            input type="hidden" name="reply_to" value=(root);
            label for={ "reply-" (root) } { "Reply" }
            textarea id={ "reply-" (root) } name="body" rows="4" required autofocus {}
            p class="actions" { button class="primary" { "Reply" } " " a href=(visit.path) { "Cancel" } }
        }
    }
}

/// The form to edit or delete a comment.
pub fn edit_form(visit: &Visit, key: &str, body: Option<&str>) -> Markup {
    html! {
        form method="post" action=(visit.path) class="stack" {
            (layout::form_token(visit))
            input type="hidden" name="edit" value=(key);
            label for={ "edit-" (key) } { "Text" }
            textarea id={ "edit-" (key) } name="body" rows="6" required autofocus { "\n" (body.unwrap_or_default()) }
            p class="actions" {
                button class="primary" { "Save" } " "
                button class="danger" form="act" name="delete" value=(key) { "Delete" } " "
                a href=(visit.path) { "Cancel" }
            }
        }
    }
}
