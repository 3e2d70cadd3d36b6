//! A bot that comments.

use octocrab::{Octocrab, Result};

/// Comments on every open issue without a comment, and returns their numbers.
pub async fn welcome(github: &Octocrab, owner: &str, repo: &str) -> Result<Vec<u64>> {
    let issues = github.issues(owner, repo);
    let open = github.all_pages(issues.list().send().await?).await?;
    let numbers: Vec<u64> = open.iter().filter(|issue| issue.comments == 0).map(|issue| issue.number).collect();
    for number in &numbers {
        issues.create_comment(*number, "Thank you for the report!").await?;
    }
    Ok(numbers)
}
