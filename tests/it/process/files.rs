//! Files of a data directory, damage to them, and the git command with its URL.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::Server;

pub fn git(directory: &Path, arguments: &[&str]) -> Output {
    let mut git = Command::new("git");
    git.current_dir(directory).args(["-c", "user.name=m", "-c", "user.email=m@example.com"]).args(arguments);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_TERMINAL_PROMPT", "0");
    git.output().expect("git starts")
}

pub fn url(server: &Server) -> String {
    format!("http://mona:ghp_monamona@{}/mona/work.git", server.address)
}

pub fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found
}

pub fn first_pack(repositories: &Path) -> PathBuf {
    let is_pack = |path: &PathBuf| path.extension().is_some_and(|end| end == "pack");
    files_below(repositories).into_iter().find(is_pack).expect("there is a pack")
}

/// Overwrites thirty bytes in the middle of a file.
pub fn damage(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).expect("it is ours");
    let mut bytes = std::fs::read(file).expect("it can be read");
    let middle = bytes.len() / 2;
    bytes[middle..].iter_mut().take(30).for_each(|byte| *byte ^= 0xa5);
    std::fs::write(file, bytes).expect("it can be written");
}
