//! Renders bodies in the forms that a media type asks for.

use std::sync::Arc;

use crate::app::App;
use crate::request::context::RequestContext;
use plinth_base::error::Result;
use plinth_markdown::{Context, Rendered};

/// Renders texts if the media type needs it. That may take long, so it runs on a blocking thread.
pub async fn render(
    app: &App,
    context: &RequestContext,
    bodies: impl Iterator<Item = &str>,
) -> Result<Vec<Option<Arc<Rendered>>>> {
    if !context.media.shows_text() && !context.media.shows_html() {
        return Ok(bodies.map(|_| None).collect());
    }
    let bodies: Vec<String> = bodies.map(str::to_owned).collect();
    let (cache, web) = (app.rendered.clone(), context.urls.web().to_owned());
    app.objects
        .run(move || {
            let context = Context { web_url: &web };
            Ok(bodies.iter().map(|body| Some(cache.render(body, &context))).collect())
        })
        .await
}
