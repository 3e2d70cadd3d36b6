//! As whom the server runs: PostgreSQL refuses root.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::process::ask;

/// The server asks for its name in the password database, so it must be one that exists.
const CANDIDATES: [&str; 2] = ["postgres", "nobody"];

/// An account without rights, to run as when we are root.
#[derive(Debug, Clone)]
pub struct Account {
    pub name: &'static str,
    pub uid: u32,
    pub gid: u32,
}

/// `None` when we are not root and can run the server ourselves.
pub fn unprivileged() -> Result<Option<Account>, String> {
    if id(&["-u"]) != Some(0) {
        return Ok(None);
    }
    let mut accounts = CANDIDATES.into_iter().filter_map(find);
    // In a container with few mapped ids, an account may exist that nobody can become.
    match accounts.find(|account| account.can_enter(Path::new("/"))) {
        Some(account) => Ok(Some(account)),
        None => {
            Err(format!("PostgreSQL refuses root, and none of these accounts can be used: {}", CANDIDATES.join(", ")))
        }
    }
}

fn find(name: &'static str) -> Option<Account> {
    Some(Account { name, uid: id(&["-u", name])?, gid: id(&["-g", name])? })
}

fn id(words: &[&str]) -> Option<u32> {
    ask(Command::new("id").args(words))?.parse().ok()
}

impl Account {
    /// The command will run as this account, without our groups.
    pub fn apply(&self, command: &mut Command) {
        command.uid(self.uid).gid(self.gid);
    }

    /// Whether the account may pass through a folder; a clone may lie under `/root`.
    pub fn can_enter(&self, folder: &Path) -> bool {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", r#"cd "$1""#, "sh"]).arg(folder).current_dir("/");
        self.apply(&mut command);
        ask(&mut command).is_some()
    }
}
