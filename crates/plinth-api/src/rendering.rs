//! Renders bodies in the forms that a media type asks for.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::app::App;
use crate::request::context::RequestContext;
use plinth_base::error::Result;
use plinth_base::ids::Sha;
use plinth_core::conversations;
use plinth_core::pulls;
use plinth_core::repos::Repo;
use plinth_markdown::{Context, References, Rendered, references};

/// Abbreviated commit ids that are looked up for one response; the others stay text.
const SHORT_IDS_MAX: usize = 100;

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
        all.commits.extend(named.commits.clone());
    }
    if !all.pulls.is_empty() {
        let found = conversations::store::find_numbers(&mut app.read().await?, repo.id, &all.pulls).await?;
        (all.pulls, all.issues) = found;
    }
    if !all.commits.is_empty() {
        all.commits = find_commits(app, repo, std::mem::take(&mut all.commits).into_keys()).await?;
    }
    Ok(all)
}

/// The commits that digits name, by these digits.
async fn find_commits(app: &App, repo: &Repo, named: impl Iterator<Item = String>) -> Result<BTreeMap<String, String>> {
    let mut ids: Vec<(String, Sha)> = Vec::new();
    let mut short = 0;
    for digits in named {
        let id = match digits.parse::<Sha>() {
            Ok(id) => Some(id),
            Err(_) if short < SHORT_IDS_MAX => {
                short += 1;
                app.objects.find_by_prefix(repo.id, &digits).await?
            }
            Err(_) => None,
        };
        ids.extend(id.map(|id| (digits, id)));
    }
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let found = pulls::diff_context::with_diff_context(app, repo.id, move |diffs| {
        let mut found = BTreeMap::new();
        for (digits, id) in ids {
            if diffs.reader.find_commit(&id)?.is_some() {
                found.insert(digits, id.to_string());
            }
        }
        Ok(found)
    });
    // Over the object budget, ids stay text.
    Ok(pulls::diff_context::within_budget(found.await)?.unwrap_or_default())
}
