//! Users and organizations.

use maud::{Markup, html};
use plinth_base::error::Result;

use crate::layout;
use crate::model::{Account, Project, Repository, User};
use crate::repository::summary;
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

const SHOWN: u32 = 30;
const MEMBERS_SHOWN: u32 = 100;

pub async fn show(visit: &Visit, login: &str) -> Result<WebResponse> {
    let account = visit.get::<Account>(&format!("/users/{}", text::segment(login))).await?;
    let is_org = account.kind == "Organization";
    let base = format!("/{}/{}", if is_org { "orgs" } else { "users" }, text::segment(&account.login));
    let repos = visit.list_or_empty::<Repository>(&format!("{base}/repos?sort=pushed"), SHOWN).await?;
    let projects = visit.list_or_empty::<Project>(&format!("{base}/projectsV2?"), SHOWN).await?;
    let related = if is_org { format!("{base}/members?") } else { format!("{base}/orgs?") };
    let related = visit.list_or_empty::<User>(&related, MEMBERS_SHOWN).await?;
    let body = html! {
        main #main {
            div class="profile" {
                (layout::avatar(account.id, 72))
                div {
                    h1 { (account.name.as_deref().unwrap_or(&account.login)) }
                    p class="soft" {
                        (account.login) " · " (if is_org { "organization" } else { "user" })
                        @if let Some(since) = &account.created_at { " · since " (text::date(since)) }
                    }
                }
            }
            div class="columns" {
                section {
                    h2 { "Repositories" }
                    @if repos.items.is_empty() { p class="soft" { "No repository is visible to you." } }
                    ul class="rows" { @for repo in &repos.items { (summary(repo)) } }
                    (layout::pager(visit, &repos))
                }
                section {
                    @if !projects.items.is_empty() {
                        h2 { "Projects" }
                        ul class="rows" { @for project in &projects.items { (project_row(&base, project)) } }
                    }
                    @if !related.items.is_empty() {
                        h2 { (if is_org { "People" } else { "Organizations" }) }
                        ul class="people" { @for user in &related.items { li { (layout::account(user)) } } }
                    }
                    @if is_org {
                        h2 { "Settings" }
                        p { a href={ "/organizations/" (text::segment(&account.login)) "/settings/issue-fields" } { "Issue fields" } }
                    }
                }
            }
        }
    };
    Ok(WebResponse::FreshPage(layout::page(visit, &account.login, body)))
}

fn project_row(base: &str, project: &Project) -> Markup {
    html! {
        li {
            a href={ (base) "/projects/" (project.number) } { (project.title) }
            @if !project.public { " " span class="tag" { "Private" } }
            @if let Some(about) = &project.short_description { p class="soft" { (about) } }
        }
    }
}
