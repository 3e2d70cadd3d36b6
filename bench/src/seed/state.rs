//! State files, from which the service creates its data.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::harness::{Context, service};

/// The accounts and the token that every seed has.
pub const ACCOUNTS: &str = "\
users:
  - { login: mona, name: Mona Lisa, email: mona@example.com }
  - { login: hubot }
orgs:
  - { login: acme, members: [{ user: mona, role: admin }, { user: hubot, role: member }] }
tokens:
  - { kind: classic, user: mona, scopes: [repo, admin:org, project, notifications, workflow], token: ghp_bench }
";

/// A state file with the accounts and one repository, imported from `source.git`.
pub fn with_repo(name: &str) -> String {
    format!("{ACCOUNTS}repos:\n  - {{ name: {name}, default_branch: main, import: source.git }}\n")
}

/// Applies a state file to the data directory of a seed.
pub fn apply(context: &Context, seed: &Path, text: &str) -> Result<()> {
    let file = seed.join("state.yaml");
    fs::write(&file, text).with_context(|| file.display().to_string())?;
    service::run_command(context, &seed.join("data"), &["apply", &file.display().to_string()])?;
    Ok(())
}
