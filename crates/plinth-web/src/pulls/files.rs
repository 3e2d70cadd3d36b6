//! The changed files of a pull request, with threads below their lines.

use std::collections::HashMap;

use maud::{Markup, html};
use plinth_base::error::Result;

use super::threads::{self, ThreadView, Threads};
use super::{Found, Part, find_pull, frame};
use crate::diff::{self, Kind};
use crate::layout;
use crate::model::{ChangedFile, FileStatus, Side};
use crate::response::WebResponse;
use crate::text;
use crate::visit::{Listing, Visit};

const FILES_SHOWN: u32 = 100;
/// Changed lines that are on the page at first. Other files are loaded when they are opened.
const OPEN_LINES_MAX: i64 = 1_000;

/// The threads of one file.
#[derive(Default)]
struct FileThreads<'a> {
    at_line: HashMap<(Side, i64), Vec<&'a ThreadView>>,
    /// About the whole file, or about lines that are gone.
    others: Vec<&'a ThreadView>,
}

pub async fn show(visit: &Visit, repo: (&str, &str), number: i64) -> Result<WebResponse> {
    let found = find_pull(visit, repo, number).await?;
    let files = visit.list::<ChangedFile>(&format!("{}/files?", found.api()), FILES_SHOWN).await?;
    let threads = Threads::load(visit, &found).await?;
    let by_file = by_file(&threads);
    let only = visit.query("only");
    let commented = visit.query("comment");
    let mut lines = 0;
    let body = html! {
        @if only.is_some() { p { a href=(visit.path) { "All files" } } }
        @else if files.items.len() > 1 { (index(&files)) }
        @for (position, file) in files.items.iter().enumerate() {
            @let is_asked = only.as_deref() == Some(&file.filename) || commented.as_deref() == Some(&file.filename);
            @let is_open = is_asked || (only.is_none() && { lines += file.additions + file.deletions; lines <= OPEN_LINES_MAX });
            @if only.is_none() || is_asked {
                (file_view(visit, &found, (file, position), is_open, by_file.get(file.filename.as_str())))
            }
        }
        (layout::pager(visit, &files))
        @if visit.login().is_some() {
            (review_form(visit, &found, &threads))
            template #line-form { (line_form(visit, &found, "", None)) }
        }
    };
    Ok(WebResponse::Page(frame(visit, &found, Part::Files, body)))
}

fn by_file(threads: &Threads) -> HashMap<&str, FileThreads<'_>> {
    let mut by_file: HashMap<&str, FileThreads<'_>> = HashMap::new();
    for thread in &threads.all {
        let file = by_file.entry(&thread.first().path).or_default();
        match thread.line() {
            Some(position) => file.at_line.entry(position).or_default().push(thread),
            None => file.others.push(thread),
        }
    }
    by_file
}

fn index(files: &Listing<ChangedFile>) -> Markup {
    html! {
        details class="menu" {
            summary { "Jump to a file" }
            div { ul {
                @for (position, file) in files.items.iter().enumerate() {
                    li { a href={ "#file-" (position) } { (file.filename) } }
                }
            } }
        }
    }
}

fn file_view(
    visit: &Visit,
    found: &Found,
    (file, position): (&ChangedFile, usize),
    is_open: bool,
    threads: Option<&FileThreads<'_>>,
) -> Markup {
    let page = visit.page_number().to_string();
    let alone = format!("{}{}", visit.path, text::query(&[("page", &page), ("only", &file.filename)]));
    let form =
        format!("{}{}#line-form-{position}", visit.path, text::query(&[("page", &page), ("comment", &file.filename)]));
    let whole = format!("{}/blob/{}/{}", found.repo.page(), found.pull.head.sha, text::path(&file.filename));
    let is_commented = visit.query("comment").as_deref() == Some(&file.filename);
    html! {
        details class="file box" id={ "file-" (position) } open[is_open] data-path=(file.filename)
            data-load=[(!is_open).then_some(&alone)] data-raw=[diff::content_url(file)] {
            summary { (diff::file_title(file)) }
            @if is_open {
                (content(visit, found, file, threads))
                @if is_commented && visit.login().is_some() {
                    div id={ "line-form-" (position) } { (line_form(visit, found, &file.filename, Some(file))) }
                } @else {
                    p class="actions padded" {
                        @if visit.login().is_some() { a href=(form) { "Comment on a line" } }
                        @if file.status != FileStatus::Removed { a href=(whole) { "View the whole file" } }
                    }
                }
            } @else { p class="padded" { a href=(alone) { "Show this file" } } }
        }
    }
}

fn content(visit: &Visit, found: &Found, file: &ChangedFile, threads: Option<&FileThreads<'_>>) -> Markup {
    let lines = file.patch.as_deref().map(diff::parse).unwrap_or_default();
    let none = FileThreads::default();
    let threads = threads.unwrap_or(&none);
    let at = |line: &diff::Line<'_>| {
        let positions = [line.old.map(|number| (Side::Left, number)), line.new.map(|number| (Side::Right, number))];
        let found = positions.into_iter().flatten().filter_map(|position| threads.at_line.get(&position));
        found.flatten().copied().collect::<Vec<_>>()
    };
    let is_shown = |(side, number): (Side, i64)| lines.iter().any(|line| line.is_at(side, number));
    let elsewhere =
        threads.at_line.iter().filter(|(position, _)| !is_shown(**position)).flat_map(|(_, threads)| threads);
    let others: Vec<_> = threads.others.iter().chain(elsewhere).copied().collect();
    html! {
        @if lines.is_empty() { p class="padded soft" { "Binary, or too large to show here." } }
        @else {
            table class="diff" {
                tbody {
                    @for line in &lines {
                        (diff::row(line))
                        @let own = if line.kind == Kind::Hunk { Vec::new() } else { at(line) };
                        @if !own.is_empty() {
                            tr class="t" { td colspan="3" { @for thread in own { (threads::show(visit, found, thread)) } } }
                        }
                    }
                }
            }
        }
        @for thread in others { (threads::with_hunk(visit, found, thread)) }
    }
}

/// The form for a comment on a line or a range. A script moves it to the line that was clicked.
fn line_form(visit: &Visit, found: &Found, path: &str, file: Option<&ChangedFile>) -> Markup {
    let last = file
        .and_then(|file| file.patch.as_deref())
        .and_then(|patch| diff::parse(patch).iter().rev().find_map(|line| line.new));
    html! {
        form method="post" action=(visit.path) class="stack padded line-form" {
            (layout::form_token(visit))
            input type="hidden" name="path" value=(path);
            input type="hidden" name="commit_id" value=(found.pull.head.sha);
            p class="inline" {
                label { "Side " select name="side" { option value="RIGHT" { "new" } option value="LEFT" { "old" } } }
                label { "From line " input name="start_line" type="number" min="1" placeholder="same"; }
                label { "To line " input name="line" type="number" min="1" required value=[last]; }
            }
            label { "Comment" textarea name="body" rows="5" required placeholder="Markdown. A ```suggestion block replaces the lines." {} }
            p class="actions" {
                button class="primary" name="line_comment" value="review" { "Add to review" }
                button name="line_comment" value="single" { "Comment now" }
                a href=(visit.path) data-close { "Cancel" }
            }
        }
    }
}

fn review_form(visit: &Visit, found: &Found, threads: &Threads) -> Markup {
    let pending = threads.pending_review();
    let count = threads.all.iter().filter(|thread| thread.is_pending).count();
    let is_own = visit.login().is_some_and(|login| found.pull.user.as_ref().is_some_and(|user| user.login == login));
    let choice = |value: &str, name: &str| {
        html! { label { input type="radio" name="event" value=(value) checked[value == "COMMENT"]; " " (name) } }
    };
    html! {
        form #review method="post" action=(visit.path) class="stack box padded" {
            (layout::form_token(visit))
            h2 { "Review" }
            @if let Some(review) = pending {
                p { (text::count(i64::try_from(count).unwrap_or(i64::MAX), "comment waits", "comments wait")) " for your review." }
                input type="hidden" name="review" value=(review.id);
            }
            label for="review-body" { "Summary" }
            textarea #review-body name="body" rows="4" {}
            p class="inline" {
                (choice("COMMENT", "Comment"))
                @if !is_own { (choice("APPROVE", "Approve")) (choice("REQUEST_CHANGES", "Request changes")) }
            }
            p class="actions" {
                button class="primary" name="submit_review" value="1" { "Submit review" }
                @if let Some(review) = pending { button class="danger" form="act" name="discard_review" value=(review.id) { "Discard" } }
            }
        }
    }
}
