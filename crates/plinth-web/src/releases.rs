//! Releases and their files.

use maud::{Markup, html};
use plinth_base::error::Result;

use crate::layout::{self, Tab};
use crate::model::{Release, Repository};
use crate::repository::find;
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

const SHOWN: u32 = 10;

pub async fn list(visit: &Visit, repo: (&str, &str)) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let releases = visit.list_or_empty::<Release>(&format!("{}/releases?", repo.api()), SHOWN).await?;
    let body = html! {
        h1 { "Releases" }
        @if releases.items.is_empty() { p class="soft" { "There is no release." } }
        @for release in &releases.items { (one(&repo, release)) }
        (layout::pager(visit, &releases))
    };
    Ok(WebResponse::Page(layout::repository(visit, &repo, ("Releases", Tab::Releases), body)))
}

/// A draft has no tag yet, so its page has the id of the release.
pub async fn show(visit: &Visit, repo: (&str, &str), tag: &str) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let target = match tag.strip_prefix("untagged-") {
        Some(id) => format!("{}/releases/{}", repo.api(), text::segment(id)),
        None => format!("{}/releases/tags/{}", repo.api(), text::path(tag)),
    };
    let release: Release = visit.get(&target).await?;
    let title = release.name.clone().unwrap_or_else(|| release.tag_name.clone());
    Ok(WebResponse::Page(layout::repository(visit, &repo, (&title, Tab::Releases), one(&repo, &release))))
}

fn one(repo: &Repository, release: &Release) -> Markup {
    let name = release.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&release.tag_name);
    html! {
        article class="box padded" {
            h2 {
                @if release.draft { (name) } @else { a href={ (repo.page()) "/releases/tag/" (text::path(&release.tag_name)) } { (name) } }
                @if release.draft { " " span class="tag" { "Draft" } }
                @if release.prerelease { " " span class="tag" { "Pre-release" } }
            }
            p class="soft" {
                (layout::author(release.author.as_ref())) " · "
                a href={ (repo.page()) "/tree/" (text::path(&release.tag_name)) } { (release.tag_name) } " · "
                (text::date(release.published_at.as_ref().unwrap_or(&release.created_at)))
            }
            (layout::rendered(release.body_html.as_deref()))
            @if !release.assets.is_empty() {
                h3 { "Files" }
                ul class="files" {
                    @for asset in &release.assets {
                        li {
                            a href={ (repo.page()) "/releases/download/" (text::path(&release.tag_name)) "/" (text::segment(&asset.name)) } { (asset.name) }
                            span class="soft" { (text::size(asset.size)) " · " (text::count(asset.download_count, "download", "downloads")) }
                        }
                    }
                }
            }
        }
    }
}
