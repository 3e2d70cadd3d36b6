//! Approving a device: the user types its code, sees what it asks for, and decides.

use http::Method;
use maud::{Markup, html};
use plinth_base::error::{Error, Result};
use serde_json::json;

use crate::forms::Form;
use crate::layout;
use crate::model::DeviceRequest;
use crate::response::WebResponse;
use crate::text;
use crate::visit::Visit;

pub async fn show(visit: &Visit) -> Result<WebResponse> {
    if visit.login().is_none() {
        return Ok(WebResponse::Redirect(format!("/-/sign-in{}", text::query(&[("to", &visit.here())]))));
    }
    let Some(code) = visit.query("user_code").filter(|code| !code.is_empty()) else {
        return Ok(WebResponse::FreshPage(layout::narrow(visit, "Approve a device", code_form(None))));
    };
    let target = format!("/login/device/approve{}", text::query(&[("user_code", &code)]));
    let body = match visit.get::<DeviceRequest>(&target).await {
        Ok(request) => request_view(visit, &request),
        Err(Error::NotFound) => code_form(Some(
            "No device waits with this code, or your token may not approve one: that takes a classic token.",
        )),
        Err(error) => return Err(error),
    };
    Ok(WebResponse::FreshPage(layout::narrow(visit, "Approve a device", body)))
}

fn code_form(problem: Option<&str>) -> Markup {
    html! {
        h1 { "Approve a device" }
        p { "Type the code that the device shows." }
        @if let Some(problem) = problem { p class="problem" role="alert" { (problem) } }
        form method="get" action="/login/device" class="stack" {
            label for="user_code" { "Code" }
            input #user_code name="user_code" required autofocus autocomplete="off" autocapitalize="characters" placeholder="BCDF-GHJK";
            p class="actions" { button class="primary" { "Continue" } }
        }
    }
}

fn request_view(visit: &Visit, request: &DeviceRequest) -> Markup {
    html! {
        h1 { @if let Some(app) = &request.app { (app.name) " wants access" } @else { "A browser wants to sign in" } }
        p {
            @if let Some(app) = &request.app {
                "A device with the code " code { (request.user_code) } " asks to act as " (layout::account(&request.account)) " through the app "
                a href={ "/apps/" (text::segment(&app.slug)) } { (app.name) } " of " (app.owner) "."
            } @else {
                "A browser with the code " code { (request.user_code) } " asks to use this server as " (layout::account(&request.account)) "."
            }
            " Approve it only if you have started this yourself. The code expires " (text::date(&request.expires_at)) "."
        }
        @if let Some(permissions) = &request.permissions {
            h2 { "Permissions" }
            ul { @for (name, level) in permissions { li { code { (name) } ": " (level) } } }
        }
        @if let Some(scopes) = &request.scopes { h2 { "Scopes" } p { code { (scopes) } } }
        @if !request.missing_scopes.is_empty() {
            p class="problem" { "Your token lacks " (request.missing_scopes.join(", ")) ", so it cannot approve this." }
        }
        form method="post" action="/login/device" class="actions" {
            (layout::form_token(visit))
            input type="hidden" name="user_code" value=(request.user_code);
            input type="hidden" name="confirmation" value=(request.confirmation);
            button class="primary" name="decision" value="approve" { "Approve" } " "
            button class="danger" name="decision" value="deny" { "Deny" }
        }
    }
}

pub async fn decide(visit: &Visit, form: &Form) -> Result<WebResponse> {
    let is_approved = form.get("decision") == Some("approve");
    let mut body =
        json!({ "user_code": form.text("user_code"), "decision": if is_approved { "approve" } else { "deny" } });
    if let Some(confirmation) = form.get("confirmation") {
        body["confirmation"] = confirmation.into();
    }
    match visit.send(Method::POST, "/login/device/approve", body).await? {
        Ok(_) => {
            let message =
                if is_approved { "The device is approved. You can return to it." } else { "The device was denied." };
            let body = html! { h1 { "Done" } p { (message) } p { a href="/" { "Home" } } };
            Ok(WebResponse::FreshPage(layout::narrow(visit, "Done", body)))
        }
        Err(rejected) => Ok(form.rejected(visit, &rejected)),
    }
}
