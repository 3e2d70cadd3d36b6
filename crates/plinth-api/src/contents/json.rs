//! Files and directories on the wire.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Serialize;

use super::find;
use crate::git_objects::json::Commit;
use crate::wire::{Word, words};
use plinth_base::ids::Sha;
use plinth_base::urls::Part::{Fixed, Path};
use plinth_base::urls::{Url, Urls};
use plinth_core::repos::Repo;
use plinth_git::EntryMode;

/// Bytes of one line of Base64.
const LINE_BYTES: usize = 45;

/// The commit that paths are looked up in, under the name that the caller used.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub reference: &'a str,
    pub repo: &'a Repo,
    pub urls: &'a Urls,
}

/// What is shown of everything that has a path.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "content-item")]
pub struct Item<'a> {
    #[serde(rename = "type")]
    kind: Word<Kind>,
    size: u64,
    name: &'a str,
    path: &'a str,
    sha: Sha,
    url: Url<'a>,
    /// Null for submodules, like the next two.
    git_url: Option<Url<'a>>,
    html_url: Option<Url<'a>>,
    /// Null for directories, too.
    download_url: Option<Url<'a>>,
    #[serde(rename = "_links")]
    links: Links<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Links<'a> {
    #[serde(rename = "self")]
    this: Url<'a>,
    git: Option<Url<'a>>,
    html: Option<Url<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Dir,
    File,
    Symlink,
    Submodule,
}

words! { Kind: Dir, File, Symlink, Submodule }

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Kind::Dir => "dir",
            Kind::File => "file",
            Kind::Symlink => "symlink",
            Kind::Submodule => "submodule",
        }
    }
}

impl<'a> Item<'a> {
    pub fn new(item: &'a find::Item, at: At<'a>) -> Self {
        let kind = match item.mode {
            EntryMode::File | EntryMode::Executable => Kind::File,
            EntryMode::Directory => Kind::Dir,
            EntryMode::Symlink => Kind::Symlink,
            EntryMode::Submodule => Kind::Submodule,
        };
        let (owner, name) = (at.repo.owner_login.as_str(), at.repo.name.as_str());
        let path = item.path.as_str();
        let contents = at.urls.repo(owner, name).then(Fixed("/contents/")).then(Path(path));
        let url = contents.then(Fixed("?ref=")).then(Path(at.reference));
        let page = |word| {
            let page = at.urls.repo_page(owner, name).then(Fixed(word)).then(Path(at.reference));
            page.then(Fixed("/")).then(Path(path))
        };
        let object = |word| at.urls.git_object(owner, name, word, item.sha);
        let (git_url, html_url, download_url) = match kind {
            Kind::Dir => (Some(object("trees")), Some(page("/tree/")), None),
            Kind::File | Kind::Symlink => (Some(object("blobs")), Some(page("/blob/")), Some(page("/raw/"))),
            Kind::Submodule => (None, None, None),
        };
        Self {
            kind: Word(kind),
            size: item.size,
            name: path.rsplit('/').next().unwrap_or(path),
            path,
            sha: item.sha,
            url,
            git_url,
            html_url,
            download_url,
            links: Links { this: url, git: git_url, html: html_url },
        }
    }

    pub fn url(&self) -> Url<'a> {
        self.url
    }

    /// In a list. GitHub lists submodules as files, and clients rely on that.
    pub fn in_list(item: &'a find::Item, at: At<'a>) -> Self {
        let shown = Self::new(item, at);
        let kind = if shown.kind.0 == Kind::Submodule { Kind::File } else { shown.kind.0 };
        Self { kind: Word(kind), ..shown }
    }
}

/// A file with its content.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "content-file")]
pub struct File<'a> {
    #[serde(flatten)]
    pub item: Item<'a>,
    /// In Base64, with a line feed after every 60 characters; empty for files above 1 MiB.
    content: String,
    encoding: Word<Encoding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Base64,
    None,
}

words! { Encoding: Base64, None }

impl Encoding {
    fn as_str(self) -> &'static str {
        match self {
            Encoding::Base64 => "base64",
            Encoding::None => "none",
        }
    }
}

impl<'a> File<'a> {
    pub fn new(item: Item<'a>, content: &[u8]) -> Self {
        let mut text = String::with_capacity(content.len() * 7 / 5 + 4);
        for line in content.chunks(LINE_BYTES) {
            STANDARD.encode_string(line, &mut text);
            text.push('\n');
        }
        Self { item, content: text, encoding: Word(Encoding::Base64) }
    }

    pub fn without_content(item: Item<'a>) -> Self {
        Self { item, content: String::new(), encoding: Word(Encoding::None) }
    }
}

/// A link that leads to no file of the repository.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "content-symlink")]
pub struct Symlink<'a> {
    #[serde(flatten)]
    pub item: Item<'a>,
    pub target: &'a str,
}

/// The commit of another repository.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "content-submodule")]
pub struct Submodule<'a> {
    #[serde(flatten)]
    pub item: Item<'a>,
    /// Null if `.gitmodules` does not have it.
    pub submodule_git_url: Option<&'a str>,
}

/// A directory as an object.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "content-tree")]
pub struct Directory<'a> {
    #[serde(flatten)]
    pub item: Item<'a>,
    pub entries: Vec<Item<'a>>,
}

/// A commit that changed one file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "file-commit")]
pub struct FileCommit<'a> {
    /// The file as the commit has it; null after a deletion.
    pub content: Option<Item<'a>>,
    pub commit: Commit<'a>,
}

/// The schema of everything that can be at a path.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub enum Contents<'a> {
    List(Vec<Item<'a>>),
    File(Box<File<'a>>),
    Symlink(Box<Symlink<'a>>),
    Submodule(Box<Submodule<'a>>),
    Directory(Box<Directory<'a>>),
}
