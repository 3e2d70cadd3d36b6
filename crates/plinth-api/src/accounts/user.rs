//! The user object, which most responses embed, often many times.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::wire::{Word, words};
use plinth_base::ids::{AccountId, NodeId};
use plinth_base::urls::Part::Fixed;
use plinth_base::urls::{Url, UrlTemplate, Urls};
use plinth_core::accounts::{Account, AccountKind};

words! { AccountKind: User, Organization, Bot }

/// Users in a thread's cache; one more clears it.
const ENTRIES_MAX: usize = 256;

/// The user object that every other resource embeds.
pub struct User<'a> {
    id: AccountId,
    kind: AccountKind,
    login: &'a str,
    site_admin: bool,
    urls: &'a Urls,
}

impl<'a> User<'a> {
    pub fn new(account: &'a Account, urls: &'a Urls) -> Self {
        Self::from_parts(account.id, account.kind, &account.login, account.site_admin, urls)
    }

    /// For queries that join only what this object shows.
    pub fn from_parts(id: AccountId, kind: AccountKind, login: &'a str, site_admin: bool, urls: &'a Urls) -> Self {
        Self { id, kind, login, site_admin, urls }
    }
}

/// The JSON of a user, and everything besides the id that it depends on.
struct Written {
    kind: AccountKind,
    login: String,
    site_admin: bool,
    urls: Urls,
    text: Box<RawValue>,
}

impl Written {
    fn is_of(&self, user: &User<'_>) -> bool {
        let ours = (self.kind, self.login.as_str(), self.site_admin, &self.urls);
        ours == (user.kind, user.login, user.site_admin, user.urls)
    }
}

thread_local! {
    static WRITTEN: RefCell<HashMap<AccountId, Written>> = RefCell::default();
}

impl Serialize for User<'_> {
    /// Its dozen URLs take longer to write than the rest of most responses, so the JSON is cached.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WRITTEN.with_borrow_mut(|cached| {
            if let Some(written) = cached.get(&self.id).filter(|written| written.is_of(self)) {
                return written.text.serialize(serializer);
            }
            if cached.len() >= ENTRIES_MAX {
                cached.clear();
            }
            let text = to_raw_value(&UserObject::new(self)).map_err(S::Error::custom)?;
            let outcome = text.serialize(serializer);
            let User { id, kind, login, site_admin, urls } = *self;
            cached.insert(id, Written { kind, login: login.to_owned(), site_admin, urls: urls.clone(), text });
            outcome
        })
    }
}

/// A user, an organization or a bot.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "user")]
pub struct UserObject<'a> {
    login: &'a str,
    id: AccountId,
    node_id: String,
    avatar_url: Url<'a>,
    /// Always empty.
    gravatar_id: &'static str,
    url: Url<'a>,
    html_url: Url<'a>,
    followers_url: Url<'a>,
    following_url: UrlTemplate<'a>,
    gists_url: UrlTemplate<'a>,
    starred_url: UrlTemplate<'a>,
    subscriptions_url: Url<'a>,
    organizations_url: Url<'a>,
    repos_url: Url<'a>,
    events_url: UrlTemplate<'a>,
    received_events_url: Url<'a>,
    r#type: Word<AccountKind>,
    user_view_type: &'static str,
    site_admin: bool,
}

impl JsonSchema for User<'_> {
    fn schema_name() -> Cow<'static, str> {
        UserObject::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        UserObject::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        UserObject::json_schema(generator)
    }
}

pub fn node_id(id: AccountId, kind: AccountKind) -> String {
    let prefix = match kind {
        AccountKind::User => "U",
        AccountKind::Organization => "O",
        AccountKind::Bot => "BOT",
    };
    NodeId::new(prefix, 0).number(id.0).finish()
}

impl<'a> UserObject<'a> {
    pub fn new(user: &User<'a>) -> Self {
        let User { id, kind, login, site_admin, urls } = *user;
        let url = urls.user(login);
        Self {
            login,
            id,
            node_id: node_id(id, kind),
            avatar_url: urls.avatar(id),
            gravatar_id: "",
            url,
            html_url: match kind {
                AccountKind::User | AccountKind::Organization => urls.account_page(login),
                AccountKind::Bot => urls.app_page(login.trim_end_matches("[bot]")),
            },
            followers_url: url.then(Fixed("/followers")),
            following_url: url.template("/following{/other_user}"),
            gists_url: url.template("/gists{/gist_id}"),
            starred_url: url.template("/starred{/owner}{/repo}"),
            subscriptions_url: url.then(Fixed("/subscriptions")),
            organizations_url: url.then(Fixed("/orgs")),
            repos_url: url.then(Fixed("/repos")),
            events_url: url.template("/events{/privacy}"),
            received_events_url: url.then(Fixed("/received_events")),
            r#type: Word(kind),
            user_view_type: "public",
            site_admin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_user_is_used_only_for_the_same_user() {
        let (here, there) = (Urls::new("http://here", ""), Urls::new("http://there", ""));
        let below = Urls::new("http://here", "/api/v3");
        let user = |id, kind, login, site_admin, urls| User::from_parts(AccountId(id), kind, login, site_admin, urls);
        let users = [
            user(1, AccountKind::User, "mona", false, &here),
            user(1, AccountKind::User, "mona", true, &here),
            user(1, AccountKind::User, "lisa", false, &here),
            user(1, AccountKind::Organization, "mona", false, &here),
            user(2, AccountKind::User, "mona", false, &here),
            user(1, AccountKind::User, "mona", false, &there),
            user(1, AccountKind::User, "mona", false, &below),
        ];
        for user in users.iter().chain(&users) {
            let parts = serde_json::to_string(&UserObject::new(user)).expect("it can be written");
            for _ in 0..2 {
                assert_eq!(serde_json::to_string(user).expect("it can be written"), parts);
            }
        }
    }
}
