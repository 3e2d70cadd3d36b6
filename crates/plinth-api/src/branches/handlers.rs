//! Handlers of the operations on branches and tags.

use plinth_core::repos::RepoTarget;

use super::json::{BRANCHES, Branch, ShortBranch, TAGS, Tag};
use crate::app::App;
use crate::policy::table::{GetBranch, ListBranches, ListTags};
use crate::pulls::{find_people, shown_bytes};
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_core::objects::Large;
use plinth_core::refs::{Ref, store};
use plinth_git::{ObjectKind, Reader, RefName};

pub async fn list(access: Allowed<ListBranches, RepoTarget>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let page = page::of(context);
    if context.query("protected").as_deref() == Some("true") {
        // No branch is protected.
        return Ok(ApiResponse::ok(&Vec::<ShortBranch>::new()).with_link(page::link(page, context, 0)));
    }
    let mut db = app.read().await?;
    let total = store::count_below(&mut db, access.repo.id, BRANCHES).await?;
    let found = store::list_page_below(&mut db, access.repo.id, BRANCHES, store::NameOrder::Up, page).await?;
    let shown: Vec<_> = found.iter().map(|branch| ShortBranch::new(branch, &access.repo, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

pub async fn get(access: Allowed<GetBranch, RepoTarget>, app: App) -> Result<ApiResponse> {
    let branch = access.context().params.get("branch");
    let name = RefName::parse(&format!("{BRANCHES}{branch}")).map_err(|_| Error::NotFound)?;
    let found = store::find(&mut app.read().await?, access.repo.id, &name).await?.ok_or(Error::NotFound)?;
    let tip = found.target;
    let commit = app.objects.read_large(access.repo.id, move |reader| {
        let commit = reader.find_commit(&tip)?.ok_or_else(|| reader.missing(&tip))?;
        reader.budget().retain(shown_bytes(&commit))?;
        Ok(commit)
    });
    let Large { value: commit, reserved } = commit.await?;
    let people = find_people(&app, std::iter::once(&commit)).await?;
    let shown = Branch::new(branch, (tip, &commit), &people, &access.repo, access.urls());
    ApiResponse::ok(&shown).holding(reserved)
}

/// The last name first, so that most projects have their newest versions on the first page.
pub async fn list_tags(access: Allowed<ListTags, RepoTarget>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let page = page::of(context);
    let mut db = app.read().await?;
    let total = store::count_below(&mut db, access.repo.id, TAGS).await?;
    let found = store::list_page_below(&mut db, access.repo.id, TAGS, store::NameOrder::Down, page).await?;
    drop(db);
    let found = app.objects.read(access.repo.id, move |reader| with_commits(reader, found)).await?;
    let shown: Vec<_> = found.iter().map(|(tag, commit)| Tag::new(tag, *commit, &access.repo, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

/// Tags with the commits behind them. A tag of a tree or a blob has none and is left out.
fn with_commits(reader: &Reader<'_>, tags: Vec<Ref>) -> Result<Vec<(Ref, Sha)>> {
    let mut found = Vec::with_capacity(tags.len());
    for tag in tags {
        let peeled = match tag.kind {
            ObjectKind::Commit => Some((tag.target, ObjectKind::Commit)),
            ObjectKind::Tag => reader.peel(&tag.target)?,
            ObjectKind::Tree | ObjectKind::Blob => None,
        };
        if let Some((sha, ObjectKind::Commit)) = peeled {
            found.push((tag, sha));
        }
    }
    Ok(found)
}
