//! Texts of the device flow.

use crate::oauth::body::{ApprovalBody, DeviceCodeBody, TokenBody};
use crate::oauth::json::{DeviceCodeResponse, Preview, TokenResponse};
use crate::openapi::operation::{Area, Operation, no_content, ok, parameter};
use crate::openapi::schema::of;

pub const AREA: Area = Area {
    name: "Signing in",
    about: "The device flow: a device requests a code, its user approves it, and the device exchanges it for a token.",
    operations: &[
        Operation::new(
            "oauth/create-device-code",
            "Request a device code",
            "The body may be a form as well. The response is a form unless `Accept` asks for JSON.",
            ok("The codes, or an error.", of::<DeviceCodeResponse>).or(&["application/x-www-form-urlencoded"]),
        )
        .body(of::<DeviceCodeBody>, r#"{"client_id": "Iv1.0123456789abcdef", "scope": "repo"}"#),
        Operation::new(
            "oauth/create-access-token",
            "Exchange a device code for a token",
            "While the user has not approved, the response has `error` instead of a token. The body may be a form as well.",
            ok("The token, or an error.", of::<TokenResponse>).or(&["application/x-www-form-urlencoded"]),
        )
        .body(of::<TokenBody>, r#"{"client_id": "Iv1.0123456789abcdef", "device_code": "3584d83530557fdd1f46af8289938c8ef79f9dc5", "grant_type": "urn:ietf:params:oauth:grant-type:device_code"}"#),
        Operation::new(
            "oauth/get-device",
            "Preview what a device requests",
            "As the user of the classic token, before approving.",
            ok("The app, the rights that it would get, and the account that it would act as.", of::<Preview>),
        )
        .query(&[parameter("user_code", of::<String>, "The code that the device shows.")])
        .errors(&[(404, "No device waits for this code.")]),
        Operation::new(
            "oauth/approve-device",
            "Approve a device",
            "As the user of the classic token. Approving needs the `confirmation` of the preview.",
            no_content("The device gets its token with its next request."),
        )
        .body(of::<ApprovalBody>, r#"{"user_code": "WDJB-MJHT", "decision": "approve", "confirmation": "7b0bd43c1f7a2d6c9f0f9e1c4f5a6b7c"}"#)
        .errors(&[
            (404, "No device waits for this code."),
            (409, "The request has changed since the preview."),
        ]),
    ],
};
