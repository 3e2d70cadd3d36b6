//! Notifications of a user about pull requests.

mod handlers;
pub mod json;

use crate::policy::table::{GetNotificationThread, ListNotifications, MarkNotificationThreadRead};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListNotifications, _, _>(handlers::list)
        .on::<GetNotificationThread, _, _>(handlers::get)
        .on::<MarkNotificationThreadRead, _, _>(handlers::mark_read)
}
