//! Programs from packages of the distribution.

use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::process::first_line;

/// Steps run concurrently, but apt-get does not wait for another one that updates the package lists.
static APT: Mutex<()> = Mutex::new(());

/// Installs packages, if this process is root; `succeed` runs a command that must succeed.
pub fn install(packages: &[&str], succeed: impl Fn(&mut Command) -> Result<(), String>) -> Result<(), String> {
    if first_line(Command::new("id").arg("-u")).as_deref() != Some("0") {
        return Err("apt-get needs root".into());
    }
    first_line(Command::new("apt-get").arg("--version")).ok_or("apt-get is not installed")?;
    let _guard = APT.lock().unwrap_or_else(PoisonError::into_inner);
    for arguments in [&["update"][..], &[&["install", "--yes", "--no-install-recommends"], packages].concat()] {
        let mut command = Command::new("apt-get");
        command.args(["--quiet", "-o", "DPkg::Lock::Timeout=120"]).args(arguments);
        command.env("DEBIAN_FRONTEND", "noninteractive").current_dir("/");
        succeed(&mut command)?;
    }
    Ok(())
}
