//! The names that git needs to know for a history that is cut off, as there are none on disk.

use super::upload_request::Cut;
use crate::app::App;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};
use plinth_core::refs;
use plinth_git::RefName;

/// A history is cut off at a handful of names.
const NAMES_MAX: usize = 100;

/// Every name that a short one may stand for, and one for each thing that is wanted.
pub async fn find(app: &App, repo: RepoId, cut: &Cut<'_>) -> Result<Vec<(RefName, Sha)>> {
    let wanted = cut.relative_to.iter().enumerate();
    let mut names: Vec<(RefName, Sha)> = wanted
        .filter_map(|(number, sha)| Some((RefName::parse(&format!("refs/plinth/want/{number}")).ok()?, *sha)))
        .collect();
    let mut db = app.read().await?;
    if cut.not.len() > NAMES_MAX {
        return Err(Error::unprocessable("a history cannot be cut off at so many references"));
    }
    for name in &cut.not {
        let before = names.len();
        for prefix in ["", "refs/", "refs/tags/", "refs/heads/"] {
            let Ok(full) = RefName::parse(&format!("{prefix}{name}")) else { continue };
            let found = refs::store::find(&mut db, repo, &full).await?;
            names.extend(found.map(|reference| (reference.name, reference.target)));
        }
        if names.len() == before {
            return Err(Error::unprocessable("the reference to cut the history off at does not exist"));
        }
    }
    Ok(names)
}
