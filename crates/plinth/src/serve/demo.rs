//! `plinth serve --demo`: creates an example organization and prints what to try.

use std::io::Write;
use std::path::Path;

use crate::permissions::write_private;
use crate::state_file::State;
use plinth_api::app::App;
use plinth_base::error::Result;
use plinth_core::tokens::{Secret, TokenKind};
use plinth_store::Store;

const STATE: &str = include_str!("demo.yaml");
const STATE_FILE: &str = "demo.yaml";

/// The placeholders in the example state, each replaced with a new token at the first start.
const TOKENS: [(&str, TokenKind); 4] = [
    ("CLASSIC", TokenKind::Classic),
    ("FINE_GRAINED", TokenKind::FineGrained),
    ("APP_USER", TokenKind::AppUser),
    ("OAUTH", TokenKind::OAuth),
];

/// The tokens of the example.
pub struct Demo {
    classic: String,
    fine_grained: String,
    app_user: String,
    oauth: String,
    installation: Secret,
}

impl Demo {
    /// Creates the example at the first start. Later starts use the same state file, and so the same tokens.
    pub async fn apply(store: &Store, app: &App, data: &Path, out: &mut (dyn Write + Send)) -> Result<Self> {
        let path = data.join(STATE_FILE);
        if path.exists() {
            writeln!(out, "Using the example of the first start ({})", path.display())?;
        } else {
            writeln!(
                out,
                "Creating the example: users, an organization, repositories, a pull request, a project, an app"
            )?;
            std::fs::create_dir_all(data)?;
            write_private(&path, &with_new_tokens(STATE))?;
        }
        out.flush()?;
        let text = std::fs::read_to_string(&path)?;
        State::parse(&text, data)?.apply(store, &app.repositories, app.clock.now()).await?;
        let installation = Secret::generate(TokenKind::Installation);
        // An installation token expires after an hour, so every start creates a new one.
        let fresh = format!(
            "tokens: [{{ kind: installation, app: helper, account: octo-org, token: {} }}]",
            installation.reveal()
        );
        State::parse(&fresh, data)?.apply(store, &app.repositories, app.clock.now()).await?;
        let [classic, fine_grained, app_user, oauth] = tokens_in(&text);
        Ok(Self { classic, fine_grained, app_user, oauth, installation })
    }

    /// Prints the tokens and commands to try.
    pub fn print(&self, url: &str, out: &mut (dyn Write + Send)) -> Result<()> {
        let Self { classic, fine_grained, app_user, oauth, installation } = self;
        let installation = installation.reveal();
        write!(
            out,
            "\
Ready: {url} (also {url}/api/v3)

Tokens of the example:
  classic        mona    {classic}
  fine-grained   hubot   {fine_grained}
  app user       mona    {app_user}
  OAuth app      mona    {oauth}
  installation   helper  {installation}  (expires in 60 minutes)

Try in another terminal:
  export TOKEN={classic}
  curl -H \"Authorization: Bearer $TOKEN\" {url}/user
  curl {url}/repos/octo-org/hello/pulls/1/comments
  curl {url}/repos/octo-org/hello/git/matching-refs/heads
  curl {url}/orgs/octo-org/projectsV2/1/fields
  curl -H \"Authorization: Bearer $TOKEN\" {url}/orgs/octo-org/issue-fields
  curl -H \"Authorization: Bearer $TOKEN\" {url}/repos/octo-org/hello/pulls/1 -X PATCH -d '{{\"title\":\"Shout!\"}}'
  git clone {url}/octo-org/hello.git

Try every operation in a browser: {url}/docs
Stop with Ctrl-C. The next start has the same data and, except for the installation, the same tokens.
"
        )?;
        Ok(())
    }
}

fn with_new_tokens(template: &str) -> String {
    TOKENS.iter().fold(template.to_owned(), |text, (placeholder, kind)| {
        text.replace(&format!("${placeholder}"), Secret::generate(*kind).reveal())
    })
}

/// The first values after `token:`, in the order of the file. They are empty if someone has removed them from it.
fn tokens_in(text: &str) -> [String; TOKENS.len()] {
    let values = text.lines().filter_map(|line| line.split_once("token: "));
    let mut tokens = values.map(|(_, rest)| rest.trim_end_matches(['}', ' ']).to_owned());
    std::array::from_fn(|_| tokens.next().unwrap_or_default())
}
