//! The first page: what needs whoever is signed in, and what they can see.

use maud::html;
use plinth_base::error::Result;
use plinth_core::repos::lists::list_newest_public;

use crate::layout;
use crate::model::{Issue, Notification, Repository};
use crate::notifications;
use crate::repository::summary;
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

const SHOWN: u32 = 30;

pub async fn show(visit: &Visit) -> Result<WebResponse> {
    let Some(login) = visit.login() else { return welcome(visit).await };
    let waiting = visit.list_or_empty::<Notification>("/notifications?", SHOWN).await?;
    let assigned = visit.list_or_empty::<Issue>("/issues?filter=assigned", SHOWN).await?;
    let repos = visit.list_or_empty::<Repository>("/user/repos?sort=pushed", SHOWN).await?;
    let body = html! {
        main #main {
            div class="columns" {
                section {
                    h1 { "Hello, " (login) }
                    h2 { "Needs you" }
                    @if waiting.items.is_empty() && assigned.items.is_empty() { p class="soft" { "Nothing is waiting for you." } }
                    (notifications::list(&waiting.items))
                    @if !assigned.items.is_empty() {
                        h2 { "Assigned to you" }
                        ul class="rows" {
                            @for issue in &assigned.items {
                                @let base = issue.repository.as_ref().map(Repository::page).unwrap_or_default();
                                @let word = if issue.pull_request.is_some() { "pull" } else { "issues" };
                                li {
                                    a href={ (base) "/" (word) "/" (issue.number) } { (issue.title) }
                                    p class="soft" {
                                        @if let Some(repo) = &issue.repository { (repo.full_name) } " #" (issue.number)
                                        " · opened " (text::date(&issue.created_at))
                                    }
                                }
                            }
                        }
                    }
                }
                section {
                    h2 { "Repositories" }
                    @if repos.items.is_empty() { p class="soft" { "There are none that this token may see." } }
                    ul class="rows" { @for repo in &repos.items { (summary(repo)) } }
                    (layout::pager(visit, &repos))
                }
            }
        }
    };
    Ok(WebResponse::Page(layout::page(visit, "Home", body)))
}

async fn welcome(visit: &Visit) -> Result<WebResponse> {
    let repos = list_newest_public(&mut visit.api.app.read().await?, i64::from(SHOWN)).await?;
    let page = layout::narrow(
        visit,
        "Welcome",
        html! {
            h1 { "Plinth" }
            p class="lead" { "Repositories, pull requests and project fields of this server, here and through its API." }
            p class="actions" {
                a class="button primary" href="/-/sign-in" { "Sign in" } " "
                a class="button" href="/docs" { "Explore the API" }
            }
            h2 { "Newest public repositories" }
            @if repos.is_empty() { p class="soft" { "There are none yet." } }
            ul class="rows" {
                @for repo in &repos {
                    li {
                        a href={ "/" (text::segment(&repo.owner)) "/" (text::segment(&repo.name)) } { (repo.owner) "/" (repo.name) }
                        @if let Some(description) = &repo.description { p class="soft" { (description) } }
                    }
                }
            }
        },
    );
    Ok(WebResponse::FreshPage(page))
}
