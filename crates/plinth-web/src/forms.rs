//! Forms: what was sent, whether it comes from a page of this service, and what to show if it was rejected.

use std::collections::BTreeMap;

use axum::body::Body;
use http_body_util::{BodyExt, Limited};
use maud::{Markup, html};
use plinth_base::error::{Error, Result};

use crate::layout;
use crate::response::WebResponse;
use crate::session::is_own_form;
use crate::visit::{Rejected, Visit};

/// As large as a JSON body may be.
const BODY_BYTES_MAX: usize = 1 << 20;
const FORM_TOKEN: &str = "form_token";

/// The fields of a form.
#[derive(Debug, Default)]
pub struct Form(BTreeMap<String, String>);

impl Form {
    pub async fn read(body: Body) -> Result<Self> {
        let read = Limited::new(body, BODY_BYTES_MAX).collect().await;
        let bytes = read.map_err(|_| Error::BodyTooLarge(BODY_BYTES_MAX))?.to_bytes();
        Ok(Self(form_urlencoded::parse(&bytes).into_owned().collect()))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// A field that may be absent.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// A text of several lines. Browsers send line ends as on Windows.
    pub fn lines(&self, name: &str) -> String {
        self.text(name).replace("\r\n", "\n")
    }

    pub fn number(&self, name: &str) -> Option<i64> {
        self.get(name)?.trim().parse().ok()
    }

    /// The token that proves that it comes from a page of this service.
    pub fn token(&self) -> Option<&str> {
        self.get(FORM_TOKEN)
    }

    /// Rejects what another site has sent with the visitor's cookie.
    pub fn check_origin(&self, visit: &Visit) -> Result<()> {
        match is_own_form(&visit.headers, visit.session.as_deref(), self.token()) {
            true => Ok(()),
            false => Err(Error::Forbidden(
                "The form is too old, or was not sent by you. Go back and load the page again.".into(),
            )),
        }
    }

    /// The page for a form that was rejected: why, and everything that was typed, to send it again.
    pub fn rejected(&self, visit: &Visit, rejected: &Rejected) -> WebResponse {
        let others = self.0.iter().filter(|(name, _)| *name != FORM_TOKEN);
        let is_text = |name: &str| name == "body" || name == "title";
        let body = html! {
            h1 { "That was not accepted" }
            p class="problem" role="alert" { (rejected.message) }
            form method="post" action=(visit.here()) class="stack" {
                (layout::form_token(visit))
                @for (name, value) in others {
                    @if is_text(name) { (text_field(name, value)) }
                    @else { input type="hidden" name=(name) value=(value); }
                }
                p class="actions" { button class="primary" { "Try again" } " " a href=(visit.here()) { "Back" } }
            }
        };
        WebResponse::Problem(rejected.status, layout::narrow(visit, "Not accepted", body))
    }
}

fn text_field(name: &str, value: &str) -> Markup {
    html! {
        @if name == "body" {
            label for="sent-body" { "Text" }
            textarea id="sent-body" name=(name) rows="10" { (value) }
        } @else {
            label for="sent-title" { "Title" }
            input id="sent-title" name=(name) value=(value);
        }
    }
}
