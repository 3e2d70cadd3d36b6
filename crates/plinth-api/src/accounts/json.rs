//! Accounts on the wire.

pub use super::user::{User, UserObject, node_id};

use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::Word;
use plinth_base::clock::Timestamp;
use plinth_base::ids::AccountId;
use plinth_base::urls::Part::Fixed;
use plinth_base::urls::{Url, UrlTemplate, Urls};
use plinth_core::accounts::{Account, AccountKind};

/// A user or an organization, with its profile.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "profile")]
pub struct Profile<'a> {
    #[serde(flatten)]
    user: UserObject<'a>,
    name: Option<&'a str>,
    company: Option<&'a str>,
    blog: &'static str,
    location: Option<&'a str>,
    /// Only the caller's own.
    email: Option<&'a str>,
    hireable: Option<bool>,
    bio: Option<&'a str>,
    twitter_username: Option<&'a str>,
    public_repos: i64,
    public_gists: i64,
    followers: i64,
    following: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> Profile<'a> {
    /// `email` says whether the caller may see the e-mail address.
    pub fn new(account: &'a Account, public_repos: i64, email: ShowEmail, urls: &'a Urls) -> Self {
        Self {
            user: UserObject::new(&User::new(account, urls)),
            name: account.name.as_deref(),
            company: None,
            blog: "",
            location: None,
            email: match email {
                ShowEmail::Yes => account.email.as_deref(),
                ShowEmail::No => None,
            },
            hireable: None,
            bio: None,
            twitter_username: None,
            public_repos,
            public_gists: 0,
            followers: 0,
            following: 0,
            created_at: account.created_at,
            updated_at: account.updated_at,
        }
    }
}

/// Whether the caller may see the e-mail address: users see their own.
#[derive(Clone, Copy)]
pub enum ShowEmail {
    Yes,
    No,
}

/// An organization without its profile, as in webhooks.
#[derive(Serialize, JsonSchema)]
pub struct SimpleOrganization<'a> {
    login: &'a str,
    id: AccountId,
    node_id: String,
    url: Url<'a>,
    repos_url: Url<'a>,
    events_url: Url<'a>,
    hooks_url: Url<'a>,
    issues_url: Url<'a>,
    members_url: UrlTemplate<'a>,
    public_members_url: UrlTemplate<'a>,
    avatar_url: Url<'a>,
    description: Option<&'a str>,
}

impl<'a> SimpleOrganization<'a> {
    pub fn new(account: &'a Account, urls: &'a Urls) -> Self {
        let url = urls.org(&account.login);
        Self {
            login: &account.login,
            id: account.id,
            node_id: node_id(account.id, account.kind),
            url,
            repos_url: url.then(Fixed("/repos")),
            events_url: url.then(Fixed("/events")),
            hooks_url: url.then(Fixed("/hooks")),
            issues_url: url.then(Fixed("/issues")),
            members_url: url.template("/members{/member}"),
            public_members_url: url.template("/public_members{/member}"),
            avatar_url: urls.avatar(account.id),
            description: None,
        }
    }
}

/// An organization, with its profile.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "organization")]
pub struct Organization<'a> {
    #[serde(flatten)]
    simple: SimpleOrganization<'a>,
    name: Option<&'a str>,
    email: Option<&'a str>,
    twitter_username: Option<&'a str>,
    is_verified: bool,
    has_organization_projects: bool,
    has_repository_projects: bool,
    public_repos: i64,
    public_gists: i64,
    followers: i64,
    following: i64,
    html_url: Url<'a>,
    created_at: Timestamp,
    updated_at: Timestamp,
    archived_at: Option<Timestamp>,
    r#type: Word<AccountKind>,
}

impl<'a> Organization<'a> {
    pub fn new(account: &'a Account, public_repos: i64, urls: &'a Urls) -> Self {
        Self {
            simple: SimpleOrganization::new(account, urls),
            name: account.name.as_deref(),
            email: account.email.as_deref(),
            twitter_username: None,
            is_verified: false,
            has_organization_projects: true,
            has_repository_projects: false,
            public_repos,
            public_gists: 0,
            followers: 0,
            following: 0,
            html_url: urls.account_page(&account.login),
            created_at: account.created_at,
            updated_at: account.updated_at,
            archived_at: None,
            r#type: Word(account.kind),
        }
    }
}
