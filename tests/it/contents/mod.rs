//! Branches, tags, histories, comparisons and files, compared with the git program.

mod branches;
mod commits;
mod compare;
mod files;
mod readme;
mod rights;
mod short_ids;
mod writing;

use serde_json::Value;

use crate::support::pull_request::{WorkTree, acme};
use crate::support::{Client, Response, Service};

pub const REPO: &str = "/repos/acme/rocket";

/// A service with `acme/rocket`, which was imported from a repository that git has created, and with empty ones.
pub struct Fixture {
    pub service: Service,
    pub work: WorkTree,
}

impl Fixture {
    /// The repository has what a stream of `git fast-import` describes.
    pub async fn new(stream: &str) -> Self {
        let work = WorkTree::new();
        work.git_with(&["fast-import", "--quiet"], stream);
        let rocket = format!("default_branch: main, import: {}", work.path().display());
        let state = acme()
            .repo("acme/rocket", &rocket)
            .repo("acme/hidden", &format!("private: true, {rocket}"))
            .repo("acme/empty", "")
            .fine_grained("mona", "acme", "contents: read", "github_pat_contents")
            .fine_grained("mona", "acme", "issues: read", "github_pat_issues");
        Self { service: Service::with(&state.to_string()).await, work }
    }

    pub fn guest(&self) -> Client<'_> {
        self.service.with_token("ghp_guest")
    }

    pub async fn get(&self, path: &str) -> Response {
        self.guest().get(&format!("{REPO}{path}")).await
    }

    /// The lines that a git command prints.
    pub fn git(&self, arguments: &[&str]) -> Vec<String> {
        self.work.git(arguments).lines().map(str::to_owned).collect()
    }

    /// The id that git has for a name.
    pub fn sha(&self, name: &str) -> String {
        self.work.git(&["rev-parse", name]).trim().to_owned()
    }
}

/// One commit of a stream.
pub struct NewCommit<'a> {
    pub branch: &'a str,
    pub mark: usize,
    pub parents: &'a [usize],
    pub author: &'a str,
    pub seconds: i64,
    /// Lines of `git fast-import`, such as those of [`file`].
    pub changes: String,
}

impl NewCommit<'_> {
    pub fn write(&self) -> String {
        let Self { branch, mark, author, seconds, changes, .. } = self;
        let identity = format!("{author} <{author}@example.com> {seconds} +0000");
        let message = format!("commit {mark}\n");
        let parents = self.parents.iter().enumerate();
        let parents: String =
            parents.map(|(index, mark)| format!("{} :{mark}\n", if index == 0 { "from" } else { "merge" })).collect();
        // Without a reset, a commit without parents continues the branch.
        let reset = if self.parents.is_empty() { format!("reset refs/heads/{branch}\n") } else { String::new() };
        format!(
            "{reset}commit refs/heads/{branch}\nmark :{mark}\nauthor {identity}\ncommitter {identity}\n\
             data {}\n{message}{parents}{changes}\n",
            message.len()
        )
    }
}

/// A regular file.
pub fn file(path: &str, content: &str) -> String {
    entry("100644", path, content)
}

pub fn entry(mode: &str, path: &str, content: &str) -> String {
    format!("M {mode} inline {path}\ndata {}\n{content}\n", content.len())
}

/// The values of one key in a list.
pub fn values(list: &Value, key: &str) -> Vec<String> {
    let items = list.as_array().unwrap_or_else(|| panic!("not a list: {list}"));
    items.iter().map(|item| item[key].as_str().unwrap_or_else(|| panic!("{key} of {item}")).to_owned()).collect()
}

/// The relations of a `Link` header.
pub fn relations(response: &Response) -> Vec<String> {
    let link = response.header("link").unwrap_or_default();
    link.split("rel=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}
