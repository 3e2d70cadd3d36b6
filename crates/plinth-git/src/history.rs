//! Histories described in a state file, made into objects whose ids are the same every time.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::commit::{Commit, NewCommit};
use super::identity::{Date, Identity};
use super::object::{MemoryObjects, ObjectSource};
use super::repository::Repository;
use super::tag::NewTag;
use super::tree::EntryMode;
use super::tree_edit::{TreeChange, TreeEdit};
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, RefName, Sha};

/// The first commit of every history is made on 2020-01-01; each one after it a minute later.
const FIRST_COMMIT_SECONDS: i64 = 1_577_836_800;
const SECONDS_BETWEEN_COMMITS: i64 = 60;

/// Commits in the order they are made, then tags.
#[derive(Debug, Clone, Default)]
pub struct History {
    pub commits: Vec<HistoryCommit>,
    pub tags: Vec<HistoryTag>,
}

/// One commit on a branch: what changes against its parent.
#[derive(Debug, Clone)]
pub struct HistoryCommit {
    pub branch: String,
    /// The branch or tag that a new branch starts from; left out, it starts with no history.
    pub from: Option<String>,
    pub author_name: String,
    pub author_email: String,
    pub message: String,
    /// New content by path, or nothing where the file goes.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
}

/// A tag on a branch or on another tag; a message makes it an annotated one.
#[derive(Debug, Clone)]
pub struct HistoryTag {
    pub name: String,
    pub target: String,
    pub message: Option<String>,
}

/// What the names point at once a history is made.
pub type Refs = BTreeMap<RefName, Sha>;

impl Repository {
    /// Makes all objects of the history, stores them as one durable pack and tells the refs. It sets none.
    pub fn make_history(&self, history: &History) -> Result<Refs> {
        let mut maker = Maker::default();
        for commit in &history.commits {
            maker.add_commit(commit)?;
        }
        for tag in &history.tags {
            maker.add_tag(tag)?;
        }
        self.store(&maker.made.into_sorted())?;
        Ok(maker.refs)
    }
}

#[derive(Default)]
struct Maker {
    made: MemoryObjects,
    refs: Refs,
    commit_count: i64,
}

impl Maker {
    fn add_commit(&mut self, commit: &HistoryCommit) -> Result<()> {
        let branch = ref_name("refs/heads/", &commit.branch)?;
        let parent_id = match (self.refs.get(&branch), &commit.from) {
            (Some(_), Some(_)) => {
                return Err(refused(&commit.branch, "exists already, so it cannot start from another one"));
            }
            (Some(tip), None) => Some(*tip),
            (None, Some(from)) => Some(self.commit_named(from)?),
            (None, None) => None,
        };
        let tree_id = self.make_tree(parent_id, &commit.files)?;
        let identity = Identity {
            name: commit.author_name.clone(),
            email: commit.author_email.clone(),
            date: Date::utc(FIRST_COMMIT_SECONDS + SECONDS_BETWEEN_COMMITS * self.commit_count),
        };
        self.commit_count += 1;
        let new = NewCommit {
            tree_id,
            parent_ids: parent_id.into_iter().collect(),
            author: identity.clone(),
            committer: identity,
            message: with_line_end(&commit.message),
            signature: None,
        };
        let commit_id = self.made.insert(new.to_object()?);
        self.refs.insert(branch, commit_id);
        Ok(())
    }

    fn make_tree(&mut self, parent_id: Option<Sha>, files: &BTreeMap<String, Option<Vec<u8>>>) -> Result<Sha> {
        let mut edit = match parent_id {
            Some(parent_id) => TreeEdit::from_base(self.find_commit(&parent_id)?.tree_id),
            None => TreeEdit::from_empty(),
        };
        for (path, content) in files {
            let change = match content {
                Some(content) => TreeChange::Write { mode: EntryMode::File, content: content.clone() },
                None => TreeChange::Delete,
            };
            edit.change(path, change)?;
        }
        let mut new = MemoryObjects::default();
        let tree_id = edit.build(&self.made, &mut new, Budget::unlimited())?;
        self.made.extend(new);
        Ok(tree_id)
    }

    fn add_tag(&mut self, tag: &HistoryTag) -> Result<()> {
        let name = ref_name("refs/tags/", &tag.name)?;
        if self.refs.contains_key(&name) {
            return Err(refused(&tag.name, "is tagged twice"));
        }
        let target_id = self.named(&tag.target)?;
        let sha = match &tag.message {
            Some(message) => self.annotate(&tag.name, target_id, message)?,
            None => target_id,
        };
        self.refs.insert(name, sha);
        Ok(())
    }

    /// An annotated tag is made by whoever made the commit, at the same time.
    fn annotate(&mut self, name: &str, target_id: Sha, message: &str) -> Result<Sha> {
        let target_kind = self.made.find(&target_id)?.map_or(ObjectKind::Commit, |object| object.kind());
        let tagger = self.find_commit(&self.peel(target_id)?)?.committer;
        let new = NewTag { name: name.to_owned(), target_id, target_kind, tagger, message: message.to_owned() };
        Ok(self.made.insert(new.to_object()?))
    }

    fn named(&self, name: &str) -> Result<Sha> {
        let candidates = [ref_name("refs/heads/", name)?, ref_name("refs/tags/", name)?];
        let found = candidates.iter().find_map(|candidate| self.refs.get(candidate));
        found.copied().ok_or_else(|| refused(name, "is no branch or tag made before"))
    }

    fn commit_named(&self, name: &str) -> Result<Sha> {
        self.peel(self.named(name)?)
    }

    fn peel(&self, mut sha: Sha) -> Result<Sha> {
        // Every tag points at something older than itself, so this ends.
        while let Some(object) = self.made.find(&sha)?.filter(|object| object.kind() == ObjectKind::Tag) {
            sha = super::tag::Tag::parse(object.data())?.target_id;
        }
        Ok(sha)
    }

    fn find_commit(&self, sha: &Sha) -> Result<Commit> {
        let object = self.made.find(sha)?.ok_or_else(|| Error::internal("a commit just made is gone"))?;
        Commit::parse(object.data())
    }
}

fn ref_name(prefix: &str, name: &str) -> Result<RefName> {
    RefName::parse(&format!("{prefix}{name}")).map_err(|error| refused(name, &error.to_string()))
}

fn with_line_end(message: &str) -> String {
    if message.ends_with('\n') { message.to_owned() } else { format!("{message}\n") }
}

fn refused(name: &str, reason: &str) -> Error {
    Error::unprocessable(format!("{name:?} cannot be made: {reason}."))
}
