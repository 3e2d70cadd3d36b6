//! Who is notified about a comment. Mentions are parsed and looked up before the transaction that notifies.

use std::time::{Duration, Instant};

use super::model::{NotifiedComment, Reason, Recipient};
use crate::Core;
use crate::accounts::{self, AccountKind};
use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_markdown as markdown;

/// The time limit for parsing all texts of one request. Mentions in later texts are ignored.
const TIME_MAX: Duration = Duration::from_secs(2);
/// Accounts that one request notifies because of mentions, over all its texts.
const ACCOUNTS_MAX: usize = 200;

/// The users that each text mentions.
pub async fn find_mentions(core: &Core, texts: Vec<String>) -> Result<Vec<Vec<AccountId>>> {
    if !texts.iter().any(|text| text.contains('@')) {
        return Ok(vec![Vec::new(); texts.len()]);
    }
    let logins = core.objects.run(move || Ok(parse(&texts))).await?;
    let (mut db, mut left) = (core.read().await?, ACCOUNTS_MAX);
    let mut found = Vec::with_capacity(logins.len());
    for logins in logins {
        let mut users = Vec::new();
        for login in logins.iter().take(left) {
            users.extend(accounts::store::find_of_kind(&mut db, login, AccountKind::User).await?.map(|user| user.id));
        }
        left -= logins.len().min(left);
        found.push(users);
    }
    Ok(found)
}

/// The users that one text mentions.
pub async fn find_mentions_in(core: &Core, text: &str) -> Result<Vec<AccountId>> {
    if !text.contains('@') {
        return Ok(Vec::new());
    }
    Ok(find_mentions(core, vec![text.to_owned()]).await?.pop().unwrap_or_default())
}

fn parse(texts: &[String]) -> Vec<Vec<String>> {
    let deadline = Instant::now() + TIME_MAX;
    let mentions = |text: &String| if Instant::now() < deadline { markdown::mentions(text) } else { Vec::new() };
    texts.iter().map(mentions).collect()
}

/// The recipients of a comment: the author of the pull request or issue, the participants, and mentioned users.
pub fn recipients(
    comment: NotifiedComment,
    author: Option<AccountId>,
    participants: &[AccountId],
    mentions: &[AccountId],
) -> impl Iterator<Item = Recipient> {
    let authors = author.into_iter().map(|user| (user, Reason::Author));
    let participants = participants.iter().map(|user| (*user, Reason::Comment));
    let mentions = mentions.iter().map(|user| (*user, Reason::Mention));
    authors.chain(participants).chain(mentions).map(move |(user, reason)| Recipient {
        user,
        reason,
        comment: Some(comment),
    })
}
