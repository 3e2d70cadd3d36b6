//! Generated notes: the release before this one, for a link to the comparison.

use plinth_base::error::{Error, Result};
use plinth_git::RefName;

use super::rules::{self, Texts};
use super::{NotesRequest, store};
use crate::Core;
use crate::refs;
use crate::repos::Repo;

/// The name of a release and the text of it.
#[derive(Debug, Clone)]
pub struct Notes {
    pub name: String,
    pub body: String,
}

/// The notes of a release with this tag.
pub async fn generate(core: &Core, repo: &Repo, request: &NotesRequest) -> Result<Notes> {
    let target = request.target.as_deref().unwrap_or(&repo.default_branch);
    rules::check(&Texts { tag_name: &request.tag_name, target, name: None, body: None })?;
    let mut db = core.read().await?;
    let previous = match &request.previous_tag {
        Some(tag) => {
            let name = RefName::parse(&format!("refs/tags/{tag}")).map_err(|_| bad_previous())?;
            refs::store::find(&mut db, repo.id, &name).await?.ok_or_else(bad_previous)?;
            Some(tag.clone())
        }
        None => store::find_latest(&mut db, repo.id).await?.map(|release| release.tag_name),
    };
    let (page, tag) = (&request.page, &request.tag_name);
    let url = match previous.filter(|previous| previous != tag) {
        Some(previous) => format!("{page}/compare/{previous}...{tag}"),
        None => format!("{page}/commits/{tag}"),
    };
    Ok(Notes { name: tag.clone(), body: format!("**Full Changelog**: {url}") })
}

fn bad_previous() -> Error {
    Error::unprocessable("Invalid previous_tag parameter")
}
