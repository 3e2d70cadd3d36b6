//! Programs that a distribution has as packages.

use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::process::{ask, succeed};
use crate::runner::Context;

/// Steps run at once, and apt-get does not wait for another one that fetches the lists.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Installs packages, where we may.
pub fn install(context: &Context, packages: &[&str]) -> Result<(), String> {
    if ask(Command::new("id").arg("-u")).as_deref() != Some("0") {
        return Err("apt-get needs root".into());
    }
    ask(Command::new("apt-get").arg("--version")).ok_or("there is no apt-get")?;
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    for words in [&["update"][..], &[&["install", "--yes", "--no-install-recommends"], packages].concat()] {
        let mut command = Command::new("apt-get");
        command.args(["--quiet", "-o", "DPkg::Lock::Timeout=120"]).args(words);
        command.env("DEBIAN_FRONTEND", "noninteractive").current_dir("/");
        succeed(&context.reaper, &mut command, &context.log, context.limit)?;
    }
    Ok(())
}
