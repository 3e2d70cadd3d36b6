//! Responses of the device flow.

use schemars::JsonSchema;
use serde::Serialize;

use super::body::Encoding;
use crate::accounts::json::User;
use crate::installations::json::PermissionsSchema;
use crate::response::api_response::ApiResponse;
use crate::wire::{Word, words};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::urls::{Url, Urls};
use plinth_core::accounts::Account;
use plinth_core::apps::AppKind;
use plinth_core::oauth::model::{self, TokenOutcome};
use plinth_core::oauth::model::{INTERVAL_SECONDS, LIFETIME_SECONDS};
use plinth_core::oauth::{ApprovalRequest, RequestingApp, rules};
use plinth_core::tokens::Permissions;

words! { AppKind: GitHubApp, OAuth }

const FORM: &str = "application/x-www-form-urlencoded; charset=utf-8";

/// The response to a device that asks for a code.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum DeviceCodeResponse<'a> {
    Codes(DeviceCodes<'a>),
    Error(OAuthError<'a>),
}

/// The response to a device that asks for its token.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum TokenResponse<'a> {
    Token(Token<'a>),
    Error(Box<OAuthError<'a>>),
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct DeviceCodes<'a> {
    /// For the device.
    device_code: &'a str,
    /// For the user.
    user_code: &'a str,
    /// The page on which the user enters the code.
    verification_uri: Url<'a>,
    /// Seconds.
    expires_in: i64,
    /// Seconds to wait between two requests for the token.
    interval: i64,
}

impl<'a> DeviceCodes<'a> {
    pub fn new(device_code: &'a str, user_code: &'a str, urls: &'a Urls) -> Self {
        Self {
            device_code,
            user_code,
            verification_uri: urls.device_page(),
            expires_in: LIFETIME_SECONDS,
            interval: INTERVAL_SECONDS,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Token<'a> {
    access_token: &'a str,
    token_type: TokenType,
    /// Separated by commas.
    scope: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum TokenType {
    Bearer,
}

/// Has the status 200, too: clients look for `error`, not for the status.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct OAuthError<'a> {
    error: &'static str,
    error_description: &'static str,
    error_uri: Url<'a>,
    /// The new interval, with `slow_down`.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<i64>,
}

impl<'a> OAuthError<'a> {
    pub fn new(error: model::OAuthError, urls: &'a Urls) -> Self {
        Self {
            error: error.code(),
            error_description: error.description(),
            error_uri: urls.documentation("oauth/create-access-token"),
            interval: match error {
                model::OAuthError::SlowDown { interval } => Some(interval),
                _ => None,
            },
        }
    }
}

impl<'a> TokenResponse<'a> {
    pub fn new(outcome: &'a TokenOutcome, urls: &'a Urls) -> Self {
        match outcome {
            TokenOutcome::Token { secret, scope } => {
                Self::Token(Token { access_token: secret.reveal(), token_type: TokenType::Bearer, scope })
            }
            TokenOutcome::Rejected(error) => Self::Error(Box::new(OAuthError::new(*error, urls))),
        }
    }
}

pub fn encode(response: &impl Serialize, encoding: Encoding) -> Result<ApiResponse> {
    let response = match encoding {
        Encoding::Json => ApiResponse::ok(response),
        Encoding::Form => ApiResponse::text(
            FORM,
            serde_urlencoded::to_string(response).map_err(|error| Error::internal(error.to_string()))?,
        ),
    };
    Ok(response.without_storing())
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Preview<'a> {
    user_code: String,
    /// The account that the device would act as.
    account: User<'a>,
    /// `null` for a browser that signs in to the pages of the service.
    app: Option<PreviewApp<'a>>,
    /// Of a GitHub App.
    #[schemars(with = "Option<PermissionsSchema>")]
    permissions: Option<&'a Permissions>,
    /// Of an OAuth app or a browser, separated by commas.
    scopes: Option<String>,
    /// Scopes that the caller's token lacks to approve this.
    missing_scopes: Vec<String>,
    expires_at: Timestamp,
    /// To be sent with the approval.
    confirmation: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct PreviewApp<'a> {
    slug: &'a str,
    name: &'a str,
    /// The login of the app's owner.
    owner: &'a str,
    client_id: &'a str,
    kind: Word<AppKind>,
}

impl<'a> Preview<'a> {
    pub fn new(
        typed: &str,
        user: &'a Account,
        request: &'a ApprovalRequest,
        missing_scopes: Vec<String>,
        urls: &'a Urls,
    ) -> Self {
        let permissions = request.permissions();
        let scopes = permissions.is_none().then(|| request.scopes.to_string());
        Self {
            user_code: rules::user_code(typed),
            account: User::new(user, urls),
            app: request.app.as_ref().map(|RequestingApp { app, owner }| PreviewApp {
                slug: &app.slug,
                name: &app.name,
                owner,
                client_id: &app.client_id,
                kind: Word(app.kind),
            }),
            permissions,
            scopes,
            missing_scopes,
            expires_at: request.code.expires_at,
            confirmation: &request.confirmation,
        }
    }
}
