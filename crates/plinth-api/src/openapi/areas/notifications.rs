//! Notifications, described.

use crate::openapi::operation::{Area, Operation, Success, ok, parameter};
use crate::openapi::parameters::{PAGE, PER_PAGE};
use crate::openapi::schema::Schema::{self, Boolean, List, Named, Object, OrNull, Text, Time, Url};
use crate::openapi::schema::field;

pub const AREA: Area = Area {
    name: "Notifications",
    about: "What a user is told about: comments, replies and mentions.",
    operations: &[
        Operation::new(
            "activity/list-notifications-for-authenticated-user",
            "List one's notifications",
            "Unread ones, the latest first.",
            ok("The notifications.", List(&Named("notification"))),
        )
        .query(&[
            parameter("all", Boolean, "Those that were read, too."),
            parameter("participating", Boolean, "Only where the user takes part or is named."),
            parameter("since", Time, "Only what was updated after this moment."),
            parameter("before", Time, "Only what was updated before this moment."),
            PER_PAGE,
            PAGE,
        ])
        .refusals(&[(422, "A parameter of the query is not valid.")]),
        Operation::new("activity/get-thread", "Get a notification", "", ok("The notification.", Named("notification"))),
        Operation::new(
            "activity/mark-thread-as-read",
            "Mark a notification as read",
            "",
            Success { status: 205, means: "It is read.", schema: None, media: &[] },
        ),
    ],
    schemas: &[("notification", NOTIFICATION)],
};

const NOTIFICATION: Schema = Object(&[
    field("id", Text, ""),
    field("repository", Named("repository"), ""),
    field("subject", SUBJECT, "What it is about."),
    field("reason", Text, "`author`, `comment` or `mention`."),
    field("unread", Boolean, ""),
    field("updated_at", Time, ""),
    field("last_read_at", OrNull(&Time), ""),
    field("url", Url, ""),
    field("subscription_url", Url, ""),
]);

const SUBJECT: Schema = Object(&[
    field("title", Text, ""),
    field("url", OrNull(&Url), ""),
    field("latest_comment_url", OrNull(&Url), ""),
    field("type", Text, ""),
]);
