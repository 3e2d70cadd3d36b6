//! Users and organizations, and signing in as one.

use maud::{Markup, html};
use plinth_base::error::{Error, Result};
use plinth_core::access::policy::WEB_SIGN_IN;
use plinth_core::access::{
    AccessRequest, CachedAccess, NoTarget, PathParams, WriteAccess, authorize, check_kind, find_token,
};
use plinth_core::rate_limit::LimitKey;
use plinth_core::tokens::Principal;
use plinth_core::web_sessions::operations::{self as sessions, LIFETIME_SECONDS};

use std::sync::Arc;

use crate::forms::Form;
use crate::layout;
use crate::model::{Account, Project, Repository, User};
use crate::repository::summary;
use crate::response::{WebResponse, is_own_path};
use crate::session::{self, is_own_form};
use crate::text;
use crate::visit::{Rejected, Visit};

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

/// The form to sign in. Its token belongs to a cookie that is set with it.
pub fn sign_in_form(visit: &Visit) -> Result<WebResponse> {
    if visit.session.is_some() {
        return Ok(WebResponse::Redirect(target(visit.query("to").as_deref())));
    }
    let to = target(visit.query("to").as_deref());
    let known = session::visitor(&visit.headers, visit.transport);
    let (visitor, cookie) = match known {
        Some(visitor) => (visitor, None),
        None => {
            let (visitor, cookie) = session::new_visitor(visit.transport);
            (visitor, Some(cookie))
        }
    };
    let page = layout::narrow(visit, "Sign in", sign_in_body(&session::form_token(&visitor), &to, None));
    Ok(match cookie {
        Some(cookie) => WebResponse::PageWithCookie(page, cookie),
        None => WebResponse::FreshPage(page),
    })
}

fn sign_in_body(token: &str, to: &str, problem: Option<&str>) -> Markup {
    html! {
        h1 { "Sign in" }
        p { "Use a token that acts as a user: classic, fine-grained, or of an app. You can do here what the token allows, until it ends." }
        @if let Some(problem) = problem { p class="problem" role="alert" { (problem) } }
        form method="post" action="/-/sign-in" class="stack" {
            input type="hidden" name="form_token" value=(token);
            input type="hidden" name="to" value=(to);
            label for="token" { "Token" }
            input #token name="token" type="password" required autocomplete="current-password" spellcheck="false"
                autocapitalize="off" placeholder="ghp_…" autofocus;
            p class="actions" { button class="primary" { "Sign in" } }
        }
        p class="soft" {
            "An operator creates one with " code { "plinth token create --kind classic --user LOGIN --scopes repo" }
            ". The browser stores an id of the session, never the token."
        }
    }
}

pub async fn sign_in(visit: &Visit, form: &Form) -> Result<WebResponse> {
    let visitor = session::visitor(&visit.headers, visit.transport);
    if !is_own_form(&visit.headers, visitor.as_deref(), form.token()) {
        let message = "The form is too old, or your browser does not store cookies of this site. Load the page again.";
        return Err(Error::Forbidden(message.into()));
    }
    let to = target(form.get("to"));
    match find_user(visit, form.text("token").trim()).await {
        Ok(principal) => {
            let id = sessions::create(&visit.api.app, &write_access(visit, principal).await?).await?;
            let cookie = session::cookie_for(id.reveal(), LIFETIME_SECONDS, visit.transport);
            Ok(WebResponse::SignedIn { to, cookie })
        }
        Err(error @ (Error::Internal(_) | Error::Unavailable(_) | Error::RateLimited(_))) => Err(error),
        Err(_) => {
            let token = visitor.as_deref().map(session::form_token).unwrap_or_default();
            let rejected = Rejected::of_sign_in();
            let body = sign_in_body(&token, &to, Some(&rejected.message));
            Ok(WebResponse::Problem(rejected.status, layout::narrow(visit, "Sign in", body)))
        }
    }
}

/// The user of a token. Attempts that fail count against the rate limit of the address, as they do in the API.
async fn find_user(visit: &Visit, token: &str) -> Result<Arc<Principal>> {
    let app = &visit.api.app;
    let found = find_token(app, token, visit.caller.generations).await;
    let checked = found.and_then(|principal| check_kind(&WEB_SIGN_IN, &principal).map(|()| principal));
    if checked.is_err() {
        app.limiter.count(LimitKey::Address(visit.caller.client), app.clock.now()).1?;
    }
    checked
}

pub async fn sign_out(visit: &Visit) -> Result<WebResponse> {
    if let Some(id) = &visit.session {
        sessions::delete(&write_access(visit, visit.caller.principal.clone()).await?, id).await?;
    }
    Ok(WebResponse::SignedIn { to: "/".into(), cookie: session::cookie_without(visit.transport) })
}

async fn write_access(visit: &Visit, principal: Arc<Principal>) -> Result<WriteAccess<NoTarget>> {
    let request = AccessRequest {
        operation: "web/sign-in",
        rule: &WEB_SIGN_IN,
        params: PathParams::default(),
        principal,
        generations: visit.caller.generations,
        cached: CachedAccess::None,
    };
    Ok(Arc::new(authorize::<NoTarget>(&visit.api.app, request).await?).for_writing())
}

/// Where to go after signing in.
fn target(to: Option<&str>) -> String {
    to.filter(|to| is_own_path(to)).unwrap_or("/").to_owned()
}
