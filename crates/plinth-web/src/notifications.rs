//! Notifications, and marking them as read.

use http::Method;
use maud::{Markup, html};
use plinth_base::error::{Error, Result};
use serde_json::json;

use crate::forms::Form;
use crate::layout;
use crate::model::Notification;
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

const SHOWN: u32 = 50;

pub async fn show(visit: &Visit) -> Result<WebResponse> {
    if visit.login().is_none() {
        return Ok(WebResponse::Redirect(format!("/-/sign-in{}", text::query(&[("to", &visit.path)]))));
    }
    let shows_all = visit.query("all").is_some();
    let target = format!("/notifications?all={shows_all}");
    let found = match visit.list::<Notification>(&target, SHOWN).await {
        Ok(found) => Some(found),
        // The token may lack the scope.
        Err(Error::NotFound) => None,
        Err(error) => return Err(error),
    };
    let body = html! {
        main #main {
            div class="bar" {
                h1 { "Notifications" }
                span class="spring" {}
                @if shows_all { a href="/-/notifications" { "Unread only" } } @else { a href="/-/notifications?all=1" { "Show read ones" } }
            }
            @match &found {
                None => p class="problem" { "The token that you have signed in with has no access to notifications: it needs the scope " code { "notifications" } "." },
                Some(found) => {
                    @if found.items.is_empty() { p class="soft" { "Nothing is waiting for you." } }
                    form method="post" action="/-/notifications" {
                        (layout::form_token(visit))
                        ul class="rows box padded" {
                            @for notification in &found.items {
                                li class="commit" {
                                    div { (line(notification)) }
                                    @if notification.unread { button name="thread" value=(notification.id) { "Mark read" } }
                                }
                            }
                        }
                    }
                    (layout::pager(visit, found))
                }
            }
        }
    };
    Ok(WebResponse::FreshPage(layout::page(visit, "Notifications", body)))
}

/// Notifications in a list, each with a link to what it is about.
pub fn list(notifications: &[Notification]) -> Markup {
    html! { ul class="rows" { @for notification in notifications { li { (line(notification)) } } } }
}

fn line(notification: &Notification) -> Markup {
    html! {
        a class="subject" href=(page(notification)) { (notification.subject.title) }
        p class="soft" {
            (notification.repository.full_name) " · " (notification.reason.replace('_', " ")) " · " (text::date(&notification.updated_at))
            @if !notification.unread { " · read" }
        }
    }
}

/// The page of the subject, at the comment that the notification is about.
fn page(notification: &Notification) -> String {
    let last = |url: &str| url.rsplit('/').next().unwrap_or_default().to_owned();
    let number = last(&notification.subject.url);
    let word = if notification.subject.kind == "PullRequest" { "pull" } else { "issues" };
    let anchor = match notification.subject.latest_comment_url.as_deref() {
        Some(url) if url.contains("/pulls/comments/") => format!("#discussion_r{}", last(url)),
        Some(url) if url.contains("/issues/comments/") => format!("#issuecomment-{}", last(url)),
        _ => String::new(),
    };
    format!("{}/{word}/{number}{anchor}", notification.repository.page())
}

pub async fn mark_read(visit: &Visit, form: &Form) -> Result<WebResponse> {
    let thread = form.number("thread").ok_or(Error::NotFound)?;
    match visit.send(Method::PATCH, &format!("/notifications/threads/{thread}"), json!({})).await? {
        Ok(_) => Ok(WebResponse::Redirect("/-/notifications".into())),
        Err(rejected) => Ok(form.rejected(visit, &rejected)),
    }
}
