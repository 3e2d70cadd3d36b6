//! When a handler fails, panics or takes too long, and when there is no room for a request.

use std::time::Duration;

use expect_test::expect;

use super::errors::check_envelope;
use super::{get_through, service, service_with};
use plinth_api::policy::table::{GetAuthenticatedUser, GetMeta};
use plinth_api::request::Allowed;
use plinth_api::response::api_response::ApiResponse;
use plinth_api::routes::Routes;
use plinth_api::settings::Settings;
use plinth_base::error::{Code, Error, FieldError};
use plinth_core::access::{NoTarget, OwnAccount};

/// The rows that no operation of today reaches by itself.
#[tokio::test]
async fn errors_of_handlers_have_the_status_of_their_row() {
    let service = service().await;
    async fn conflict(_: Allowed<GetMeta, NoTarget>) -> Result<ApiResponse, Error> {
        Err(Error::Conflict("Git Repository is empty.".into()))
    }
    async fn plain(_: Allowed<GetMeta, NoTarget>) -> Result<ApiResponse, Error> {
        Err(Error::InvalidPlain(vec!["Name has already been taken".into()]))
    }
    async fn fields(_: Allowed<GetMeta, NoTarget>) -> Result<ApiResponse, Error> {
        let field = |name: &'static str, code| FieldError::new("Thing", name, code);
        Err(Error::Invalid(vec![
            field("a", Code::Missing),
            field("b", Code::MissingField),
            field("c", Code::Invalid),
            field("d", Code::AlreadyExists),
            field("e", Code::Unprocessable("Body cannot be blank".into())),
            field("f", Code::Custom("f is odd".into())),
        ]))
    }
    async fn secret(_: Allowed<GetMeta, NoTarget>) -> Result<ApiResponse, Error> {
        Err(Error::internal("the cause that nobody must see"))
    }
    let answer = get_through(&service, Routes::default().on::<GetMeta, _, _>(conflict), "/meta").await;
    expect![[r#"
        409
        {
          "documentation_url": "http://plinth.test/docs#meta/get",
          "message": "Git Repository is empty.",
          "status": "409"
        }"#]]
    .assert_eq(&answer.to_string());
    let answer = get_through(&service, Routes::default().on::<GetMeta, _, _>(plain), "/meta").await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#meta/get",
          "errors": [
            "Name has already been taken"
          ],
          "message": "Validation Failed",
          "status": "422"
        }"#]]
    .assert_eq(&answer.to_string());
    let answer = get_through(&service, Routes::default().on::<GetMeta, _, _>(fields), "/meta").await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#meta/get",
          "errors": [
            {
              "code": "missing",
              "field": "a",
              "resource": "Thing"
            },
            {
              "code": "missing_field",
              "field": "b",
              "resource": "Thing"
            },
            {
              "code": "invalid",
              "field": "c",
              "resource": "Thing"
            },
            {
              "code": "already_exists",
              "field": "d",
              "resource": "Thing"
            },
            {
              "code": "unprocessable",
              "field": "e",
              "message": "Body cannot be blank",
              "resource": "Thing"
            },
            {
              "code": "custom",
              "field": "f",
              "message": "f is odd",
              "resource": "Thing"
            }
          ],
          "message": "Validation Failed",
          "status": "422"
        }"#]]
    .assert_eq(&answer.to_string());
    let answer = get_through(&service, Routes::default().on::<GetMeta, _, _>(secret), "/meta").await;
    expect![[r#"
        500
        {
          "documentation_url": "http://plinth.test/docs#meta/get",
          "message": "Server Error",
          "status": "500"
        }"#]]
    .assert_eq(&answer.to_string());
    check_envelope(&answer);
}

#[tokio::test]
async fn a_panic_is_one_500_and_a_slow_handler_one_503() {
    let settings = Settings { request_timeout: Duration::from_millis(50), ..Settings::default() };
    let service = service_with(settings).await;
    async fn panics(_: Allowed<GetMeta, NoTarget>) -> Result<ApiResponse, Error> {
        panic!("as a test of what follows")
    }
    async fn waits(_: Allowed<GetAuthenticatedUser, OwnAccount>) -> Result<ApiResponse, Error> {
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(ApiResponse::no_content())
    }
    let answer = get_through(&service, Routes::default().on::<GetMeta, _, _>(panics), "/meta").await;
    expect![[r#"
        500
        {
          "documentation_url": "http://plinth.test/docs#meta/get",
          "message": "Server Error",
          "status": "500"
        }"#]]
    .assert_eq(&answer.to_string());
    check_envelope(&answer);
    let answer = get_through(&service, Routes::default().on::<GetAuthenticatedUser, _, _>(waits), "/user").await;
    expect![[r#"
        503
        {
          "documentation_url": "http://plinth.test/docs#users/get-authenticated",
          "message": "Service unavailable. Please try again in a moment.",
          "status": "503"
        }"#]]
    .assert_eq(&answer.to_string());
    assert_eq!(answer.header("retry-after"), Some("1"));
    check_envelope(&answer);
    service.with_token("ghp_monamona").get("/user").await.expect(200);
}

#[tokio::test]
async fn a_full_house_turns_away_at_once() {
    let service = service_with(Settings { requests_max: 0, ..Settings::default() }).await;
    let answer = service.with_token("ghp_monamona").get("/user").await;
    expect![[r#"
        503
        {
          "documentation_url": "http://plinth.test/docs",
          "message": "Service unavailable. Please try again in a moment.",
          "status": "503"
        }"#]]
    .assert_eq(&answer.to_string());
    assert_eq!(answer.header("retry-after"), Some("1"));
    check_envelope(&answer);
    // Whoever watches over the service is still answered.
    service.anonymous().get("/healthz").await.expect(200);
    service.anonymous().get("/readyz").await.expect(200);
}
