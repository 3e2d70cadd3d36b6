//! The handler of the history of a branch.

use std::borrow::Cow;

use crate::app::App;
use crate::policy::table::ListCommits;
use crate::pulls::json::commit::CommitItem;
use crate::pulls::{find_named, find_people, read_commits};
use crate::request::context::RequestContext;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_core::accounts;
use plinth_core::objects::Large;
use plinth_core::repos::RepoTarget;
use plinth_git::{LogFilter, ObjectKind};

pub async fn list(access: Allowed<ListCommits, RepoTarget>, app: App) -> Result<ApiResponse> {
    let (context, repo, urls) = (access.context(), &access.repo, access.urls());
    let page = page::of(context);
    let named = value(context, "sha").unwrap_or(Cow::Borrowed(&repo.default_branch));
    let target = find_named(&app, repo, &named).await?.ok_or(Error::NotFound)?;
    let Some(filter) = filter(&app, context).await? else {
        return Ok(ApiResponse::ok(&Vec::<CommitItem>::new()).with_link(page::link(page, context, 0)));
    };
    let skip = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let take = usize::try_from(page.limit()).unwrap_or_default();
    let found = app.objects.read_large(repo.id, move |reader| {
        let Some((tip, ObjectKind::Commit)) = reader.peel(&target)? else { return Err(Error::NotFound) };
        let log = reader.log(&tip, &filter, skip, take)?;
        Ok((read_commits(reader, log.commit_ids)?, log.total))
    });
    let Large { value: (commits, total), reserved } = found.await?;
    let people = find_people(&app, commits.iter().map(|(_, commit)| commit)).await?;
    let shown: Vec<_> =
        commits.iter().map(|(sha, commit)| CommitItem::new(*sha, commit, &people, repo, urls)).collect();
    let link = match total {
        Some(total) => page::link(page, context, i64::try_from(total).unwrap_or(i64::MAX)),
        None => page::link_without_last(page, context),
    };
    ApiResponse::ok(&shown).with_link(link).holding(reserved)
}

/// `None` if no commit can match.
async fn filter(app: &App, context: &RequestContext) -> Result<Option<LogFilter>> {
    let path = value(context, "path").unwrap_or_default();
    let (since, until) = (context.query_time("since")?, context.query_time("until")?);
    let mut emails = [None, None];
    for (email, name) in emails.iter_mut().zip(["author", "committer"]) {
        let Some(person) = value(context, name) else { continue };
        *email = match person.contains('@') {
            true => Some(person.into_owned()),
            false => {
                let account = accounts::store::find_by_login(&mut app.read().await?, &person).await?;
                let Some(account) = account else { return Ok(None) };
                Some(account.commit_email())
            }
        };
    }
    let [author, committer] = emails;
    Ok(Some(LogFilter {
        path: path.trim_matches('/').as_bytes().to_vec(),
        author,
        committer,
        since: since.map(|since| since.0),
        until: until.map(|until| until.0),
    }))
}

/// A parameter of the query that is not empty.
fn value<'a>(context: &'a RequestContext, name: &str) -> Option<Cow<'a, str>> {
    context.query(name).filter(|text| !text.is_empty())
}
