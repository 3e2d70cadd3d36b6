//! Signing in and out: with a token, or with a code that is approved elsewhere (see [`code`]).

mod code;

use std::sync::Arc;

use maud::{Markup, html};
use plinth_base::error::{Error, Result};
use plinth_core::access::policy::WEB_SIGN_IN;
use plinth_core::access::{
    AccessRequest, CachedAccess, NoTarget, PathParams, Rule, WriteAccess, authorize, check_kind, find_token,
};
use plinth_core::rate_limit::LimitKey;
use plinth_core::tokens::{Principal, Secret};
use plinth_core::web_sessions::operations::{self as sessions, LIFETIME_SECONDS};

use crate::forms::Form;
use crate::layout;
use crate::response::{WebResponse, is_own_path};
use crate::session::{self, is_own_form};
use crate::visit::{Rejected, Visit};

pub use code::{act as act_on_code, show as show_code};

/// The two forms to sign in. Their token belongs to a cookie that is set with them.
pub fn show(visit: &Visit) -> Result<WebResponse> {
    let to = target(visit.query("to").as_deref());
    if visit.session.is_some() {
        return Ok(WebResponse::Redirect(to));
    }
    let (visitor, cookie) = match session::visitor(&visit.headers, visit.transport) {
        Some(visitor) => (visitor, None),
        None => {
            let (visitor, cookie) = session::new_visitor(visit.transport);
            (visitor, Some(cookie))
        }
    };
    let page = layout::narrow(visit, "Sign in", body(&session::form_token(&visitor), &to, None));
    Ok(match cookie {
        Some(cookie) => WebResponse::PageWithCookie(page, cookie),
        None => WebResponse::FreshPage(page),
    })
}

fn body(token: &str, to: &str, problem: Option<&str>) -> Markup {
    html! {
        h1 { "Sign in" }
        p { "Use a token that acts as a user: classic, fine-grained, or of an app. You can do here what the token allows, until it ends." }
        @if let Some(problem) = problem { p class="problem" role="alert" { (problem) } }
        form method="post" action="/-/sign-in" class="stack" {
            (hidden(token, to))
            label for="token" { "Token" }
            input #token name="token" type="password" required autocomplete="current-password" spellcheck="false"
                autocapitalize="off" placeholder="ghp_…" autofocus;
            p class="actions" { button class="primary" { "Sign in" } }
        }
        p class="soft" {
            "An operator creates one with " code { "plinth token create --kind classic --user LOGIN --scopes repo" }
            ". The browser stores an id of the session, never the token."
        }
        (code::start_form(token, to))
    }
}

/// What both forms send along.
fn hidden(token: &str, to: &str) -> Markup {
    html! {
        input type="hidden" name="form_token" value=(token);
        input type="hidden" name="to" value=(to);
    }
}

/// Rejects a form that was not sent from a page for this visitor, whose cookie it returns.
fn check_visitor(visit: &Visit, form: &Form) -> Result<String> {
    let visitor = session::visitor(&visit.headers, visit.transport);
    match visitor.filter(|visitor| is_own_form(&visit.headers, Some(visitor), form.token())) {
        Some(visitor) => Ok(visitor),
        None => Err(Error::Forbidden(
            "The form is too old, or your browser does not store cookies of this site. Load the page again.".into(),
        )),
    }
}

pub async fn with_token(visit: &Visit, form: &Form) -> Result<WebResponse> {
    let visitor = check_visitor(visit, form)?;
    let to = target(form.get("to"));
    match find_user(visit, form.text("token").trim()).await {
        Ok(principal) => {
            let id = sessions::create(&visit.api.app, &write_access(visit, &WEB_SIGN_IN, principal).await?).await?;
            Ok(signed_in(visit, to, &id))
        }
        Err(error @ (Error::Internal(_) | Error::Unavailable(_) | Error::RateLimited(_))) => Err(error),
        Err(_) => {
            let rejected = Rejected::of_sign_in();
            let body = body(&session::form_token(&visitor), &to, Some(&rejected.message));
            Ok(WebResponse::Problem(rejected.status, layout::narrow(visit, "Sign in", body)))
        }
    }
}

fn signed_in(visit: &Visit, to: String, id: &Secret) -> WebResponse {
    let cookies = vec![
        session::cookie_for(id.reveal(), LIFETIME_SECONDS, visit.transport),
        session::cookie_without_code(visit.transport),
    ];
    WebResponse::RedirectWithCookies { to, cookies }
}

/// The user of a token. Attempts that fail count against the rate limit of the address, as they do in the API.
async fn find_user(visit: &Visit, token: &str) -> Result<Arc<Principal>> {
    let app = &visit.api.app;
    let found = find_token(app, token, visit.caller.generations).await;
    let checked = found.and_then(|principal| check_kind(&WEB_SIGN_IN, &principal).map(|()| principal));
    if checked.is_err() {
        app.limiter.count(LimitKey::Address(visit.caller.client), app.clock.now()).await.1?;
    }
    checked
}

pub async fn sign_out(visit: &Visit) -> Result<WebResponse> {
    if let Some(id) = &visit.session {
        let access = write_access(visit, &WEB_SIGN_IN, visit.caller.principal.clone()).await?;
        sessions::delete(&access, id).await?;
    }
    let cookies = vec![session::cookie_without(visit.transport)];
    Ok(WebResponse::RedirectWithCookies { to: "/".into(), cookies })
}

async fn write_access(visit: &Visit, rule: &'static Rule, principal: Arc<Principal>) -> Result<WriteAccess<NoTarget>> {
    let request = AccessRequest {
        operation: "web/sign-in",
        rule,
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
