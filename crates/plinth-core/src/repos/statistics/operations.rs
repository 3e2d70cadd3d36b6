//! Computing statistics in the background.

use std::collections::BTreeMap;

use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, RepoId, Sha};
use plinth_git::{EntryMode, Reader, TreeLimits};
use plinth_store::internal_authority;

use super::store::{self, Statistics, Tips};
use super::{languages, licenses};
use crate::Core;

/// Files whose languages are counted; more are left out.
const FILES: TreeLimits = TreeLimits { entries: 20_000, path_bytes: 4 << 20, recursive: true };
const LICENSE_BYTES_MAX: u64 = 256 << 10;
/// Repositories that are described after a start.
const REPOS_MAX: i64 = 1_000;

internal_authority!(
    /// Stores what the content of a repository says about it.
    Description = "maintenance/describe-repository", in_repo
);

/// Starts [`refresh`] in the background. Call it after the default branch has moved.
pub fn refresh_later(core: &Core, repo: RepoId) {
    let core = core.clone();
    tokio::spawn(async move {
        if let Err(error) = refresh(&core, repo).await {
            tracing::warn!(%repo, %error, "could not describe a repository");
        }
    });
}

/// Describes repositories whose default branch has moved while the service was stopped, or by a state file.
pub async fn catch_up(core: &Core) -> Result<()> {
    let outdated = store::list_outdated(&mut core.read().await?, REPOS_MAX).await?;
    for (repo,) in outdated {
        if let Err(error) = refresh(core, repo).await {
            tracing::warn!(%repo, %error, "could not describe a repository");
        }
    }
    Ok(())
}

/// Computes and stores the statistics, unless they are those of the present tip.
pub async fn refresh(core: &Core, repo: RepoId) -> Result<()> {
    let tips = store::find_tips(&mut core.read().await?, repo).await?;
    let Some(Tips { current: Some(tip), described }) = tips else { return Ok(()) };
    if described == Some(tip) {
        return Ok(());
    }
    let outcome = compute(core, repo, tip).await;
    // A failure is recorded, too: what fails once fails again until the branch moves.
    core.store
        .write(Description(repo), (repo, tip, outcome.as_ref().ok().cloned()), |tx, (repo, tip, found)| {
            Box::pin(async move {
                match found {
                    Some(found) => store::update(tx, *repo, *tip, found).await?,
                    None => store::update_tip(tx, *repo, *tip).await?,
                }
                Ok(())
            })
        })
        .await?;
    outcome.map(drop)
}

async fn compute(core: &Core, repo: RepoId, tip: Sha) -> Result<Statistics> {
    let found = core.objects.read(repo, move |reader| describe(reader, &tip)).await?;
    let objects = core.objects.clone();
    let bytes = core.objects.run(move || objects.repository(repo)?.pack_bytes()).await?;
    Ok(Statistics { size: i64::try_from(bytes.div_ceil(1_024)).unwrap_or(i64::MAX), ..found })
}

/// The licence and the languages of a commit, as far as the object budget allows.
fn describe(reader: &Reader<'_>, tip: &Sha) -> Result<Statistics> {
    let tree = reader.find_tree_id(tip)?.ok_or_else(|| reader.missing(tip))?;
    let listing = reader.list_tree(&tree, FILES)?.unwrap_or_default();
    let files = listing.entries.iter().filter(|entry| matches!(entry.mode, EntryMode::File | EntryMode::Executable));
    let mut license = None;
    let mut bytes = BTreeMap::new();
    for file in files {
        if license.is_none() && licenses::is_license_file(&file.path) {
            license = Some(read_license(reader, &file.sha)?);
        }
        let Some(language) = languages::language_of(&file.path) else { continue };
        match reader.find_header(&file.sha) {
            Ok(Some(header)) if header.kind == ObjectKind::Blob => *bytes.entry(language).or_insert(0) += header.size,
            Ok(_) => {}
            Err(Error::OverBudget(_)) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(Statistics { license, languages: languages::sorted(bytes), size: 0 })
}

fn read_license(reader: &Reader<'_>, sha: &Sha) -> Result<&'static str> {
    match reader.find_header(sha)? {
        Some(header) if header.size <= LICENSE_BYTES_MAX => {}
        _ => return Ok(licenses::OTHER),
    }
    let blob = reader.find_blob(sha, LICENSE_BYTES_MAX)?;
    Ok(blob.map_or(licenses::OTHER, |blob| licenses::recognize(&String::from_utf8_lossy(blob.data()))))
}
