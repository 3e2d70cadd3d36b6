//! Handlers of the device flow.

use plinth_base::error::{Error, Result};
use plinth_core::access::{NoTarget, OwnAccount};
use plinth_core::oauth::operations;

use super::body::{ApprovalBody, DeviceCodeBody, Form, TokenBody};
use super::json::{self, DeviceCodeResponse, DeviceCodes, OAuthError, TokenResponse};
use crate::app::App;
use crate::policy::table::{ApproveDevice, CreateDeviceCode, CreateOAuthToken, GetDevice};
use crate::request::Allowed;
use crate::request::body::Json;
use crate::response::api_response::ApiResponse;

pub async fn create_code(
    access: Allowed<CreateDeviceCode, NoTarget>,
    app: App,
    form: Form<DeviceCodeBody>,
) -> Result<ApiResponse> {
    let DeviceCodeBody { client_id, scope } = form.body;
    let (client_id, scopes) = (client_id.unwrap_or_default(), scope.unwrap_or_default());
    let created = operations::create_code(&app, &access.for_writing(), &client_id, &scopes).await?;
    let response = match &created {
        Ok(codes) => DeviceCodeResponse::Codes(DeviceCodes::new(&codes.device_code, &codes.user_code, access.urls())),
        Err(error) => DeviceCodeResponse::Error(OAuthError::new(*error, access.urls())),
    };
    json::encode(&response, form.encoding)
}

pub async fn create_token(
    access: Allowed<CreateOAuthToken, NoTarget>,
    app: App,
    form: Form<TokenBody>,
) -> Result<ApiResponse> {
    let outcome = operations::create_token(&app, &access.for_writing(), form.body.into()).await?;
    json::encode(&TokenResponse::new(&outcome, access.urls()), form.encoding)
}

/// What the device would get, before the user approves it.
pub async fn preview(access: Allowed<GetDevice, OwnAccount>, app: App) -> Result<ApiResponse> {
    let typed = access.context().query("user_code").ok_or(Error::NotFound)?;
    let OwnAccount(user) = &access.target;
    let (request, missing) = operations::preview(&app, access.caller(), user.id, &typed).await?;
    Ok(ApiResponse::ok(&json::Preview::new(&typed, user, &request, missing, access.urls())).without_storing())
}

pub async fn approve(
    access: Allowed<ApproveDevice, OwnAccount>,
    app: App,
    Json(body): Json<ApprovalBody>,
) -> Result<ApiResponse> {
    operations::approve(&app, &access.for_writing(), body.into()).await?;
    Ok(ApiResponse::no_content())
}
