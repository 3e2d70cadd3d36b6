//! Comparisons of branches, from which pull requests are opened.

use maud::{Markup, html};
use plinth_base::error::Result;

use crate::blob::as_text;
use crate::commits::{files, table};
use crate::layout::{self, Tab};
use crate::model::{Comparison, Repository};
use crate::pulls;
use crate::repository::find;
use crate::response::WebResponse;
use crate::routes::DiffFormat;
use crate::text;
use crate::visit::Visit;

pub async fn show(visit: &Visit, repo: (&str, &str), rest: &str) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    if let Some((rest, format)) = DiffFormat::split(rest) {
        let target = format!("{}/compare/{}", repo.api(), text::path(rest));
        return Ok(as_text(visit.read(&target, format.accept()).await?.body));
    }
    let chosen = visit.query("base").zip(visit.query("head"));
    if let Some((base, head)) = chosen.filter(|(base, head)| !base.is_empty() && !head.is_empty()) {
        let to = format!("{}/compare/{}...{}", repo.page(), text::path(&base), text::path(&head));
        return Ok(WebResponse::Redirect(to));
    }
    let (base, head) = rest.split_once("...").unwrap_or((&repo.default_branch, rest));
    let (base, head) = (base.to_owned(), head.to_owned());
    if head.is_empty() {
        let body = html! { h1 { "Compare branches" } (chooser(&repo, &base, &head)) };
        return Ok(WebResponse::FreshPage(layout::repository(visit, &repo, ("Compare", Tab::Code), body)));
    }
    let target = format!("{}/compare/{}...{}", repo.api(), text::path(&base), text::path(&head));
    let found: Comparison = visit.get(&target).await?;
    let body = html! {
        h1 { "Compare " code { (base) } " … " code { (head) } }
        (chooser(&repo, &base, &head))
        p {
            @match found.status.as_str() {
                "identical" => "Both are the same.",
                _ => { (text::count(found.ahead_by, "commit", "commits")) " ahead, " (found.behind_by) " behind." }
            }
        }
        @if visit.login().is_some() && found.ahead_by > 0 { (pulls::open_form(visit, &repo, (&base, &head), &found)) }
        h2 { (text::count(found.total_commits, "commit", "commits")) }
        (table(&repo, &found.commits))
        h2 { "Files" }
        (files(visit, &found.files))
    };
    Ok(WebResponse::Page(layout::repository(visit, &repo, ("Compare", Tab::Code), body)))
}

fn chooser(repo: &Repository, base: &str, head: &str) -> Markup {
    html! {
        form class="inline" method="get" action={ (repo.page()) "/compare/" } {
            label { "Base " input name="base" value=(base) required; }
            label { "Head " input name="head" value=(head) required; }
            button { "Compare" }
        }
    }
}
