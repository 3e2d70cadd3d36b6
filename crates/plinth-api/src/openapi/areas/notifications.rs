//! Texts of the operations on notifications.

use crate::notifications::json::Thread;
use crate::openapi::operation::{Area, Operation, Success, ok, parameter};
use crate::openapi::parameters::{PAGE, PER_PAGE};
use crate::openapi::schema::of;
use plinth_base::clock::Timestamp;

pub const AREA: Area = Area {
    name: "Notifications",
    about: "Notifications of a user: comments, replies and mentions.",
    operations: &[
        Operation::new(
            "activity/list-notifications-for-authenticated-user",
            "List the notifications of the authenticated user",
            "Unread ones, the latest first.",
            ok("The notifications.", of::<Vec<Thread>>),
        )
        .query(&[
            parameter("all", of::<bool>, "Include notifications that were read."),
            parameter("participating", of::<bool>, "Only where the user participates or is mentioned."),
            parameter("since", of::<Timestamp>, "Only those updated after this time."),
            parameter("before", of::<Timestamp>, "Only those updated before this time."),
            PER_PAGE,
            PAGE,
        ])
        .errors(&[(422, "A parameter of the query is not valid.")]),
        Operation::new("activity/get-thread", "Get a notification", "", ok("The notification.", of::<Thread>)),
        Operation::new(
            "activity/mark-thread-as-read",
            "Mark a notification as read",
            "",
            Success { status: 205, means: "Marked as read.", schema: None, media: &[] },
        ),
    ],
};
