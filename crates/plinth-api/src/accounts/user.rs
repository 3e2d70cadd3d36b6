//! The user object, which nearly every answer embeds, often many times.

use std::cell::RefCell;
use std::collections::HashMap;

use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::json::node_id;
use plinth_base::ids::AccountId;
use plinth_base::urls::Part::Fixed;
use plinth_base::urls::{Url, Urls};
use plinth_core::accounts::{Account, AccountKind};

/// Objects that a thread remembers; with one more, it forgets all.
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

/// An object as it was written, and all that it was made from besides the id.
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
    /// Its dozen addresses differ in nothing but their ends and take longer to write than all else in most answers, so
    /// the same object is written once.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WRITTEN.with_borrow_mut(|known| {
            if let Some(written) = known.get(&self.id).filter(|written| written.is_of(self)) {
                return written.text.serialize(serializer);
            }
            if known.len() >= ENTRIES_MAX {
                known.clear();
            }
            let text = to_raw_value(&UserObject::new(self)).map_err(S::Error::custom)?;
            let outcome = text.serialize(serializer);
            let User { id, kind, login, site_admin, urls } = *self;
            known.insert(id, Written { kind, login: login.to_owned(), site_admin, urls: urls.clone(), text });
            outcome
        })
    }
}

/// The same in all its parts.
#[derive(Serialize)]
pub struct UserObject<'a> {
    login: &'a str,
    id: AccountId,
    node_id: String,
    avatar_url: Url<'a>,
    gravatar_id: &'static str,
    url: Url<'a>,
    html_url: Url<'a>,
    followers_url: Url<'a>,
    following_url: Url<'a>,
    gists_url: Url<'a>,
    starred_url: Url<'a>,
    subscriptions_url: Url<'a>,
    organizations_url: Url<'a>,
    repos_url: Url<'a>,
    events_url: Url<'a>,
    received_events_url: Url<'a>,
    r#type: &'static str,
    user_view_type: &'static str,
    site_admin: bool,
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
            following_url: url.then(Fixed("/following{/other_user}")),
            gists_url: url.then(Fixed("/gists{/gist_id}")),
            starred_url: url.then(Fixed("/starred{/owner}{/repo}")),
            subscriptions_url: url.then(Fixed("/subscriptions")),
            organizations_url: url.then(Fixed("/orgs")),
            repos_url: url.then(Fixed("/repos")),
            events_url: url.then(Fixed("/events{/privacy}")),
            received_events_url: url.then(Fixed("/received_events")),
            r#type: kind.as_str(),
            user_view_type: "public",
            site_admin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_before_is_written_again_only_for_the_same() {
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
