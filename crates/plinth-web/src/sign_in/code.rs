//! Signing in with a code: this browser shows it, and someone who is signed in elsewhere, or the operator, approves it.

use maud::{Markup, html};
use plinth_base::error::{Error, Result};
use plinth_core::access::policy::SIGN_IN;
use plinth_core::oauth::browsers;
use plinth_core::oauth::model::{LIFETIME_SECONDS, OAuthError};

use super::{check_visitor, hidden, signed_in, target, write_access};
use crate::forms::Form;
use crate::layout;
use crate::response::WebResponse;
use crate::session;
use crate::text;
use crate::visit::Visit;

/// What a browser can ask for, with what it is good for here.
const SCOPES: [(&str, &str); 5] = [
    ("repo", "repositories, pull requests and issues"),
    ("read:org", "organizations and their issue fields"),
    ("read:project", "projects"),
    ("notifications", "notifications"),
    ("workflow", "merges that change workflow files"),
];

/// The form that asks for a code.
pub fn start_form(token: &str, to: &str) -> Markup {
    html! {
        h2 { "Or with a code" }
        p { "This browser shows a code, which you approve where you are signed in already. No token is typed here." }
        form method="post" action="/-/sign-in/code" class="stack" {
            (hidden(token, to))
            fieldset {
                legend { "This browser may use" }
                @for (scope, meaning) in SCOPES {
                    label class="choice" {
                        input type="checkbox" name={ "scope-" (scope) } value="1" checked[scope != "workflow"];
                        " " (meaning) " " code { (scope) }
                    }
                }
            }
            p class="actions" { button name="start" value="1" { "Show a code" } }
        }
    }
}

/// The code of this browser, until it is approved.
pub async fn show(visit: &Visit) -> Result<WebResponse> {
    let to = target(visit.query("to").as_deref());
    if visit.session.is_some() {
        return Ok(WebResponse::Redirect(to));
    }
    let known = session::device_code(&visit.headers, visit.transport);
    let visitor = session::visitor(&visit.headers, visit.transport);
    let (Some(device_code), Some(visitor)) = (known, visitor) else { return Ok(again(&to)) };
    let Some((code, decided)) = browsers::find_code(&visit.api.app, &device_code).await? else {
        return Ok(again(&to));
    };
    let body = match decided {
        Ok(()) => waiting(visit, &visitor, &to, (&code.user_code, true)),
        Err(OAuthError::AuthorizationPending) => waiting(visit, &visitor, &to, (&code.user_code, false)),
        Err(error) => ended(error, &to),
    };
    Ok(WebResponse::FreshPage(layout::narrow(visit, "Sign in with a code", body)))
}

fn again(to: &str) -> WebResponse {
    WebResponse::Redirect(format!("/-/sign-in{}", text::query(&[("to", to)])))
}

/// A script asks every few seconds whether the code is approved, and then sends the form.
fn waiting(visit: &Visit, visitor: &str, to: &str, (user_code, is_approved): (&str, bool)) -> Markup {
    let approval = format!("{}/login/device", visit.caller.urls.web());
    html! {
        h1 { "Sign in with a code" }
        p class="device-code" { code { (user_code) } }
        @if is_approved { p role="status" { "The code is approved." } }
        @else if visit.query("waiting").is_some() { p class="problem" role="alert" { "Nobody has approved this code yet." } }
        ol {
            li { "In a browser that is signed in, open " a href=(approval) { (approval) } " and type the code." }
            li { "Compare what it shows, and approve." }
            li { "Continue here, within " (LIFETIME_SECONDS / 60) " minutes." }
        }
        p class="soft" { "An operator can approve it, too: " code { "plinth device approve " (user_code) " --user LOGIN" } }
        form method="post" action="/-/sign-in/code" data-approval=(if is_approved { "given" } else { "awaited" }) {
            (hidden(&session::form_token(visitor), to))
            p class="actions" {
                button class="primary" name="finish" value="1" { "Continue" } " "
                a href="/-/sign-in" { "Sign in with a token instead" }
            }
        }
    }
}

fn ended(error: OAuthError, to: &str) -> Markup {
    let message = match error {
        OAuthError::AccessDenied => "The code was denied.",
        _ => "The code has expired.",
    };
    html! {
        h1 { "Sign in with a code" }
        p class="problem" role="alert" { (message) }
        p class="actions" { a class="button" href={ "/-/sign-in" (text::query(&[("to", to)])) } { "Start again" } }
    }
}

pub async fn act(visit: &Visit, form: &Form) -> Result<WebResponse> {
    check_visitor(visit, form)?;
    let to = target(form.get("to"));
    let access = write_access(visit, &SIGN_IN, visit.caller.principal.clone()).await?;
    if form.get("start").is_some() {
        let scopes = SCOPES.iter().filter(|(scope, _)| form.get(&format!("scope-{scope}")).is_some());
        let scopes: Vec<&str> = scopes.map(|(scope, _)| *scope).collect();
        let created = browsers::create_code(&visit.api.app, &access, &scopes.join(" ")).await?;
        let codes = created.map_err(|_| Error::internal("these scopes are known"))?;
        let cookies = vec![session::cookie_for_code(&codes.device_code, LIFETIME_SECONDS, visit.transport)];
        let to = format!("/-/sign-in/code{}", text::query(&[("to", &to)]));
        return Ok(WebResponse::RedirectWithCookies { to, cookies });
    }
    let Some(device_code) = session::device_code(&visit.headers, visit.transport) else { return Ok(again(&to)) };
    match browsers::sign_in(&visit.api.app, &access, &device_code).await? {
        Ok(id) => Ok(signed_in(visit, to, &id)),
        // The page says what happened to the code.
        Err(_) => {
            Ok(WebResponse::Redirect(format!("/-/sign-in/code{}", text::query(&[("to", &to), ("waiting", "1")]))))
        }
    }
}
