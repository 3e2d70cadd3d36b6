//! Texts of the operations on hooks.

use crate::openapi::operation::{Area, Operation, Parameter, accepted, choice, created, no_content, ok, parameter};
use crate::openapi::parameters::{PAGES, PER_PAGE};
use crate::openapi::schema::of;
use crate::webhooks::body::{ConfigBody, CreateOrgHookBody, CreateRepoHookBody, UpdateHookBody};
use crate::webhooks::json::{Accepted, Config, Delivery, DeliveryItem, Hook, OrgHook};

const INVALID: &[(u16, &str)] = &[(422, "The hook is not valid, or there is one like it.")];
const INVALID_QUERY: &[(u16, &str)] = &[(422, "A parameter of the query is not valid.")];
const DELIVERY_PAGES: &[Parameter] = &[
    PER_PAGE,
    parameter("cursor", of::<String>, "A cursor from the `Link` header: the page starts with this delivery."),
    choice("redelivery", &["true", "false"], "Only deliveries that somebody asked for again, or only others."),
    choice("status", &["success", "failure"], "Only deliveries that ended so."),
];

const NEW: &str = r#"{"name": "web", "events": ["push", "pull_request"], "config": {"url": "https://example.com/hook", "content_type": "json", "secret": "a secret"}}"#;
const CHANGE: &str = r#"{"active": false, "add_events": ["pull_request_review"]}"#;
const CONFIG: &str = r#"{"url": "https://example.com/hook", "content_type": "json"}"#;

const ABOUT_LIST: &str = "By `id`. Secrets are shown as `********`.";
const ABOUT_CREATE: &str = "The hook is sent a `ping`. Hooks may have the same configuration if their events differ, and at \
    most 20 hooks may have the same event.";
const ABOUT_UPDATE: &str = "Keys that are absent leave their value unchanged. `config` replaces the whole configuration: \
    without `secret`, the hook has none afterwards.";
const ABOUT_CONFIG: &str = "Keys that are absent leave their value unchanged.";
const ABOUT_APP_CONFIG: &str =
    "Keys that are absent leave their value unchanged. The first `url` creates the hook, which is sent a `ping`.";
const ABOUT_TEST: &str =
    "The hook is sent a `push` of the last commit of the default branch, if it is subscribed to that event.";
const ABOUT_DELIVERIES: &str = "Newest first, for three days. A delivery is shown once it was attempted.";

pub const AREA: Area = Area {
    name: "Webhooks",
    about: "Hooks of repositories, organizations and apps, and what was delivered to them.",
    operations: &[
        Operation::new(
            "repos/list-webhooks",
            "List the hooks of a repository",
            ABOUT_LIST,
            ok("A page of hooks.", of::<Vec<Hook>>),
        )
        .query(PAGES),
        Operation::new(
            "repos/create-webhook",
            "Create a hook of a repository",
            ABOUT_CREATE,
            created("The new hook.", of::<Hook>),
        )
        .body(of::<CreateRepoHookBody>, NEW)
        .errors(INVALID),
        Operation::new("repos/get-webhook", "Get a hook of a repository", "", ok("The hook.", of::<Hook>)),
        Operation::new(
            "repos/update-webhook",
            "Update a hook of a repository",
            ABOUT_UPDATE,
            ok("The hook after the change.", of::<Hook>),
        )
        .body(of::<UpdateHookBody>, CHANGE)
        .errors(INVALID),
        Operation::new(
            "repos/delete-webhook",
            "Delete a hook of a repository",
            "Its deliveries are deleted, too.",
            no_content("Deleted."),
        ),
        Operation::new(
            "repos/get-webhook-config-for-repo",
            "Get the configuration of a repository's hook",
            "",
            ok("The configuration.", of::<Config>),
        ),
        Operation::new(
            "repos/update-webhook-config-for-repo",
            "Update the configuration of a repository's hook",
            ABOUT_CONFIG,
            ok("The configuration after the change.", of::<Config>),
        )
        .body(of::<ConfigBody>, CONFIG)
        .errors(INVALID),
        Operation::new(
            "repos/ping-webhook",
            "Ping a hook of a repository",
            "The hook is sent a `ping`, even if it is not active.",
            no_content("The ping will be sent."),
        ),
        Operation::new(
            "repos/test-push-webhook",
            "Test a hook of a repository",
            ABOUT_TEST,
            no_content("The push will be sent."),
        ),
        Operation::new(
            "repos/list-webhook-deliveries",
            "List the deliveries to a repository's hook",
            ABOUT_DELIVERIES,
            ok("A page of deliveries.", of::<Vec<DeliveryItem>>),
        )
        .query(DELIVERY_PAGES)
        .errors(INVALID_QUERY),
        Operation::new(
            "repos/get-webhook-delivery",
            "Get a delivery to a repository's hook",
            "",
            ok("The delivery.", of::<Delivery>),
        ),
        Operation::new(
            "repos/redeliver-webhook-delivery",
            "Deliver again to a repository's hook",
            "",
            accepted("It will be delivered again.", of::<Accepted>),
        ),
        Operation::new(
            "orgs/list-webhooks",
            "List the hooks of an organization",
            ABOUT_LIST,
            ok("A page of hooks.", of::<Vec<OrgHook>>),
        )
        .query(PAGES),
        Operation::new(
            "orgs/create-webhook",
            "Create a hook of an organization",
            ABOUT_CREATE,
            created("The new hook.", of::<OrgHook>),
        )
        .body(of::<CreateOrgHookBody>, NEW)
        .errors(INVALID),
        Operation::new("orgs/get-webhook", "Get a hook of an organization", "", ok("The hook.", of::<OrgHook>)),
        Operation::new(
            "orgs/update-webhook",
            "Update a hook of an organization",
            ABOUT_UPDATE,
            ok("The hook after the change.", of::<OrgHook>),
        )
        .body(of::<UpdateHookBody>, CHANGE)
        .errors(INVALID),
        Operation::new(
            "orgs/delete-webhook",
            "Delete a hook of an organization",
            "Its deliveries are deleted, too.",
            no_content("Deleted."),
        ),
        Operation::new(
            "orgs/get-webhook-config-for-org",
            "Get the configuration of an organization's hook",
            "",
            ok("The configuration.", of::<Config>),
        ),
        Operation::new(
            "orgs/update-webhook-config-for-org",
            "Update the configuration of an organization's hook",
            ABOUT_CONFIG,
            ok("The configuration after the change.", of::<Config>),
        )
        .body(of::<ConfigBody>, CONFIG)
        .errors(INVALID),
        Operation::new(
            "orgs/ping-webhook",
            "Ping a hook of an organization",
            "The hook is sent a `ping`, even if it is not active.",
            no_content("The ping will be sent."),
        ),
        Operation::new(
            "orgs/list-webhook-deliveries",
            "List the deliveries to an organization's hook",
            ABOUT_DELIVERIES,
            ok("A page of deliveries.", of::<Vec<DeliveryItem>>),
        )
        .query(DELIVERY_PAGES)
        .errors(INVALID_QUERY),
        Operation::new(
            "orgs/get-webhook-delivery",
            "Get a delivery to an organization's hook",
            "",
            ok("The delivery.", of::<Delivery>),
        ),
        Operation::new(
            "orgs/redeliver-webhook-delivery",
            "Deliver again to an organization's hook",
            "",
            accepted("It will be delivered again.", of::<Accepted>),
        ),
        Operation::new(
            "apps/get-webhook-config-for-app",
            "Get the configuration of the calling app's hook",
            "Without `url`, the app has no hook.",
            ok("The configuration.", of::<Config>),
        ),
        Operation::new(
            "apps/update-webhook-config-for-app",
            "Update the configuration of the calling app's hook",
            ABOUT_APP_CONFIG,
            ok("The configuration after the change.", of::<Config>),
        )
        .body(of::<ConfigBody>, CONFIG)
        .errors(INVALID),
        Operation::new(
            "apps/list-webhook-deliveries",
            "List the deliveries to the calling app's hook",
            ABOUT_DELIVERIES,
            ok("A page of deliveries.", of::<Vec<DeliveryItem>>),
        )
        .query(DELIVERY_PAGES)
        .errors(INVALID_QUERY),
        Operation::new(
            "apps/get-webhook-delivery",
            "Get a delivery to the calling app's hook",
            "",
            ok("The delivery.", of::<Delivery>),
        ),
        Operation::new(
            "apps/redeliver-webhook-delivery",
            "Deliver again to the calling app's hook",
            "",
            accepted("It will be delivered again.", of::<Accepted>),
        ),
    ],
};
