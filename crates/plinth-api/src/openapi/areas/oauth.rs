//! Signing in without a browser, described.

use crate::openapi::operation::{Area, Operation, no_content, ok, parameter};
use crate::openapi::schema::Schema::{self, AnyOf, Integer, List, Map, Named, Object, OrNull, Text, Time, Url, Word};
use crate::openapi::schema::{field, maybe};

pub const AREA: Area = Area {
    name: "Signing in",
    about: "The device flow: a program asks for a code, its user approves it, and the program exchanges it for a token.",
    operations: &[
        Operation::new(
            "oauth/create-device-code",
            "Ask for a device code",
            "The body may be a form as well. The answer is a form unless `Accept` asks for JSON.",
            ok("The codes, or why there are none.", AnyOf(&[CODES, ERROR])).or(&["application/x-www-form-urlencoded"]),
        )
        .body(NEW_CODE, r#"{"client_id": "Iv1.0123456789abcdef", "scope": "repo"}"#),
        Operation::new(
            "oauth/create-access-token",
            "RequestContext a device code for a token",
            "While the user has not approved, the answer has `error` instead of a token. The body may be a form as well.",
            ok("The token, or why there is none yet.", AnyOf(&[TOKEN, ERROR])).or(&["application/x-www-form-urlencoded"]),
        )
        .body(EXCHANGE, r#"{"client_id": "Iv1.0123456789abcdef", "device_code": "3584d83530557fdd1f46af8289938c8ef79f9dc5", "grant_type": "urn:ietf:params:oauth:grant-type:device_code"}"#),
        Operation::new(
            "oauth/get-device",
            "See what a device asks for",
            "As the user whose classic token signs the request, before approving.",
            ok("The program, the rights that it would get, and the account that it would act as.", PREVIEW),
        )
        .query(&[parameter("user_code", Text, "What the program showed.")])
        .refusals(&[(404, "No device waits with this code.")]),
        Operation::new(
            "oauth/approve-device",
            "Approve a device",
            "As the user whose classic token signs the request. Approving takes the `confirmation` of what was seen.",
            no_content("The program gets its token when it asks next."),
        )
        .body(APPROVAL, r#"{"user_code": "WDJB-MJHT", "decision": "approve", "confirmation": "7b0bd43c1f7a2d6c9f0f9e1c4f5a6b7c"}"#)
        .refusals(&[
            (404, "No device waits with this code."),
            (409, "The device asks for something else than what was confirmed."),
        ]),
    ],
    schemas: &[],
};

const NEW_CODE: Schema = Object(&[field("client_id", Text, ""), maybe("scope", Text, "Scopes, separated by spaces.")]);

const APPROVAL: Schema = Object(&[
    field("user_code", Text, "What the program showed."),
    maybe("decision", Word(&["approve", "deny"]), "`approve` unless given."),
    maybe("confirmation", Text, "Of what was seen; needed to approve."),
]);

const PREVIEW: Schema = Object(&[
    field("user_code", Text, ""),
    field("account", Named("user"), "Whom the program would act as."),
    field("app", PREVIEW_APP, ""),
    field("permissions", OrNull(&Map(&Text)), "Of a GitHub App."),
    field("scopes", OrNull(&Text), "Of an OAuth app, separated by commas."),
    field("missing_scopes", List(&Text), "What the token lacks to approve this."),
    field("expires_at", Time, ""),
    field("confirmation", Text, "To be sent with the approval."),
]);

const PREVIEW_APP: Schema = Object(&[
    field("slug", Text, ""),
    field("name", Text, ""),
    field("owner", Text, "The login of the app's owner."),
    field("client_id", Text, ""),
    field("kind", Word(&["app", "oauth"]), ""),
]);

const CODES: Schema = Object(&[
    field("device_code", Text, "For the program."),
    field("user_code", Text, "For the user."),
    field("verification_uri", Url, "Where the user enters it."),
    field("expires_in", Integer, "Seconds."),
    field("interval", Integer, "Seconds to wait between two questions."),
]);

const EXCHANGE: Schema = Object(&[
    field("client_id", Text, ""),
    field("device_code", Text, ""),
    field("grant_type", Text, "`urn:ietf:params:oauth:grant-type:device_code`."),
]);

const TOKEN: Schema =
    Object(&[field("access_token", Text, ""), field("token_type", Text, "`bearer`."), field("scope", Text, "")]);

const ERROR: Schema = Object(&[
    field("error", Text, ""),
    maybe("error_description", Text, ""),
    maybe("error_uri", Url, ""),
    maybe("interval", Integer, ""),
]);
