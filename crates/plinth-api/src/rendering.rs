//! Renders bodies in the forms that a media type asks for.

use std::sync::Arc;

use crate::app::App;
use crate::request::context::RequestContext;
use plinth_base::error::Result;
use plinth_base::ids::Sha;
use plinth_core::conversations;
use plinth_core::pulls;
use plinth_core::repos::Repo;
use plinth_markdown::{Context, References, Rendered, references};

/// Renders texts of a repository if the media type needs it. That may take long, so it runs on a blocking thread.
pub async fn render(
    app: &App,
    context: &RequestContext,
    repo: &Repo,
    bodies: impl Iterator<Item = &str>,
) -> Result<Vec<Option<Arc<Rendered>>>> {
    if !context.media.shows_text() && !context.media.shows_html() {
        return Ok(bodies.map(|_| None).collect());
    }
    let bodies: Vec<(String, References)> = bodies.map(|body| (body.to_owned(), references(body))).collect();
    let existing = find_existing(app, repo, bodies.iter().map(|(_, named)| named)).await?;
    let (cache, web) = (app.rendered.clone(), context.urls.web().to_owned());
    let name = format!("{}/{}", repo.owner_login, repo.name);
    app.objects
        .run(move || {
            let render = |(body, named): &(String, References)| {
                let existing = named.intersection(&existing);
                cache.render(body, &Context { web_url: &web, repo: Some(&name), existing: &existing })
            };
            Ok(bodies.iter().map(|body| Some(render(body))).collect())
        })
        .await
}

/// Which of the pull requests, issues and commits that texts refer to are in the repository. The caller may read all of it.
async fn find_existing(app: &App, repo: &Repo, named: impl Iterator<Item = &References>) -> Result<References> {
    let mut all = References::default();
    for named in named {
        all.pulls.extend(&named.pulls);
        all.commits.extend(named.commits.iter().cloned());
    }
    if !all.pulls.is_empty() {
        let found = conversations::store::find_numbers(&mut app.read().await?, repo.id, &all.pulls).await?;
        (all.pulls, all.issues) = found;
    }
    if !all.commits.is_empty() {
        let commits = all.commits;
        let found = pulls::diff_context::with_diff_context(app, repo.id, move |diffs| {
            let is_commit = |text: &String| -> Result<bool> {
                let Ok(sha) = text.parse::<Sha>() else { return Ok(false) };
                Ok(diffs.reader.find_commit(&sha)?.is_some())
            };
            commits
                .into_iter()
                .filter_map(|text| is_commit(&text).map(|exists| exists.then_some(text)).transpose())
                .collect()
        });
        // Over the object budget, ids stay text.
        all.commits = pulls::diff_context::within_budget(found.await)?.unwrap_or_default();
    }
    Ok(all)
}
