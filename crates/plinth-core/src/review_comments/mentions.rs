//! Whom texts mention: parsed and looked up before the transaction that notifies them.

use std::time::{Duration, Instant};

use crate::Core;
use crate::accounts::{self, AccountKind};
use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_markdown as markdown;

/// What parsing all texts of one request may take. Whoever is mentioned in texts after that is not notified.
const TIME_MAX: Duration = Duration::from_secs(2);
/// Accounts that one request notifies because they are mentioned, however many texts it has.
const ACCOUNTS_MAX: usize = 200;

/// The users whom each text mentions.
pub async fn find(core: &Core, texts: Vec<String>) -> Result<Vec<Vec<AccountId>>> {
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

/// The users whom one text mentions.
pub async fn find_in(core: &Core, text: &str) -> Result<Vec<AccountId>> {
    if !text.contains('@') {
        return Ok(Vec::new());
    }
    Ok(find(core, vec![text.to_owned()]).await?.pop().unwrap_or_default())
}

fn parse(texts: &[String]) -> Vec<Vec<String>> {
    let deadline = Instant::now() + TIME_MAX;
    let mentions = |text: &String| if Instant::now() < deadline { markdown::mentions(text) } else { Vec::new() };
    texts.iter().map(mentions).collect()
}
