//! Notifications: who should look at which pull request again, and why.

mod handlers;
mod json;
mod model;
mod notify;
mod store;

pub use model::Reason;
pub use notify::{Notice, Recipient, notify};
pub(crate) use store::can_read;

use crate::api::access::table::{GetNotificationThread, ListNotifications, MarkNotificationThreadRead};
use crate::api::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListNotifications, _, _>(handlers::list)
        .on::<GetNotificationThread, _, _>(handlers::get)
        .on::<MarkNotificationThreadRead, _, _>(handlers::mark_read)
}
