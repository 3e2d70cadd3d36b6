//! Steps of signing in.

use super::body::Form;
use super::json;
use crate::app::App;
use crate::policy::table::{ApproveDevice, CreateDeviceCode, CreateOAuthToken, GetDevice};
use crate::request::Allowed;
use crate::request::body::Json;
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_core::access::{NoTarget, OwnAccount};
use plinth_core::oauth::Approval;
use plinth_core::oauth::{TokenRequest, operations};

pub async fn create_code(access: Allowed<CreateDeviceCode, NoTarget>, app: App, form: Form) -> Result<ApiResponse> {
    let (client_id, scopes) = (form.get("client_id").unwrap_or_default(), form.get("scope").unwrap_or_default());
    match operations::create_code(&app, &access.for_writing(), client_id, scopes).await? {
        Ok(codes) => Ok(json::device_code(&codes.device_code, &codes.user_code, form.encoding, access.urls())),
        Err(error_response) => Ok(json::refused(error_response, form.encoding, access.urls())),
    }
}

pub async fn create_token(access: Allowed<CreateOAuthToken, NoTarget>, app: App, form: Form) -> Result<ApiResponse> {
    let text = |name| form.get(name).map(str::to_owned);
    let request = TokenRequest {
        grant_type: text("grant_type"),
        code: text("code"),
        client_id: text("client_id"),
        client_secret: text("client_secret"),
        device_code: text("device_code"),
    };
    let answer = operations::create_token(&app, &access.for_writing(), request).await?;
    Ok(json::answer(&answer, form.encoding, access.urls()))
}

/// The first step of approving: what the device would get, and from whom.
pub async fn preview(access: Allowed<GetDevice, OwnAccount>, app: App) -> Result<ApiResponse> {
    let typed = access.context().query("user_code").ok_or(Error::NotFound)?;
    let OwnAccount(user) = &access.target;
    let (request, missing) = operations::preview(&app, access.caller(), user.id, &typed).await?;
    Ok(ApiResponse::ok(&json::Preview::new(&typed, user, &request, missing, access.urls())).without_storing())
}

pub async fn approve(
    access: Allowed<ApproveDevice, OwnAccount>,
    app: App,
    Json(approval): Json<Approval>,
) -> Result<ApiResponse> {
    operations::approve(&app, &access.for_writing(), approval).await?;
    Ok(ApiResponse::no_content())
}
