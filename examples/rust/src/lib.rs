//! The code under test, independent of Plinth.

use octocrab::Octocrab;
use octocrab::models::repos::Object;
use octocrab::params::repos::Reference;

/// Creates a release branch at the commit of the default branch and returns that commit.
pub async fn start_release(github: &Octocrab, owner: &str, repo: &str, version: &str) -> octocrab::Result<String> {
    let default_branch = github.repos(owner, repo).get().await?.default_branch.unwrap_or_default();
    let git = github.git(owner, repo);
    let base = git.get_ref(&Reference::Branch(default_branch)).await?;
    let Object::Commit { sha, .. } = base.object else { unreachable!("a branch points to a commit") };
    git.create_ref(&Reference::Branch(format!("release/{version}")), &sha).await?;
    Ok(sha)
}
