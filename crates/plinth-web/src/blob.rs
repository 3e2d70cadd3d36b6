//! A file: its highlighted lines, or the file itself.

use axum::body::Bytes;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, PreEscaped, html};
use plinth_base::error::{Error, Result};

use crate::highlight;
use crate::layout::{self, Tab};
use crate::markup;
use crate::model::{Content, Repository};
use crate::repository::{breadcrumbs, find, ref_menu, split_ref};
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

const RAW: &str = "application/vnd.github.raw";
const HTML: &str = "application/vnd.github.html";
const TEXT: &str = "text/plain; charset=utf-8";
const OTHER: &str = "application/octet-stream";
/// Files may change with their branch.
const ASK_AGAIN: &str = "private, no-cache";
/// Types that browsers may show: pictures that cannot contain scripts.
const PICTURES: [(&str, &str); 5] =
    [("png", "image/png"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg"), ("gif", "image/gif"), ("webp", "image/webp")];
const MARKDOWN: [&str; 4] = ["md", "markdown", "mdown", "mkdn"];
const LINES_MAX: usize = 20_000;

pub async fn show(visit: &Visit, repo: (&str, &str), rest: &str) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let (reference, path) = split_ref(visit, &repo, rest).await?;
    let target = format!("{}/contents/{}{}", repo.api(), text::path(&path), text::query(&[("ref", &reference)]));
    let file = match visit.get::<Content>(&target).await? {
        Content::File(file) => file,
        Content::Directory(_) => {
            return Ok(WebResponse::Redirect(format!(
                "{}/tree/{}/{}",
                repo.page(),
                text::path(&reference),
                text::path(&path)
            )));
        }
    };
    let bytes = STANDARD.decode(file.content.replace('\n', "")).unwrap_or_default();
    let raw = format!("{}/raw/{}/{}", repo.page(), text::path(&reference), text::path(&path));
    let shows_source = visit.query("plain").is_some();
    let is_markdown = MARKDOWN.contains(&extension(&path));
    let content = match (file.kind.as_str(), &file.target, &file.submodule_git_url, String::from_utf8(bytes)) {
        (_, Some(target), ..) => html! { p class="padded" { "A link to " code { (target) } } },
        ("submodule", _, url, _) => {
            html! { p class="padded" { "Another repository: " code { (url.as_deref().unwrap_or("unknown")) } } }
        }
        _ if picture(&path).is_some() => html! { p class="padded" { img class="picture" src=(raw) alt=(path); } },
        (_, _, _, Ok(_)) if file.size > 0 && file.content.is_empty() => too_large(&raw, file.size),
        (_, _, _, Ok(_)) if is_markdown && !shows_source => {
            rendered(visit, &repo, (&reference, &path), &target).await?
        }
        (_, _, _, Ok(source)) => lines(&path, source).await,
        (_, _, _, Err(_)) => html! { p class="padded" { "Not a text. " a href=(raw) { "Download it" } "." } },
    };
    let body = html! {
        div class="bar" { (ref_menu(visit, &repo, &reference, "tree").await?) (breadcrumbs(&repo, &reference, &path)) }
        div class="box" {
            div class="box-head" {
                span class="soft" { (text::size(file.size)) }
                span class="spring" {}
                @if is_markdown {
                    @if shows_source { a href=(visit.path) { "Rendered" } } @else { a href={ (visit.path) "?plain=1" } { "Source" } }
                }
                a href=(raw) { "Raw" }
                a href={ (repo.page()) "/commits/" (text::path(&reference)) (text::query(&[("path", &path)])) } { "History" }
            }
            (content)
        }
    };
    Ok(WebResponse::Page(layout::repository(visit, &repo, (&path, Tab::Code), body)))
}

async fn lines(path: &str, source: String) -> Markup {
    let mut lines = highlight::lines(path, source).await;
    let is_cut = lines.len() > LINES_MAX;
    lines.truncate(LINES_MAX);
    html! {
        table class="code" {
            tbody {
                @for (index, line) in lines.iter().enumerate() {
                    @let number = index + 1;
                    tr id={ "L" (number) } { td { a href={ "#L" (number) } { (number) } } td { (PreEscaped(line)) } }
                }
            }
        }
        @if is_cut { p class="padded soft" { "The rest is not shown here." } }
    }
}

async fn rendered(visit: &Visit, repo: &Repository, (reference, path): (&str, &str), target: &str) -> Result<Markup> {
    let response = visit.read(target, HTML).await?;
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let base =
        markup::LinkBase { repo: repo.page(), reference: text::path(reference), directory: text::path(directory) };
    let html_text = markup::for_page(&markup::with_links_into(&String::from_utf8_lossy(&response.body), &base));
    Ok(html! { div class="prose padded" { (PreEscaped(html_text)) } })
}

fn too_large(raw: &str, size: u64) -> Markup {
    html! { p class="padded" { "This file has " (text::size(size)) ", too much to show here. " a href=(raw) { "Open it" } "." } }
}

/// The file itself, as a type that cannot run in a browser.
pub async fn raw(visit: &Visit, repo: (&str, &str), rest: &str) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let (reference, path) = split_ref(visit, &repo, rest).await?;
    let target = format!("{}/contents/{}{}", repo.api(), text::path(&path), text::query(&[("ref", &reference)]));
    let response = visit.read(&target, RAW).await?;
    let is_file =
        response.headers.get("content-type").is_some_and(|kind| !kind.as_bytes().starts_with(b"application/json"));
    if !is_file {
        return Err(Error::NotFound);
    }
    let is_text = std::str::from_utf8(&response.body).is_ok();
    let content_type = picture(&path).unwrap_or(if is_text { TEXT } else { OTHER });
    Ok(as_file(content_type, response.body))
}

/// A text as a file.
pub fn as_text(body: Bytes) -> WebResponse {
    as_file(TEXT, body)
}

fn as_file(content_type: &'static str, body: Bytes) -> WebResponse {
    WebResponse::File { content_type, body, caching: ASK_AGAIN }
}

fn picture(path: &str) -> Option<&'static str> {
    let extension = extension(path);
    PICTURES.iter().find(|(own, _)| extension.eq_ignore_ascii_case(own)).map(|(_, kind)| *kind)
}

fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}
