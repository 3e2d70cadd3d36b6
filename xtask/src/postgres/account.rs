//! The account that the server runs as: PostgreSQL refuses root.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::process::first_line;

/// The server looks its own user up in the password database, so the account must exist.
const CANDIDATES: [&str; 2] = ["postgres", "nobody"];

/// An unprivileged account, used when this process is root.
#[derive(Debug, Clone)]
pub struct Account {
    pub name: &'static str,
    pub uid: u32,
    pub gid: u32,
}

/// `None` if this process is not root and can run the server itself.
pub fn unprivileged() -> Result<Option<Account>, String> {
    if id(&["-u"]) != Some(0) {
        return Ok(None);
    }
    let mut accounts = CANDIDATES.into_iter().filter_map(find);
    // In a container with few mapped ids, an account may exist that cannot be used.
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

fn id(arguments: &[&str]) -> Option<u32> {
    first_line(Command::new("id").args(arguments))?.parse().ok()
}

impl Account {
    /// Makes the command run as this account, without our groups.
    pub fn apply(&self, command: &mut Command) {
        command.uid(self.uid).gid(self.gid);
    }

    /// Whether the account can enter a directory; the repository may be below `/root`.
    pub fn can_enter(&self, directory: &Path) -> bool {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", r#"cd "$1""#, "sh"]).arg(directory).current_dir("/");
        self.apply(&mut command);
        first_line(&mut command).is_some()
    }
}
