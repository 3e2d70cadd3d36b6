//! The frame of every page.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use plinth_base::error::Error;

use crate::assets::Asset;
use crate::markup;
use crate::model::{Commit, Repository, User};
use crate::text;
use crate::visit::{Listing, Visit};

/// A whole page.
pub fn page(visit: &Visit, title: &str, body: Markup) -> Markup {
    frame(title, html! { (header(Some(visit))) (body) })
}

/// A page with one column of text, for forms and messages.
pub fn narrow(visit: &Visit, title: &str, body: Markup) -> Markup {
    page(visit, title, html! { main #main class="narrow" { (body) } })
}

fn frame(title: &str, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Plinth" }
                link rel="icon" href="/favicon.svg" type="image/svg+xml";
                link rel="stylesheet" href=(Asset::Style.url());
                script src=(Asset::Script.url()) defer {}
            }
            body {
                a class="skip" href="#main" { "Skip to the content" }
                (body)
            }
        }
    }
}

fn header(visit: Option<&Visit>) -> Markup {
    let login = visit.and_then(Visit::login);
    html! {
        header class="top" {
            a class="brand" href="/" { img src="/favicon.svg" alt="" width="24" height="24"; "Plinth" }
            nav aria-label="Service" {
                @if login.is_some() { a href="/-/notifications" { "Notifications" } }
                a href="/docs" { "API" }
            }
            div class="account" {
                @if let (Some(visit), Some(login)) = (visit, login) {
                    a href={ "/" (text::segment(login)) } { (login) }
                    form method="post" action="/-/sign-out" {
                        (form_token(visit))
                        button class="quiet" { "Sign out" }
                    }
                } @else {
                    a href={ "/-/sign-in" (text::query(&[("to", &visit.map(Visit::here).unwrap_or_default())])) } { "Sign in" }
                }
            }
        }
    }
}

/// The hidden field that every form has.
pub fn form_token(visit: &Visit) -> Markup {
    html! {
        @if let Some(token) = visit.form_token() { input type="hidden" name="form_token" value=(token); }
    }
}

/// The tabs of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    Code,
    Issues,
    Pulls,
    Releases,
}

/// A page of a repository.
pub fn repository(visit: &Visit, repo: &Repository, (title, tab): (&str, Tab), body: Markup) -> Markup {
    let base = repo.page();
    let link = |own: Tab, path: &str, name: &str| {
        html! { a href={ (base) (path) } aria-current=[(own == tab).then_some("page")] { (name) } }
    };
    let title = format!("{title} · {}", repo.full_name);
    let body = html! {
        div class="repo-head" {
            p class="repo-name" {
                a href=(repo.owner.page()) { (repo.owner.login) } " / " a href=(base) { b { (repo.name) } }
                @if repo.private { " " span class="tag" { "Private" } }
                @if repo.archived { " " span class="tag" { "Archived" } }
            }
            nav class="tabs" aria-label="Repository" {
                (link(Tab::Code, "", "Code"))
                (link(Tab::Issues, "/issues", "Issues"))
                (link(Tab::Pulls, "/pulls", "Pull requests"))
                (link(Tab::Releases, "/releases", "Releases"))
            }
        }
        main #main { (body) }
    };
    page(visit, &title, body)
}

/// An account with its picture.
pub fn account(user: &User) -> Markup {
    html! { a class="who" href=(user.page()) { (avatar(user.id, 20)) (user.login) } }
}

/// An account that may have been deleted.
pub fn author(user: Option<&User>) -> Markup {
    match user {
        Some(user) => account(user),
        None => html! { span class="who" { "ghost" } },
    }
}

/// Who made a commit: an account, or only a name.
pub fn byline(commit: &Commit) -> Markup {
    match (&commit.author, &commit.commit.author) {
        (Some(user), _) => account(user),
        (None, Some(person)) => html! { span class="who" { (person.name) } },
        (None, None) => html! {},
    }
}

pub fn avatar(id: i64, size: u32) -> Markup {
    html! { img class="avatar" src={ "/avatars/" (id) } alt="" width=(size) height=(size) loading="lazy"; }
}

/// Sanitized HTML of the API.
pub fn rendered(html_text: Option<&str>) -> Markup {
    html! { div class="prose" { (PreEscaped(markup::for_page(html_text.unwrap_or_default()))) } }
}

/// Links to the pages before and after one.
pub fn pager<T>(visit: &Visit, listing: &Listing<T>) -> Markup {
    let to = |number: u32| {
        let others = form_urlencoded::parse(visit.query.as_bytes()).filter(|(name, _)| name != "page");
        let query = others.chain([("page".into(), number.to_string().into())]);
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        format!("{}?{query}", visit.path)
    };
    html! {
        @if listing.number > 1 || listing.has_more {
            nav class="pager" aria-label="Pages" {
                @if listing.number > 1 { a rel="prev" href=(to(listing.number - 1)) { "← Newer" } } @else { span {} }
                @if listing.has_more { a rel="next" href=(to(listing.number + 1)) { "Older →" } }
            }
        }
    }
}

/// A page about an error. Everything that is not there looks the same, whoever asks.
pub fn error(error: &Error) -> Markup {
    let (title, message) = match error {
        Error::NotFound | Error::Unauthenticated(_) => {
            ("Not found", "There is no page here, or it is not visible to you.".to_owned())
        }
        Error::Internal(_) => {
            ("Something went wrong", "The server could not make this page. Its log says why.".to_owned())
        }
        Error::Unavailable(why) => ("Not available now", format!("Try again in a moment: {why}.")),
        other => ("This did not work", other.to_string()),
    };
    let is_absent = matches!(error, Error::NotFound | Error::Unauthenticated(_));
    frame(
        title,
        html! {
            (header(None))
            main #main class="narrow" {
                h1 { (title) }
                p { (message) }
                @if is_absent { p { "If it is private, " a href="/-/sign-in" { "sign in" } " with a token that may see it." } }
                p { a href="/" { "Home" } }
            }
        },
    )
}
