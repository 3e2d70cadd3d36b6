//! Creates the history that a state file describes; the object ids are the same every time.

use std::collections::BTreeMap;

use crate::budget::Budget;
use crate::objects::commit::{Commit, NewCommit};
use crate::objects::identity::{Date, Identity};
use crate::objects::tag::NewTag;
use crate::objects::tree::EntryMode;
use crate::objects::tree_edit::{TreeChange, TreeEdit};
use crate::objects::{MemoryObjects, ObjectSource};
use crate::repository::Repository;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, RefName, Sha};

/// The first commit of every history is dated 2020-01-01, each further one a minute later.
const FIRST_COMMIT_SECONDS: i64 = 1_577_836_800;
const SECONDS_BETWEEN_COMMITS: i64 = 60;

/// Commits in the order of their creation, then tags.
#[derive(Debug, Clone, Default)]
pub struct History {
    pub commits: Vec<HistoryCommit>,
    pub tags: Vec<HistoryTag>,
}

/// One commit on a branch: what changes against its parent.
#[derive(Debug, Clone)]
pub struct HistoryCommit {
    pub branch: String,
    /// The branch or tag that a new branch starts from; without one, it starts without history.
    pub from: Option<String>,
    pub author_name: String,
    pub author_email: String,
    pub message: String,
    /// New content by path; `None` deletes the file.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
}

/// A tag on a branch or on another tag; with a message it is annotated.
#[derive(Debug, Clone)]
pub struct HistoryTag {
    pub name: String,
    pub target: String,
    pub message: Option<String>,
}

/// The targets of refs.
pub type Refs = BTreeMap<RefName, Sha>;

impl Repository {
    /// Creates all objects of the history, stores them as one durable pack and returns the refs, which it does not set.
    pub fn create_history(&self, history: &History) -> Result<Refs> {
        let mut builder = Builder::default();
        for commit in &history.commits {
            builder.add_commit(commit)?;
        }
        for tag in &history.tags {
            builder.add_tag(tag)?;
        }
        self.store(&builder.objects.into_sorted())?;
        Ok(builder.refs)
    }
}

#[derive(Default)]
struct Builder {
    objects: MemoryObjects,
    refs: Refs,
    commit_count: i64,
}

impl Builder {
    fn add_commit(&mut self, commit: &HistoryCommit) -> Result<()> {
        let branch = ref_name("refs/heads/", &commit.branch)?;
        let parent_id = match (self.refs.get(&branch), &commit.from) {
            (Some(_), Some(_)) => {
                return Err(invalid(&commit.branch, "exists already, so it cannot start from another one"));
            }
            (Some(tip), None) => Some(*tip),
            (None, Some(from)) => Some(self.resolve_commit(from)?),
            (None, None) => None,
        };
        let tree_id = self.create_tree(parent_id, &commit.files)?;
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
        let commit_id = self.objects.insert(new.to_object()?);
        self.refs.insert(branch, commit_id);
        Ok(())
    }

    fn create_tree(&mut self, parent_id: Option<Sha>, files: &BTreeMap<String, Option<Vec<u8>>>) -> Result<Sha> {
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
        let tree_id = edit.build(&self.objects, &mut new, Budget::unlimited())?;
        self.objects.extend(new);
        Ok(tree_id)
    }

    fn add_tag(&mut self, tag: &HistoryTag) -> Result<()> {
        let name = ref_name("refs/tags/", &tag.name)?;
        if self.refs.contains_key(&name) {
            return Err(invalid(&tag.name, "is tagged twice"));
        }
        let target_id = self.resolve(&tag.target)?;
        let sha = match &tag.message {
            Some(message) => self.annotate(&tag.name, target_id, message)?,
            None => target_id,
        };
        self.refs.insert(name, sha);
        Ok(())
    }

    /// The tagger of an annotated tag is the committer, at the same time.
    fn annotate(&mut self, name: &str, target_id: Sha, message: &str) -> Result<Sha> {
        let target_kind = self.objects.find(&target_id)?.map_or(ObjectKind::Commit, |object| object.kind());
        let tagger = self.find_commit(&self.peel(target_id)?)?.committer;
        let new = NewTag { name: name.to_owned(), target_id, target_kind, tagger, message: message.to_owned() };
        Ok(self.objects.insert(new.to_object()?))
    }

    fn resolve(&self, name: &str) -> Result<Sha> {
        let candidates = [ref_name("refs/heads/", name)?, ref_name("refs/tags/", name)?];
        let found = candidates.iter().find_map(|candidate| self.refs.get(candidate));
        found.copied().ok_or_else(|| invalid(name, "is not a branch or tag that exists already"))
    }

    fn resolve_commit(&self, name: &str) -> Result<Sha> {
        self.peel(self.resolve(name)?)
    }

    fn peel(&self, mut sha: Sha) -> Result<Sha> {
        // Every tag points at an older object, so this ends.
        while let Some(object) = self.objects.find(&sha)?.filter(|object| object.kind() == ObjectKind::Tag) {
            sha = crate::objects::tag::Tag::parse(object.data())?.target_id;
        }
        Ok(sha)
    }

    fn find_commit(&self, sha: &Sha) -> Result<Commit> {
        let object = self.objects.find(sha)?.ok_or_else(|| Error::internal("a new commit is missing"))?;
        Commit::parse(object.data())
    }
}

fn ref_name(prefix: &str, name: &str) -> Result<RefName> {
    RefName::parse(&format!("{prefix}{name}")).map_err(|error| invalid(name, &error.to_string()))
}

fn with_line_end(message: &str) -> String {
    if message.ends_with('\n') { message.to_owned() } else { format!("{message}\n") }
}

fn invalid(name: &str, reason: &str) -> Error {
    Error::unprocessable(format!("{name:?} cannot be created: {reason}."))
}
