//! What devices and users send and are told.

use serde::Serialize;

use super::body::Encoding;
use crate::accounts::json::User;
use crate::request::shape::{Fields, FromJson};
use crate::response::api_response::ApiResponse;
use plinth_base::clock::Timestamp;
use plinth_base::urls::Urls;
use plinth_core::accounts::Account;
use plinth_core::apps::AppKind;
use plinth_core::oauth::model::{INTERVAL_SECONDS, LIFETIME_SECONDS, OAuthError, TokenOutcome};
use plinth_core::oauth::{Approval, ApprovalRequest, Decision, rules};
use plinth_core::tokens::Permissions;

const FORM: &str = "application/x-www-form-urlencoded; charset=utf-8";

/// The answer to a device that begins.
pub fn device_code(device_code: &str, user_code: &str, encoding: Encoding, urls: &Urls) -> ApiResponse {
    let pairs: [(&str, Scalar); 5] = [
        ("device_code", Scalar::Text(device_code.to_owned())),
        ("user_code", Scalar::Text(user_code.to_owned())),
        ("verification_uri", Scalar::Text(urls.device_page().to_string())),
        ("expires_in", Scalar::Number(LIFETIME_SECONDS)),
        ("interval", Scalar::Number(INTERVAL_SECONDS)),
    ];
    encode(&pairs, encoding)
}

/// The answer to a device that asks for its token.
pub fn answer(answer: &TokenOutcome, encoding: Encoding, urls: &Urls) -> ApiResponse {
    match answer {
        TokenOutcome::Token { secret, scope } => encode(
            &[
                ("access_token", Scalar::Text(secret.reveal().to_owned())),
                ("token_type", Scalar::Text("bearer".to_owned())),
                ("scope", Scalar::Text(scope.clone())),
            ],
            encoding,
        ),
        TokenOutcome::Rejected(error_response) => refused(*error_response, encoding, urls),
    }
}

/// A error_response is an answer like any other: clients look for its `error` and not for its status.
pub fn refused(error_response: OAuthError, encoding: Encoding, urls: &Urls) -> ApiResponse {
    let mut pairs = vec![
        ("error", Scalar::Text(error_response.code().to_owned())),
        ("error_description", Scalar::Text(error_response.description().to_owned())),
        ("error_uri", Scalar::Text(urls.documentation("oauth/create-access-token").to_string())),
    ];
    if let OAuthError::SlowDown { interval } = error_response {
        pairs.push(("interval", Scalar::Number(interval)));
    }
    encode(&pairs, encoding)
}

/// A value of a form.
#[derive(Serialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Number(i64),
}

fn encode(pairs: &[(&str, Scalar)], encoding: Encoding) -> ApiResponse {
    let reply = match encoding {
        Encoding::Json => ApiResponse::ok(&Object(pairs)),
        Encoding::Form => {
            let mut form = form_urlencoded::Serializer::new(String::new());
            for (key, value) in pairs {
                match value {
                    Scalar::Text(text) => form.append_pair(key, text),
                    Scalar::Number(number) => form.append_pair(key, &number.to_string()),
                };
            }
            ApiResponse::text(FORM, form.finish())
        }
    };
    reply.without_storing()
}

/// Pairs as an object, in their order.
struct Object<'a>(&'a [(&'a str, Scalar)]);

impl Serialize for Object<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// What a device asks for, as its user sees it before approving.
#[derive(Serialize)]
pub struct Preview<'a> {
    user_code: String,
    account: User<'a>,
    app: PreviewApp<'a>,
    permissions: Option<&'a Permissions>,
    scopes: Option<String>,
    missing_scopes: Vec<String>,
    expires_at: Timestamp,
    confirmation: &'a str,
}

#[derive(Serialize)]
struct PreviewApp<'a> {
    slug: &'a str,
    name: &'a str,
    owner: &'a str,
    client_id: &'a str,
    kind: &'static str,
}

impl<'a> Preview<'a> {
    pub fn new(
        typed: &str,
        user: &'a Account,
        request: &'a ApprovalRequest,
        missing_scopes: Vec<String>,
        urls: &'a Urls,
    ) -> Self {
        let app = &request.app;
        let (permissions, scopes) = match app.kind {
            AppKind::GitHubApp => (Some(&app.permissions), None),
            AppKind::OAuth => (None, Some(request.scopes.to_string())),
        };
        Self {
            user_code: rules::user_code(typed),
            account: User::new(user, urls),
            app: PreviewApp {
                slug: &app.slug,
                name: &app.name,
                owner: &request.app_owner,
                client_id: &app.client_id,
                kind: app.kind.as_str(),
            },
            permissions,
            scopes,
            missing_scopes,
            expires_at: request.code.expires_at,
            confirmation: &request.confirmation,
        }
    }
}

impl FromJson for Approval {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let user_code = fields.required("user_code");
        let confirmation = fields.optional("confirmation");
        let decision = match fields.optional::<String>("decision")? {
            None => Decision::Approve,
            Some(word) => {
                fields.choice("decision", &word, &["approve", "deny"])?;
                word.parse().ok()?
            }
        };
        Some(Self { user_code: user_code?, decision, confirmation: confirmation? })
    }
}
