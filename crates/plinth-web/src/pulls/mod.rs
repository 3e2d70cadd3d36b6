//! Pull requests: the list, the conversation, the changed files, and what can be done with them.

mod actions;
mod conversation;
mod files;
mod threads;

use maud::{Markup, html};
use plinth_base::error::Result;

pub use actions::{act, open};
pub use conversation::{comment_form, issue_comment, show as show_conversation};
pub use files::show as show_files;

use crate::blob::as_text;
use crate::commits;
use crate::diff;
use crate::layout::{self, Tab};
use crate::model::{Commit, Comparison, Label, Pull, Repository};
use crate::repository::find;
use crate::response::WebResponse;
use crate::routes::DiffFormat;
use crate::text;
use crate::visit::Visit;

const SHOWN: u32 = 30;
/// The API lists at most 250 commits of a pull request.
const COMMIT_PAGES_MAX: u32 = 3;

pub async fn list(visit: &Visit, repo: (&str, &str)) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let (state, base, head) =
        (visit.query_or_empty("state"), visit.query_or_empty("base"), visit.query_or_empty("head"));
    let sort = visit.query_or_empty("sort");
    let state = if state.is_empty() { "open".into() } else { state };
    let qualified = if head.is_empty() { String::new() } else { format!("{}:{head}", repo.owner.login) };
    let query = text::query(&[("state", &state), ("base", &base), ("head", &qualified), ("sort", &sort)]);
    let pulls = visit.list::<Pull>(&format!("{}/pulls{query}", repo.api()), SHOWN).await?;
    let choice = |name: &str, value: &str, current: &str| {
        html! { option value=(value) selected[value == current] { (name) } }
    };
    let body = html! {
        div class="bar" {
            h1 { "Pull requests" }
            span class="spring" {}
            a class="button primary" href={ (repo.page()) "/compare/" } { "New pull request" }
        }
        form class="inline" method="get" {
            label { "State " select name="state" {
                (choice("Open", "open", &state)) (choice("Closed", "closed", &state)) (choice("All", "all", &state))
            } }
            label { "Base " input name="base" value=(base) placeholder="any"; }
            label { "Head " input name="head" value=(head) placeholder="any"; }
            label { "Sort " select name="sort" {
                (choice("Newest", "created", &sort)) (choice("Recently updated", "updated", &sort))
            } }
            button { "Filter" }
        }
        ul class="rows box padded" {
            @for pull in &pulls.items { (row(&repo, pull)) }
            @if pulls.items.is_empty() { li class="soft" { "No pull request matches." } }
        }
        (layout::pager(visit, &pulls))
    };
    Ok(WebResponse::Page(layout::repository(visit, &repo, ("Pull requests", Tab::Pulls), body)))
}

fn row(repo: &Repository, pull: &Pull) -> Markup {
    html! {
        li {
            (status(pull.status())) " "
            a class="subject" href={ (repo.page()) "/pull/" (pull.number) } { (pull.title) } " " (labels(&pull.labels))
            p class="soft" {
                "#" (pull.number) " opened " (text::date(&pull.created_at)) " by " (layout::author(pull.user.as_ref()))
                " · " code { (pull.base.branch) } " ← " code { (pull.head.branch) }
            }
        }
    }
}

/// The state of a pull request or issue.
pub fn status(word: &str) -> Markup {
    html! { span class={ "status " (word) } { (word) } }
}

pub fn labels(labels: &[Label]) -> Markup {
    html! { @for label in labels { span class="tag" title=[label.description.as_deref()] { (label.name) } " " } }
}

/// A pull request with its repository.
pub struct Found {
    pub repo: Repository,
    pub pull: Pull,
}

impl Found {
    pub fn api(&self) -> String {
        format!("{}/pulls/{}", self.repo.api(), self.pull.number)
    }

    pub fn page(&self) -> String {
        format!("{}/pull/{}", self.repo.page(), self.pull.number)
    }

    /// Whether the visitor may change what this account has written. The operation decides in the end.
    pub fn may_edit(&self, visit: &Visit, author: Option<&crate::model::User>) -> bool {
        let is_own = visit.login().is_some_and(|login| author.is_some_and(|user| user.login == login));
        is_own || (visit.login().is_some() && self.repo.can_push())
    }
}

pub async fn find_pull(visit: &Visit, repo: (&str, &str), number: i64) -> Result<Found> {
    let repo = find(visit, repo).await?;
    let pull = visit.get(&format!("{}/pulls/{number}", repo.api())).await?;
    Ok(Found { repo, pull })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Conversation,
    Commits,
    Files,
}

/// The page around one of the three parts of a pull request.
pub fn frame(visit: &Visit, found: &Found, part: Part, body: Markup) -> Markup {
    let Found { repo, pull } = found;
    let tab = |own: Part, path: &str, name: String| {
        html! { a href={ (found.page()) (path) } aria-current=[(own == part).then_some("page")] { (name) } }
    };
    let title = format!("{} #{}", pull.title, pull.number);
    let body = html! {
        div class="pull-head" {
            h1 { (pull.title) " " span class="soft" { "#" (pull.number) } }
            p {
                (status(pull.status())) " " (layout::author(pull.user.as_ref())) " wants to merge "
                (text::count(pull.commits, "commit", "commits")) " into " code { (pull.base.branch) } " from " code { (pull.head.branch) }
            }
            nav class="tabs" aria-label="Pull request" {
                (tab(Part::Conversation, "", "Conversation".into()))
                (tab(Part::Commits, "/commits", format!("Commits {}", pull.commits)))
                (tab(Part::Files, "/files", format!("Files {}", pull.changed_files)))
                span class="spring" {}
                (diff::change_counts(pull.additions, pull.deletions))
            }
        }
        (body)
        @if visit.login().is_some() {
            // Buttons anywhere on the page belong to this form, so that it has the token once.
            form #act method="post" action=(visit.path) { (layout::form_token(visit)) }
        }
    };
    layout::repository(visit, repo, (&title, Tab::Pulls), body)
}

pub async fn show_commits(visit: &Visit, repo: (&str, &str), number: i64) -> Result<WebResponse> {
    let found = find_pull(visit, repo, number).await?;
    let all = visit.list_all::<Commit>(&format!("{}/commits?", found.api()), COMMIT_PAGES_MAX).await?;
    let body = commits::table(&found.repo, &all.items);
    Ok(WebResponse::Page(frame(visit, &found, Part::Commits, body)))
}

/// A pull request as text, for `diff_url` and `patch_url`.
pub async fn text(visit: &Visit, (owner, name): (&str, &str), number: i64, format: DiffFormat) -> Result<WebResponse> {
    let target = format!("/repos/{}/{}/pulls/{number}", text::segment(owner), text::segment(name));
    Ok(as_text(visit.read(&target, format.accept()).await?.body))
}

/// The form to open a pull request, below a comparison.
pub fn open_form(visit: &Visit, repo: &Repository, (base, head): (&str, &str), found: &Comparison) -> Markup {
    let first = found.commits.first();
    let title = if found.commits.len() == 1 { first.map(|commit| commit.commit.subject()) } else { None };
    html! {
        details class="box padded" {
            summary { "Open a pull request" }
            form method="post" action={ (repo.page()) "/pulls" } class="stack" {
                (layout::form_token(visit))
                input type="hidden" name="base" value=(base);
                input type="hidden" name="head" value=(head);
                label for="title" { "Title" }
                input #title name="title" required maxlength="256" value=(title.unwrap_or(head));
                label for="body" { "Description" }
                textarea #body name="body" rows="8" {}
                label { input type="checkbox" name="draft" value="true"; " Draft" }
                p class="actions" { button class="primary" { "Open pull request" } }
            }
        }
    }
}
