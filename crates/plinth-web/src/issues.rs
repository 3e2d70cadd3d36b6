//! Issues: the list, one with its comments, and what can be done with them.

use http::Method;
use maud::html;
use plinth_base::error::{Error, Result};
use serde_json::{Value, json};

use crate::forms::Form;
use crate::layout::{self, Tab};
use crate::model::{Comment, Issue, Repository, User};
use crate::pulls::{comment_form, issue_comment, labels, status};
use crate::repository::find;
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

const SHOWN: u32 = 30;
const COMMENT_PAGES_MAX: u32 = 10;

pub async fn list(visit: &Visit, repo: (&str, &str)) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let (state, label) = (visit.query_or_empty("state"), visit.query_or_empty("labels"));
    let state = if state.is_empty() { "open".into() } else { state };
    let query = text::query(&[("state", &state), ("labels", &label)]);
    let issues = visit.list::<Issue>(&format!("{}/issues{query}", repo.api()), SHOWN).await?;
    let choice = |name: &str, value: &str| html! { option value=(value) selected[value == state] { (name) } };
    let body = html! {
        div class="bar" {
            h1 { "Issues" }
            span class="spring" {}
            @if visit.login().is_some() { a class="button primary" href={ (repo.page()) "/issues/new" } { "New issue" } }
        }
        form class="inline" method="get" {
            label { "State " select name="state" { (choice("Open", "open")) (choice("Closed", "closed")) (choice("All", "all")) } }
            label { "Label " input name="labels" value=(label) placeholder="any"; }
            button { "Filter" }
        }
        ul class="rows box padded" {
            @for issue in issues.items.iter().filter(|issue| issue.pull_request.is_none()) {
                li {
                    (status(&issue.state)) " "
                    a class="subject" href={ (repo.page()) "/issues/" (issue.number) } { (issue.title) } " " (labels(&issue.labels))
                    p class="soft" {
                        "#" (issue.number) " opened " (text::date(&issue.created_at)) " by " (layout::author(issue.user.as_ref()))
                        " · " (text::count(issue.comments, "comment", "comments"))
                    }
                }
            }
            @if issues.items.is_empty() { li class="soft" { "No issue matches." } }
        }
        (layout::pager(visit, &issues))
    };
    Ok(WebResponse::Page(layout::repository(visit, &repo, ("Issues", Tab::Issues), body)))
}

pub async fn new_form(visit: &Visit, repo: (&str, &str)) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let body = html! {
        h1 { "New issue" }
        form method="post" action={ (repo.page()) "/issues" } class="stack" {
            (layout::form_token(visit))
            label for="title" { "Title" }
            input #title name="title" required maxlength="256";
            label for="body" { "Description" }
            textarea #body name="body" rows="10" {}
            p class="actions" { button class="primary" { "Open issue" } }
        }
    };
    Ok(WebResponse::Page(layout::repository(visit, &repo, ("New issue", Tab::Issues), body)))
}

pub async fn open(visit: &Visit, (owner, name): (&str, &str), form: &Form) -> Result<WebResponse> {
    let repo = format!("/{}/{}", text::segment(owner), text::segment(name));
    let new = json!({ "title": form.text("title"), "body": form.lines("body") });
    match visit.send(Method::POST, &format!("/repos{repo}/issues"), new).await? {
        Ok(made) => Ok(WebResponse::Redirect(format!("{repo}/issues/{}", made["number"].as_i64().unwrap_or_default()))),
        Err(rejected) => Ok(form.rejected(visit, &rejected)),
    }
}

/// A pull request has the same number in both lists, and a page of its own.
pub async fn show(visit: &Visit, repo: (&str, &str), number: i64) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let issue: Issue = visit.get(&format!("{}/issues/{number}", repo.api())).await?;
    if issue.pull_request.is_some() {
        return Ok(WebResponse::Redirect(format!("{}/pull/{number}", repo.page())));
    }
    let target = format!("{}/issues/{number}/comments?", repo.api());
    let comments = visit.list_all::<Comment>(&target, COMMENT_PAGES_MAX).await?;
    let may_edit = |author: Option<&User>| may_edit(visit, &repo, author);
    let is_edited = may_edit(issue.user.as_ref()) && visit.query("edit").as_deref() == Some("issue");
    let title = format!("{} #{number}", issue.title);
    let body = html! {
        h1 { (issue.title) " " span class="soft" { "#" (number) } }
        p {
            (status(&issue.state)) " opened " (text::date(&issue.created_at)) " by " (layout::author(issue.user.as_ref()))
            " " (labels(&issue.labels))
        }
        @if !issue.assignees.is_empty() { p class="soft" { "Assigned to " @for user in &issue.assignees { (layout::account(user)) " " } } }
        div class="timeline" {
            article class="box comment padded" {
                @if is_edited { (edit_form_of(visit, &issue)) }
                @else {
                    @if may_edit(issue.user.as_ref()) { p class="comment-head" { a class="edit" href="?edit=issue" { "Edit" } } }
                    @if issue.body.as_deref().unwrap_or_default().is_empty() { p class="soft" { "No description." } }
                    (layout::rendered(issue.body_html.as_deref()))
                }
            }
            @for comment in &comments.items { (issue_comment(visit, comment, may_edit(comment.user.as_ref()))) }
            @if visit.login().is_some() {
                form #act method="post" action=(visit.path) { (layout::form_token(visit)) }
                p class="actions" {
                    @if issue.state == "open" { button form="act" name="state" value="closed" { "Close issue" } }
                    @else { button form="act" name="state" value="open" { "Reopen issue" } }
                }
                (comment_form(visit))
            } @else { p class="soft" { a href={ "/-/sign-in" (text::query(&[("to", &visit.path)])) } { "Sign in" } " to take part." } }
        }
    };
    Ok(WebResponse::Page(layout::repository(visit, &repo, (&title, Tab::Issues), body)))
}

fn may_edit(visit: &Visit, repo: &Repository, author: Option<&User>) -> bool {
    let Some(login) = visit.login() else { return false };
    repo.can_push() || author.is_some_and(|user| user.login == login)
}

fn edit_form_of(visit: &Visit, issue: &Issue) -> maud::Markup {
    html! {
        form method="post" action=(visit.path) class="stack" {
            (layout::form_token(visit))
            input type="hidden" name="edit" value="issue";
            label for="issue-title" { "Title" }
            input #issue-title name="title" required maxlength="256" value=(issue.title);
            label for="issue-body" { "Description" }
            textarea #issue-body name="body" rows="10" { "\n" (issue.body.as_deref().unwrap_or_default()) }
            p class="actions" { button class="primary" { "Save" } " " a href=(visit.path) { "Cancel" } }
        }
    }
}

pub async fn act(visit: &Visit, (owner, name): (&str, &str), number: i64, form: &Form) -> Result<WebResponse> {
    let repo = format!("/repos/{}/{}", text::segment(owner), text::segment(name));
    let (issue, comments) = (format!("{repo}/issues/{number}"), format!("{repo}/issues/comments"));
    let id_of = |key: &str| key.strip_prefix('c').map(text::segment);
    let text = json!({ "body": form.lines("body") });
    let (method, target, body) = match (form.get("edit"), form.get("delete"), form.get("state")) {
        (Some("issue"), ..) => {
            (Method::PATCH, issue, json!({ "title": form.text("title"), "body": form.lines("body") }))
        }
        (Some(key), ..) => (Method::PATCH, format!("{comments}/{}", id_of(key).ok_or(Error::NotFound)?), text),
        (_, Some(key), _) => {
            (Method::DELETE, format!("{comments}/{}", id_of(key).ok_or(Error::NotFound)?), Value::Null)
        }
        (_, _, Some(state)) => (Method::PATCH, issue, json!({ "state": state })),
        _ => (Method::POST, format!("{issue}/comments"), text),
    };
    let is_new = method == Method::POST;
    match visit.send(method, &target, body).await? {
        Ok(made) if is_new => Ok(WebResponse::Redirect(format!(
            "{}#issuecomment-{}",
            visit.path,
            made["id"].as_i64().unwrap_or_default()
        ))),
        Ok(_) => Ok(WebResponse::Redirect(visit.path.clone())),
        Err(rejected) => Ok(form.rejected(visit, &rejected)),
    }
}
