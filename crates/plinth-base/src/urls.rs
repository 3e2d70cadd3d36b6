//! The URLs in responses, built from the scheme, host and prefix of the request.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Serialize, Serializer};

use crate::json_schema::text_schema;

/// The characters of a path segment that are percent-encoded: all but unreserved ones.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// As [`SEGMENT`], without the slashes of a ref name.
const PATH: &AsciiSet = &SEGMENT.remove(b'/');

/// The URLs of this service, as the caller sees them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Urls {
    web: Arc<str>,
    api: Arc<str>,
}

impl Urls {
    /// `web` is scheme, host and port; the API is at `prefix` below it.
    pub fn new(web: &str, prefix: &str) -> Self {
        let root: Arc<str> = web.into();
        let api = if prefix.is_empty() { root.clone() } else { format!("{web}{prefix}").into() };
        Self { web: root, api }
    }

    /// The root of the HTML pages.
    pub fn web(&self) -> &str {
        &self.web
    }

    /// The root of the API.
    pub fn api(&self) -> &str {
        &self.api
    }
}

/// One part of a URL.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    Nothing,
    /// Written as it is: our own text, or a URL template.
    Fixed(&'a str),
    /// Percent-encoded, slashes included.
    Segment(&'a str),
    /// Percent-encoded, except slashes.
    Path(&'a str),
    Number(i64),
    Sha(crate::ids::Sha),
}

/// A URL in parts, joined when it is written.
#[derive(Debug, Clone, Copy)]
pub struct Url<'a> {
    base: &'a str,
    parts: [Part<'a>; Url::PARTS_MAX],
}

impl<'a> Url<'a> {
    const PARTS_MAX: usize = 10;

    pub fn new<const N: usize>(base: &'a str, given: [Part<'a>; N]) -> Self {
        const { assert!(N <= Url::PARTS_MAX, "a longer URL needs a larger array") }
        let mut parts = [Part::Nothing; Url::PARTS_MAX];
        parts[..N].copy_from_slice(&given);
        Self { base, parts }
    }

    /// The same URL with another part at its end.
    pub fn then(mut self, part: Part<'a>) -> Self {
        let free = self.parts.iter_mut().find(|part| matches!(part, Part::Nothing));
        *free.expect("the array is large enough for every URL below") = part;
        self
    }

    /// A URI template (RFC 6570) that begins with this URL.
    pub fn template(self, variables: &'a str) -> UrlTemplate<'a> {
        UrlTemplate(self.then(Part::Fixed(variables)))
    }

    fn write(&self, out: &mut impl fmt::Write) -> fmt::Result {
        out.write_str(self.base)?;
        for part in &self.parts {
            match part {
                Part::Nothing => break,
                Part::Fixed(text) => out.write_str(text)?,
                Part::Segment(text) => write_all(out, utf8_percent_encode(text, SEGMENT))?,
                Part::Path(text) => write_all(out, utf8_percent_encode(text, PATH))?,
                Part::Number(number) => write!(out, "{number}")?,
                Part::Sha(sha) => write!(out, "{sha}")?,
            }
        }
        Ok(())
    }
}

fn write_all<'a>(out: &mut impl fmt::Write, mut texts: impl Iterator<Item = &'a str>) -> fmt::Result {
    texts.try_for_each(|text| out.write_str(text))
}

impl fmt::Display for Url<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(out)
    }
}

impl Serialize for Url<'_> {
    /// Writes the joined text at once: serde would scan each part for JSON escapes separately.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        BUFFER.with_borrow_mut(|text| {
            text.clear();
            self.write(text).map_err(serde::ser::Error::custom)?;
            serializer.serialize_str(text)
        })
    }
}

text_schema!(Url<'_>: "format" = "uri");

/// A URL with variables in braces, which is no valid URL until they are filled in.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub struct UrlTemplate<'a>(Url<'a>);

text_schema!(UrlTemplate<'_>: "format" = "uri-template");

thread_local! {
    /// Reused for every URL: a response has dozens of them.
    static BUFFER: RefCell<String> = const { RefCell::new(String::new()) };
}

use Part::{Fixed, Number, Path, Segment, Sha};

impl Urls {
    pub fn user<'a>(&'a self, login: &'a str) -> Url<'a> {
        Url::new(&self.api, [Fixed("/users/"), Segment(login)])
    }

    pub fn org<'a>(&'a self, login: &'a str) -> Url<'a> {
        Url::new(&self.api, [Fixed("/orgs/"), Segment(login)])
    }

    pub fn avatar(&self, id: crate::ids::AccountId) -> Url<'_> {
        Url::new(&self.web, [Fixed("/avatars/"), Number(id.0)])
    }

    pub fn account_page<'a>(&'a self, login: &'a str) -> Url<'a> {
        Url::new(&self.web, [Fixed("/"), Segment(login)])
    }

    pub fn repo<'a>(&'a self, owner: &'a str, name: &'a str) -> Url<'a> {
        Url::new(&self.api, [Fixed("/repos/"), Segment(owner), Fixed("/"), Segment(name)])
    }

    pub fn repo_hook<'a>(&'a self, owner: &'a str, name: &'a str, id: crate::ids::WebhookId) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/hooks/")).then(Number(id.0))
    }

    pub fn org_hook<'a>(&'a self, org: &'a str, id: crate::ids::WebhookId) -> Url<'a> {
        self.org(org).then(Fixed("/hooks/")).then(Number(id.0))
    }

    pub fn repo_page<'a>(&'a self, owner: &'a str, name: &'a str) -> Url<'a> {
        Url::new(&self.web, [Fixed("/"), Segment(owner), Fixed("/"), Segment(name)])
    }

    /// A reference, by its name without the leading `refs/`.
    pub fn git_ref<'a>(&'a self, owner: &'a str, name: &'a str, reference: &'a str) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/git/refs/")).then(Path(reference))
    }

    /// A Git object; `kind` is its path segment in the API, such as `commits`.
    pub fn git_object<'a>(&'a self, owner: &'a str, name: &'a str, kind: &'a str, sha: crate::ids::Sha) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/git/")).then(Fixed(kind)).then(Fixed("/")).then(Sha(sha))
    }

    pub fn commit_page<'a>(&'a self, owner: &'a str, name: &'a str, sha: crate::ids::Sha) -> Url<'a> {
        self.repo_page(owner, name).then(Fixed("/commit/")).then(Sha(sha))
    }

    pub fn app_page<'a>(&'a self, slug: &'a str) -> Url<'a> {
        Url::new(&self.web, [Fixed("/apps/"), Segment(slug)])
    }

    pub fn access_tokens(&self, id: crate::ids::InstallationId) -> Url<'_> {
        Url::new(&self.api, [Fixed("/app/installations/"), Number(id.0), Fixed("/access_tokens")])
    }

    /// The page to manage an installation of an organization.
    pub fn org_installation_page<'a>(&'a self, org: &'a str, id: crate::ids::InstallationId) -> Url<'a> {
        let parts = [Fixed("/organizations/"), Segment(org), Fixed("/settings/installations/"), Number(id.0)];
        Url::new(&self.web, parts)
    }

    /// The page to manage an installation of one's own account.
    pub fn own_installation_page(&self, id: crate::ids::InstallationId) -> Url<'_> {
        Url::new(&self.web, [Fixed("/settings/installations/"), Number(id.0)])
    }

    /// The page to enter the code of a device.
    pub fn device_page(&self) -> Url<'_> {
        Url::new(&self.web, [Fixed("/login/device")])
    }

    pub fn installation_repositories(&self) -> Url<'_> {
        Url::new(&self.api, [Fixed("/installation/repositories")])
    }

    /// A project by its id, for any owner.
    pub fn project(&self, id: crate::ids::ProjectId) -> Url<'_> {
        Url::new(&self.api, [Fixed("/projects/"), Number(id.0)])
    }

    pub fn pull<'a>(&'a self, owner: &'a str, name: &'a str, number: i64) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/pulls/")).then(Number(number))
    }

    pub fn pull_page<'a>(&'a self, owner: &'a str, name: &'a str, number: i64) -> Url<'a> {
        self.repo_page(owner, name).then(Fixed("/pull/")).then(Number(number))
    }

    pub fn issue<'a>(&'a self, owner: &'a str, name: &'a str, number: i64) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/issues/")).then(Number(number))
    }

    pub fn issue_page<'a>(&'a self, owner: &'a str, name: &'a str, number: i64) -> Url<'a> {
        self.repo_page(owner, name).then(Fixed("/issues/")).then(Number(number))
    }

    pub fn issue_comment<'a>(&'a self, owner: &'a str, name: &'a str, id: crate::ids::IssueCommentId) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/issues/comments/")).then(Number(id.0))
    }

    pub fn label<'a>(&'a self, owner: &'a str, name: &'a str, label: &'a str) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/labels/")).then(Segment(label))
    }

    pub fn review_comment<'a>(&'a self, owner: &'a str, name: &'a str, id: crate::ids::CommentId) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/pulls/comments/")).then(Number(id.0))
    }

    pub fn commit<'a>(&'a self, owner: &'a str, name: &'a str, sha: crate::ids::Sha) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/commits/")).then(Part::Sha(sha))
    }

    /// The statuses of a commit.
    pub fn status<'a>(&'a self, owner: &'a str, name: &'a str, sha: crate::ids::Sha) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/statuses/")).then(Part::Sha(sha))
    }

    pub fn release<'a>(&'a self, owner: &'a str, name: &'a str, id: crate::ids::ReleaseId) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/releases/")).then(Number(id.0))
    }

    pub fn release_asset<'a>(&'a self, owner: &'a str, name: &'a str, id: crate::ids::AssetId) -> Url<'a> {
        self.repo(owner, name).then(Fixed("/releases/assets/")).then(Number(id.0))
    }

    pub fn notification_thread(&self, id: crate::ids::NotificationId) -> Url<'_> {
        Url::new(&self.api, [Fixed("/notifications/threads/"), Number(id.0)])
    }

    /// The part of the documentation that describes one operation.
    pub fn documentation<'a>(&'a self, operation: &'a str) -> Url<'a> {
        Url::new(&self.web, [Fixed("/docs#"), Fixed(operation)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_encodes_names_but_not_templates() {
        let urls = Urls::new("http://127.0.0.1:8080", "/api/v3");
        let repo = urls.repo("octo-org", "a b");
        assert_eq!(repo.to_string(), "http://127.0.0.1:8080/api/v3/repos/octo-org/a%20b");
        let commits = urls.repo("o", "r").then(Fixed("/git/commits{/sha}"));
        assert_eq!(commits.to_string(), "http://127.0.0.1:8080/api/v3/repos/o/r/git/commits{/sha}");
        let reference = urls.repo("o", "r").then(Fixed("/git/refs/")).then(Part::Path("heads/a/#b"));
        assert_eq!(reference.to_string(), "http://127.0.0.1:8080/api/v3/repos/o/r/git/refs/heads/a/%23b");
    }
}
