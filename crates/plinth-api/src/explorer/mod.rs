//! Pages for people, and the description of the API that they are made from.

mod asset;
mod avatar;
mod handlers;

use std::sync::Arc;

use crate::openapi::Description;
use crate::policy::Endpoint;
use crate::policy::table::{GetAvatar, GetDescription, GetIcon, GetScript, GetStylesheet, ShowDocs};
use crate::request::Allowed;
use crate::routes::Routes;
use plinth_core::access::NoTarget;

/// Adds the pages to all other routes, and the description of them all.
pub fn with_pages(routes: Routes) -> Routes {
    let routes = routes
        .on::<ShowDocs, _, _>(handlers::docs)
        .on::<GetStylesheet, _, _>(handlers::stylesheet)
        .on::<GetScript, _, _>(handlers::script)
        .on::<GetIcon, _, _>(handlers::icon)
        .on::<GetAvatar, _, _>(handlers::avatar);
    let rows = routes.rows().chain([GetDescription::ROW]).collect();
    let description = Arc::new(Description::of(rows));
    routes.on::<GetDescription, _, _>(move |access: Allowed<GetDescription, NoTarget>| {
        handlers::description(description.clone(), access)
    })
}
