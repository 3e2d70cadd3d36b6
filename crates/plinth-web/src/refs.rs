//! Branches and tags.

use maud::html;
use plinth_base::error::Result;

use crate::layout::{self, Tab};
use crate::model::{Branch, Tag};
use crate::repository::find;
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

const SHOWN: u32 = 50;

pub async fn branches(visit: &Visit, repo: (&str, &str)) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let branches = visit.list_or_empty::<Branch>(&format!("{}/branches?", repo.api()), SHOWN).await?;
    let body = html! {
        h1 { "Branches" }
        ul class="rows box padded" {
            @for branch in &branches.items {
                li class="commit" {
                    span {
                        a href={ (repo.page()) "/tree/" (text::path(&branch.name)) } { (branch.name) }
                        @if branch.name == repo.default_branch { " " span class="tag" { "default" } }
                        @if branch.protected { " " span class="tag" { "protected" } }
                    }
                    span {
                        @if branch.name != repo.default_branch {
                            a href={ (repo.page()) "/compare/" (text::path(&repo.default_branch)) "..." (text::path(&branch.name)) } { "Compare" } " "
                        }
                        a class="sha" href={ (repo.page()) "/commit/" (branch.commit.sha) } { (text::short(&branch.commit.sha)) }
                    }
                }
            }
            @if branches.items.is_empty() { li class="soft" { "No branches." } }
        }
        (layout::pager(visit, &branches))
    };
    Ok(WebResponse::Page(layout::repository(visit, &repo, ("Branches", Tab::Code), body)))
}

pub async fn tags(visit: &Visit, repo: (&str, &str)) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let tags = visit.list_or_empty::<Tag>(&format!("{}/tags?", repo.api()), SHOWN).await?;
    let body = html! {
        h1 { "Tags" }
        ul class="rows box padded" {
            @for tag in &tags.items {
                li class="commit" {
                    a href={ (repo.page()) "/tree/" (text::path(&tag.name)) } { (tag.name) }
                    a class="sha" href={ (repo.page()) "/commit/" (tag.commit.sha) } { (text::short(&tag.commit.sha)) }
                }
            }
            @if tags.items.is_empty() { li class="soft" { "No tags." } }
        }
        (layout::pager(visit, &tags))
    };
    Ok(WebResponse::Page(layout::repository(visit, &repo, ("Tags", Tab::Code), body)))
}
