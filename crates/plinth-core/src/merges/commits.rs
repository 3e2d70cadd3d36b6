//! The commits of a merge.

use plinth_base::error::Result;
use plinth_base::ids::Sha;
use plinth_git::{Commit, Identity, Merger, NewCommit, RawObject, Reader};

use super::MergeMethod;

/// GitHub rebases no more commits than this.
const REBASED_MAX: usize = 100;
/// Commits whose messages are in the message of a squashed one.
const SQUASHED_MAX: usize = 250;

/// A merge of a pull request to compute.
#[derive(Debug, Clone)]
pub struct Plan {
    pub method: MergeMethod,
    pub base: Sha,
    pub head: Sha,
    pub title: Option<String>,
    pub message: Option<String>,
    /// The first line and the text after it, if the caller has sent none.
    pub default_text: (String, String),
    pub number: i64,
    /// The author of a squashed commit.
    pub author: Identity,
    /// Who merges.
    pub committer: Identity,
}

/// New commits; the last one is the new tip of the branch.
#[derive(Debug)]
pub struct Built {
    pub tip: Sha,
    pub commits: Vec<RawObject>,
}

impl Built {
    pub fn one(commit: &NewCommit) -> Result<Self> {
        let object = commit.to_object()?;
        Ok(Self { tip: object.sha(), commits: vec![object] })
    }
}

/// Builds the commits; `None` if there are conflicts.
pub fn build(reader: &Reader<'_>, merger: &mut Merger<'_>, plan: &Plan) -> Result<Option<Built>> {
    if plan.method == MergeMethod::Rebase {
        return rebase(reader, merger, plan);
    }
    let Some(tree_id) = merger.merge(&plan.base, &plan.head)? else { return Ok(None) };
    let (title, message) = match plan.method {
        MergeMethod::Squash => squashed_text(reader, plan)?,
        MergeMethod::Merge | MergeMethod::Rebase => plan.default_text.clone(),
    };
    let title = plan.title.as_ref().unwrap_or(&title);
    let message = plan.message.as_ref().unwrap_or(&message);
    let (parent_ids, author) = match plan.method {
        MergeMethod::Squash => (vec![plan.base], plan.author.clone()),
        MergeMethod::Merge | MergeMethod::Rebase => (vec![plan.base, plan.head], plan.committer.clone()),
    };
    let commit = NewCommit {
        tree_id,
        parent_ids,
        author,
        committer: plan.committer.clone(),
        message: joined(title, message),
        signature: None,
    };
    Built::one(&commit).map(Some)
}

/// As in git, a title and the text after it are separated by an empty line.
fn joined(title: &str, message: &str) -> String {
    match (title.is_empty(), message.is_empty()) {
        (_, true) => title.to_owned(),
        (true, false) => message.to_owned(),
        (false, false) => format!("{title}\n\n{message}"),
    }
}

/// Applies the commits of the head one by one. As in `git rebase`, merges are left out, and so are changes that the base
/// has already.
fn rebase(reader: &Reader<'_>, merger: &mut Merger<'_>, plan: &Plan) -> Result<Option<Built>> {
    let range = reader.commits_between(&plan.base, &plan.head, REBASED_MAX)?;
    if range.total > REBASED_MAX {
        return Ok(None);
    }
    let mut built = Built { tip: plan.base, commits: Vec::new() };
    let mut tree = tree_of(reader, &plan.base)?;
    for sha in range.commit_ids.iter().rev() {
        let commit = reader.find_commit(sha)?.ok_or_else(|| reader.missing(sha))?;
        let parent = match commit.parent_ids.as_slice() {
            [parent] => *parent,
            [] => return Ok(None),
            _ => continue,
        };
        let Some(picked) = merger.pick(tree, sha, &parent)? else { return Ok(None) };
        if picked == tree && tree_of(reader, &parent)? != commit.tree_id {
            continue;
        }
        tree = picked;
        let Built { tip, commits } = Built::one(&NewCommit {
            tree_id: tree,
            parent_ids: vec![built.tip],
            author: commit.author,
            committer: plan.committer.clone(),
            message: commit.message,
            signature: None,
        })?;
        built.tip = tip;
        built.commits.extend(commits);
    }
    Ok(Some(built).filter(|built| !built.commits.is_empty()))
}

fn tree_of(reader: &Reader<'_>, commit: &Sha) -> Result<Sha> {
    reader.find_tree_id(commit)?.ok_or_else(|| reader.missing(commit))
}

/// The text of a single commit, or the title of the pull request and the texts of all commits.
fn squashed_text(reader: &Reader<'_>, plan: &Plan) -> Result<(String, String)> {
    let range = reader.commits_between(&plan.base, &plan.head, SQUASHED_MAX)?;
    let mut commits: Vec<Commit> = Vec::new();
    for sha in range.commit_ids.iter().rev() {
        let commit = reader.find_commit(sha)?.ok_or_else(|| reader.missing(sha))?;
        if commit.parent_ids.len() < 2 {
            reader.budget().retain(commit.message.len() as u64)?;
            commits.push(commit);
        }
    }
    let number = plan.number;
    if let [only] = commits.as_slice() {
        let (title, message) = split(&only.message);
        return Ok((format!("{title} (#{number})"), message.to_owned()));
    }
    let texts = commits.iter().map(|commit| {
        let (title, message) = split(&commit.message);
        joined(&format!("* {title}"), message)
    });
    // The default message of a merge is the title of the pull request.
    Ok((format!("{} (#{number})", plan.default_text.1), texts.collect::<Vec<_>>().join("\n\n")))
}

/// The first line of a message, and the rest without the empty lines around it.
fn split(message: &str) -> (&str, &str) {
    let message = message.trim();
    message.split_once('\n').map_or((message, ""), |(title, rest)| (title.trim_end(), rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_and_joined_are_inverse() {
        for message in ["title", "title\n\nbody", "title\n\nbody\n\nmore"] {
            let (title, rest) = split(message);
            assert_eq!(joined(title, rest), message);
        }
        assert_eq!(split("title\nbody\n"), ("title", "body"));
        assert_eq!(joined("", "body"), "body");
    }
}
