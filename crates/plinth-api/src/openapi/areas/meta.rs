//! The service itself and its pages, described.

use crate::openapi::operation::{Area, Operation, file, ok};
use crate::openapi::schema::Schema::{self, Boolean, Integer, List, Map, Named, Object, Text};
use crate::openapi::schema::{field, maybe};

pub const AREA: Area = Area {
    name: "Service",
    about: "What the service says about itself.",
    operations: &[
        Operation::new(
            "meta/root",
            "Get the addresses of the API",
            "The scopes of the token in use are in `X-OAuth-Scopes`.",
            ok("Addresses by name, some of them templates.", Map(&Text)),
        ),
        Operation::new("meta/get", "Get facts about this installation of the service", "", ok("The facts.", META)),
        Operation::new(
            "meta/get-all-versions",
            "List the versions of the API",
            "The ones that `X-Service-Api-Version` may name.",
            ok("Dates, the newest first.", List(&Text)),
        ),
        Operation::new(
            "rate-limit/get",
            "Get the caller's budget",
            "Asking costs nothing.",
            ok("The budgets.", RATE_LIMIT),
        ),
        Operation::new(
            "web/get-description",
            "Get this description",
            "OpenAPI 3.1, made from the operations that this server answers.",
            ok("The description.", Map(&Named("anything"))),
        ),
    ],
    schemas: &[("rate-limit-resource", RESOURCE), ("anything", Schema::Anything)],
};

/// What is for people rather than programs.
pub const PAGES: Area = Area {
    name: "Pages",
    about: "What browsers ask for.",
    operations: &[
        Operation::new(
            "web/show-docs",
            "Show the API explorer",
            "This page. `#` and the name of an operation lead to its description.",
            file("The page.", &["text/html"]),
        ),
        Operation::new("web/get-stylesheet", "Get the explorer's style", "", file("The style.", &["text/css"])),
        Operation::new("web/get-script", "Get the explorer's program", "", file("The program.", &["text/javascript"])),
        Operation::new("web/get-icon", "Get the icon of the pages", "", file("The icon.", &["image/svg+xml"])),
        Operation::new(
            "web/get-avatar",
            "Get the picture of an account",
            "Drawn from the account's `id`: five by five squares, the same on both sides. Whether there is such an account makes \
             no difference, so the picture tells nothing.",
            file("The picture.", &["image/svg+xml"]),
        ),
    ],
    schemas: &[],
};

const META: Schema = Object(&[
    field("verifiable_password_authentication", Boolean, "Always false: there are no passwords."),
    field("installed_version", Text, ""),
]);

const RATE_LIMIT: Schema = Object(&[
    field("resources", Map(&Named("rate-limit-resource")), "Every resource draws on one budget."),
    maybe("rate", Named("rate-limit-resource"), "Only in version 2022-11-28."),
]);

const RESOURCE: Schema = Object(&[
    field("limit", Integer, "Requests in an hour."),
    field("used", Integer, ""),
    field("remaining", Integer, ""),
    field("reset", Integer, "When the hour is over, in seconds since 1970."),
    field("resource", Text, ""),
]);
