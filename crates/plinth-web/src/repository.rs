//! A repository: its files, its README, and the menu of its branches and tags.

use maud::{Markup, PreEscaped, html};
use plinth_base::error::{Error, Result};

use crate::layout::{self, Tab};
use crate::markup;
use crate::model::{Branch, Commit, Content, Entry, Repository, Tag};
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

const HTML: &str = "application/vnd.github.html";
/// Branches and tags in the menu; the page of all of them has the others.
const MENU_ENTRIES: u32 = 50;
/// Slashes in the name of a branch that a path is searched for.
const REF_PARTS_MAX: usize = 8;
const SHA_DIGITS: usize = 40;

/// A repository in a list.
pub fn summary(repo: &Repository) -> Markup {
    html! {
        li {
            a href=(repo.page()) { (repo.full_name) }
            @if repo.private { " " span class="tag" { "Private" } }
            @if repo.archived { " " span class="tag" { "Archived" } }
            @if let Some(about) = repo.description.as_deref().filter(|about| !about.is_empty()) { p { (about) } }
            p class="soft" {
                @if let Some(language) = &repo.language { (language) " · " }
                @if let Some(pushed) = &repo.pushed_at { "pushed " (text::date(pushed)) } @else { "empty" }
            }
        }
    }
}

/// The repository that a page is in.
pub async fn find(visit: &Visit, (owner, name): (&str, &str)) -> Result<Repository> {
    visit.get(&format!("/repos/{}/{}", text::segment(owner), text::segment(name))).await
}

/// A ref and a path below it, from a text in which nothing separates them.
pub async fn split_ref(visit: &Visit, repo: &Repository, rest: &str) -> Result<(String, String)> {
    let parts: Vec<&str> = rest.split('/').collect();
    let at = |count: usize| (parts[..count].join("/"), parts[count..].join("/"));
    let is_sha = parts[0].len() == SHA_DIGITS && parts[0].bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_sha || parts[0] == repo.default_branch {
        return Ok(at(1));
    }
    for count in 1..=parts.len().min(REF_PARTS_MAX) {
        let (name, path) = at(count);
        for kind in ["heads", "tags"] {
            let target = format!("{}/git/ref/{kind}/{}", repo.api(), text::path(&name));
            if visit.get_optional::<serde::de::IgnoredAny>(&target).await?.is_some() {
                return Ok((name, path));
            }
        }
    }
    Ok(at(1))
}

pub async fn show(visit: &Visit, repo: (&str, &str)) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let reference = repo.default_branch.clone();
    directory(visit, &repo, &reference, "").await
}

pub async fn show_tree(visit: &Visit, repo: (&str, &str), rest: &str) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let (reference, path) = split_ref(visit, &repo, rest).await?;
    directory(visit, &repo, &reference, &path).await
}

async fn directory(visit: &Visit, repo: &Repository, reference: &str, path: &str) -> Result<WebResponse> {
    let query = text::query(&[("ref", reference)]);
    let target = format!("{}/contents/{}{query}", repo.api(), text::path(path));
    let Some(content) = visit.get_optional::<Content>(&target).await? else {
        let is_empty = path.is_empty() && reference == repo.default_branch;
        return if is_empty { Ok(WebResponse::FreshPage(empty(visit, repo))) } else { Err(Error::NotFound) };
    };
    let Content::Directory(entries) = content else {
        return Ok(WebResponse::Redirect(format!(
            "{}/blob/{}/{}",
            repo.page(),
            text::path(reference),
            text::path(path)
        )));
    };
    let latest =
        format!("{}/commits{}", repo.api(), text::query(&[("sha", reference), ("path", path), ("per_page", "1")]));
    let latest = visit.get_optional::<Vec<Commit>>(&latest).await?.and_then(|commits| commits.into_iter().next());
    let readme = readme(visit, repo, reference, path).await?;
    let menu = ref_menu(visit, repo, reference, "tree").await?;
    let body = html! {
        @if path.is_empty() {
            @if let Some(about) = repo.description.as_deref().filter(|about| !about.is_empty()) { p class="lead" { (about) } }
            @if !repo.topics.is_empty() { p { @for topic in &repo.topics { span class="tag" { (topic) } " " } } }
        }
        div class="bar" {
            (menu)
            (breadcrumbs(repo, reference, path))
            span class="spring" {}
            a href={ (repo.page()) "/branches" } { "Branches" }
            a href={ (repo.page()) "/tags" } { "Tags" }
        }
        div class="box" {
            @if let Some(commit) = &latest { (latest_commit(repo, reference, commit)) }
            (listing(repo, reference, path, entries))
        }
        @if path.is_empty() { (clone(repo)) }
        @if let Some(readme) = readme { section class="box padded" aria-label="README" { (readme) } }
    };
    let title = if path.is_empty() { "Code" } else { path };
    Ok(WebResponse::Page(layout::repository(visit, repo, (title, Tab::Code), body)))
}

/// The README of a directory, with links that lead into the repository.
async fn readme(visit: &Visit, repo: &Repository, reference: &str, path: &str) -> Result<Option<Markup>> {
    let below = if path.is_empty() { String::new() } else { format!("/{}", text::path(path)) };
    let target = format!("{}/readme{below}{}", repo.api(), text::query(&[("ref", reference)]));
    let response = match visit.read(&target, HTML).await {
        Ok(response) => response,
        Err(Error::NotFound | Error::Unprocessable(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let html_text = String::from_utf8_lossy(&response.body);
    let base = markup::LinkBase { repo: repo.page(), reference: text::path(reference), directory: text::path(path) };
    Ok(Some(
        html! { div class="prose" { (PreEscaped(markup::for_page(&markup::with_links_into(&html_text, &base)))) } },
    ))
}

fn latest_commit(repo: &Repository, reference: &str, commit: &Commit) -> Markup {
    html! {
        div class="box-head" {
            (layout::byline(commit)) " "
            a class="subject" href={ (repo.page()) "/commit/" (commit.sha) } { (commit.commit.subject()) }
            span class="spring" {}
            @if let Some(person) = &commit.commit.committer { (text::date(&person.date)) " " }
            a href={ (repo.page()) "/commits/" (text::path(reference)) } { "History" }
        }
    }
}

fn listing(repo: &Repository, reference: &str, path: &str, mut entries: Vec<Entry>) -> Markup {
    entries.sort_by(|a, b| (a.kind != "dir", &a.name).cmp(&(b.kind != "dir", &b.name)));
    let to = |word: &str, path: &str| format!("{}/{word}/{}/{}", repo.page(), text::path(reference), text::path(path));
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    html! {
        ul class="files" {
            @if !path.is_empty() { li class="dir" { a href=(to("tree", parent).trim_end_matches('/')) { ".." } } }
            @for entry in &entries {
                @match (entry.kind.as_str(), &entry.git_url) {
                    ("dir", _) => li class="dir" { a href=(to("tree", &entry.path)) { (entry.name) "/" } },
                    (_, None) => li class="link" { (entry.name) span class="soft" { "submodule" } },
                    _ => li { a href=(to("blob", &entry.path)) { (entry.name) } span class="soft" { (text::size(entry.size)) } },
                }
            }
        }
    }
}

/// The path of a file or directory, each part with its link.
pub fn breadcrumbs(repo: &Repository, reference: &str, path: &str) -> Markup {
    let root = format!("{}/tree/{}", repo.page(), text::path(reference));
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    html! {
        nav class="crumbs" aria-label="Path" {
            a href=(root) { (repo.name) }
            @for (index, part) in parts.iter().enumerate() {
                " / "
                @if index + 1 == parts.len() { b { (part) } }
                @else { a href={ (root) "/" (text::path(&parts[..=index].join("/"))) } { (part) } }
            }
        }
    }
}

/// The menu of branches and tags; `word` is the page that it leads to.
pub async fn ref_menu(visit: &Visit, repo: &Repository, current: &str, word: &str) -> Result<Markup> {
    let branches: Vec<Branch> =
        visit.get_optional(&format!("{}/branches?per_page={MENU_ENTRIES}", repo.api())).await?.unwrap_or_default();
    let tags: Vec<Tag> =
        visit.get_optional(&format!("{}/tags?per_page={MENU_ENTRIES}", repo.api())).await?.unwrap_or_default();
    let entry = |name: &str| {
        html! {
            li {
                a href={ (repo.page()) "/" (word) "/" (text::path(name)) } aria-current=[(name == current).then_some("true")] {
                    (name) @if name == repo.default_branch { " " span class="tag" { "default" } }
                }
            }
        }
    };
    let shown = if current.len() == SHA_DIGITS { text::short(current) } else { current };
    Ok(html! {
        details class="menu" {
            summary { "Branch: " b { (shown) } }
            div {
                h2 { "Branches" }
                ul { @for branch in &branches { (entry(&branch.name)) } }
                p { a href={ (repo.page()) "/branches" } { "All branches" } }
                @if !tags.is_empty() {
                    h2 { "Tags" }
                    ul { @for tag in &tags { (entry(&tag.name)) } }
                    p { a href={ (repo.page()) "/tags" } { "All tags" } }
                }
            }
        }
    })
}

fn clone(repo: &Repository) -> Markup {
    html! { p class="clone" { label for="clone" { "Clone" } input #clone readonly value=(repo.clone_url); } }
}

fn empty(visit: &Visit, repo: &Repository) -> Markup {
    let body = html! {
        h1 { "Nothing here yet" }
        p { "This repository has no commit. Push the first one:" }
        pre class="box padded" {
            "git remote add origin " (repo.clone_url) "\n"
            "git push -u origin " (repo.default_branch)
        }
    };
    layout::repository(visit, repo, ("Code", Tab::Code), body)
}
