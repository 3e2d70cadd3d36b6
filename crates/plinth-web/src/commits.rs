//! Histories and commits.

use maud::{Markup, html};
use plinth_base::error::Result;

use crate::blob::as_text;
use crate::diff;
use crate::layout::{self, Tab};
use crate::model::{ChangedFile, Commit, Repository};
use crate::repository::{find, ref_menu, split_ref};
use crate::response::WebResponse;
use crate::routes::DiffFormat;
use crate::text;
use crate::visit::Visit;

const SHOWN: u32 = 30;
/// Changed lines that are on the page at first.
const OPEN_LINES_MAX: i64 = 2_000;

pub async fn list(visit: &Visit, repo: (&str, &str), rest: &str) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    let (reference, inner) = match rest {
        "" => (repo.default_branch.clone(), String::new()),
        rest => split_ref(visit, &repo, rest).await?,
    };
    let path = visit.query("path").map_or(inner, |path| path.into_owned());
    let target = format!("{}/commits{}", repo.api(), text::query(&[("sha", &reference), ("path", &path)]));
    let commits = visit.list_or_empty::<Commit>(&target, SHOWN).await?;
    let body = html! {
        div class="bar" {
            (ref_menu(visit, &repo, &reference, "commits").await?)
            @if !path.is_empty() { "History of " code { (path) } }
        }
        (table(&repo, &commits.items))
        (layout::pager(visit, &commits))
    };
    Ok(WebResponse::Page(layout::repository(visit, &repo, ("Commits", Tab::Code), body)))
}

/// A list of commits.
pub fn table(repo: &Repository, commits: &[Commit]) -> Markup {
    html! {
        ul class="rows box padded" {
            @for commit in commits {
                li class="commit" {
                    div {
                        a class="subject" href={ (repo.page()) "/commit/" (commit.sha) } { (commit.commit.subject()) }
                        p class="soft" {
                            (layout::byline(commit))
                            @if let Some(person) = &commit.commit.committer { " committed " (text::date(&person.date)) }
                        }
                    }
                    a class="sha" href={ (repo.page()) "/commit/" (commit.sha) } { (text::short(&commit.sha)) }
                }
            }
            @if commits.is_empty() { li class="soft" { "No commits." } }
        }
    }
}

pub async fn show(visit: &Visit, repo: (&str, &str), sha: &str) -> Result<WebResponse> {
    let repo = find(visit, repo).await?;
    if let Some((sha, format)) = DiffFormat::split(sha) {
        let target = format!("{}/commits/{}", repo.api(), text::segment(sha));
        return Ok(as_text(visit.read(&target, format.accept()).await?.body));
    }
    let commit: Commit = visit.get(&format!("{}/commits/{}", repo.api(), text::segment(sha))).await?;
    let details = commit.commit.details();
    let body = html! {
        h1 { (commit.commit.subject()) }
        @if !details.is_empty() { pre class="message" { (details) } }
        p class="soft" {
            (layout::byline(&commit))
            @if let Some(person) = &commit.commit.committer { " committed " (text::date(&person.date)) }
            " · " code { (commit.sha) }
        }
        p {
            @for parent in &commit.parents {
                "Parent " a class="sha" href={ (repo.page()) "/commit/" (parent.sha) } { (text::short(&parent.sha)) } " "
            }
            "· " a href={ (repo.page()) "/tree/" (commit.sha) } { "Browse the files" }
            " · " a href={ (repo.page()) "/commit/" (commit.sha) ".patch" } { "Patch" }
        }
        @if let Some(stats) = &commit.stats {
            p { (text::count(i64::try_from(commit.files.len()).unwrap_or(i64::MAX), "file", "files")) " "
                (diff::change_counts(stats.additions, stats.deletions)) }
        }
        (files(visit, &commit.files))
    };
    Ok(WebResponse::Page(layout::repository(visit, &repo, (commit.commit.subject(), Tab::Code), body)))
}

/// Changed files. The first ones are on the page, and each of the others at a URL of its own.
pub fn files(visit: &Visit, files: &[ChangedFile]) -> Markup {
    let only = visit.query("only");
    let mut lines = 0;
    html! {
        @if only.is_some() { p { a href=(visit.path) { "All files" } } }
        @for file in files.iter().filter(|file| only.as_deref().is_none_or(|only| only == file.filename)) {
            @let is_open = { lines += file.additions + file.deletions; only.is_some() || lines <= OPEN_LINES_MAX };
            @let alone = format!("{}{}", visit.path, text::query(&[("only", &file.filename)]));
            (diff::file(file, (!is_open).then_some(alone.as_str())))
        }
        @if files.is_empty() { p class="soft" { "No file has changed." } }
    }
}
