//! `plinth serve --demo`: an example to try things on.

use plinth_store::Store;
use std::io::Write;
use std::path::Path;

use super::state::State;
use plinth_api::app::App;
use plinth_base::error::Result;
use plinth_core::tokens::{Secret, TokenKind};

const STATE: &str = include_str!("demo.yaml");
const STATE_FILE: &str = "demo.yaml";

/// The tokens that the example state names, by the words that stand for them.
const KINDS: &[(&str, TokenKind)] = &[
    ("CLASSIC", TokenKind::Classic),
    ("FINE_GRAINED", TokenKind::FineGrained),
    ("APP_USER", TokenKind::AppUser),
    ("OAUTH", TokenKind::OAuth),
];

/// Fills the store the first time, finds the same data every other time, and prints what to try.
pub async fn start(store: &Store, app: &App, data: &Path, url: &str, out: &mut (dyn Write + Send)) -> Result<()> {
    let path = data.join(STATE_FILE);
    if !path.exists() {
        std::fs::create_dir_all(data)?;
        super::state::write_private(&path, &with_new_tokens(STATE))?;
    }
    let text = std::fs::read_to_string(&path)?;
    State::parse(&text, data)?.apply(store, &app.repositories, app.clock.now()).await?;
    let installation = Secret::generate(TokenKind::Installation);
    let fresh =
        format!("tokens: [{{ kind: installation, app: helper, account: octo-org, token: {} }}]", installation.reveal());
    State::parse(&fresh, data)?.apply(store, &app.repositories, app.clock.now()).await?;
    print(&tokens_in(&text), &installation, url, data, out)
}

fn with_new_tokens(template: &str) -> String {
    KINDS.iter().fold(template.to_owned(), |text, (word, kind)| {
        text.replace(&format!("${word}"), Secret::generate(*kind).reveal())
    })
}

/// The values after `token:`, in the order of the file.
fn tokens_in(text: &str) -> Vec<String> {
    let values = text.lines().filter_map(|line| line.split_once("token: "));
    values.map(|(_, rest)| rest.trim_end_matches(['}', ' ']).to_owned()).collect()
}

fn print(tokens: &[String], installation: &Secret, url: &str, data: &Path, out: &mut (dyn Write + Send)) -> Result<()> {
    let token = |index: usize| tokens.get(index).map_or("", String::as_str);
    let (classic, fine_grained, app_user, oauth) = (token(0), token(1), token(2), token(3));
    let installation = installation.reveal();
    let folder = data.display();
    write!(
        out,
        "\
Plinth {version} listens on {url}   (API also at {url}/api/v3; data in {folder}/)

Tokens of the example:
  classic       mona    {classic}
  fine-grained  hubot   {fine_grained}
  app user      mona    {app_user}
  OAuth app     mona    {oauth}
  installation  helper  {installation}   (60 minutes)

Try:
  curl -H 'Authorization: Bearer {classic}' {url}/user
  curl {url}/orgs/octo-org/projectsV2/1/fields
  curl -H 'Authorization: Bearer {fine_grained}' {url}/orgs/octo-org/issue-fields
  curl {url}/repos/octo-org/hello/pulls/1/comments
  curl {url}/repos/octo-org/hello/git/matching-refs/heads
  curl -H 'Authorization: Bearer {installation}' {url}/installation/repositories
  curl -H 'Authorization: Bearer {app_user}' {url}/user/installations
  curl -X PATCH -H 'Authorization: Bearer {oauth}' {url}/repos/octo-org/hello/pulls/1 -d '{{\"title\":\"Shout!\"}}'
  git clone {url}/octo-org/hello.git
A page to try every operation on: {url}/docs

Stop with Ctrl-C. The same data is there at the next start.
",
        version = env!("CARGO_PKG_VERSION"),
    )?;
    Ok(())
}
