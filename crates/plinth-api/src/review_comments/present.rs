//! Comments made ready to be shown: positions that nobody has looked for yet, and bodies rendered where they are asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::json::{Ready, ReviewComment, shows_rendered};
use crate::app::App;
use crate::request::context::RequestContext;
use plinth_base::error::{Error, Result};
use plinth_base::ids::PullId;
use plinth_core::pulls::threads::{self, Position};
use plinth_core::repos::Repo;
use plinth_core::review_comments::model::Comment;
use plinth_markdown::{Context, Rendered};

/// Finds all that an answer with these comments needs.
pub async fn ready(app: &App, context: &RequestContext, repo: &Repo, mut comments: Vec<Comment>) -> Result<Vec<Ready>> {
    fill_positions(app, repo, &mut comments).await?;
    let bodies = comments.iter().map(|comment| comment.body.as_str());
    let mut rendered = render(app, context, bodies).await?.into_iter();
    let ready = comments.into_iter().map(|mut comment| {
        let position = comment.position.take().ok_or_else(|| Error::internal("every position was looked for"))?;
        Ok(Ready { comment, position, rendered: rendered.next().flatten() })
    });
    ready.collect()
}

/// Ready comments as they are sent.
pub fn shown<'a>(ready: &'a [Ready], context: &'a RequestContext, repo: &'a Repo) -> Vec<ReviewComment<'a>> {
    ready.iter().map(|ready| ReviewComment::new(ready, context.media, repo, &context.urls)).collect()
}

/// Looks for the missing positions of each pull request at once.
async fn fill_positions(app: &App, repo: &Repo, comments: &mut [Comment]) -> Result<()> {
    let mut missing: BTreeMap<PullId, BTreeMap<i64, usize>> = BTreeMap::new();
    for (index, comment) in comments.iter().enumerate().filter(|(_, comment)| comment.position.is_none()) {
        missing.entry(comment.pull_id).or_default().insert(comment.thread.id, index);
    }
    for (pull, threads) in missing {
        let wanted: Vec<_> = threads.values().map(|index| comments[*index].thread.clone()).collect();
        let Some(version) = threads.values().next().map(|index| comments[*index].version) else { continue };
        let positions = threads::find_positions(app, repo.id, pull, &version, wanted).await?;
        let by_thread: BTreeMap<i64, Position> = threads.into_keys().zip(positions).collect();
        for comment in comments.iter_mut().filter(|comment| comment.pull_id == pull && comment.position.is_none()) {
            comment.position = by_thread.get(&comment.thread.id).cloned();
        }
    }
    Ok(())
}

/// Rendering may take a while, so it happens where blocking is fine.
pub async fn render(
    app: &App,
    context: &RequestContext,
    bodies: impl Iterator<Item = &str>,
) -> Result<Vec<Option<Arc<Rendered>>>> {
    if !shows_rendered(context.media) {
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
