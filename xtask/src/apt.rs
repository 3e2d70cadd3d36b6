//! Programs that the distribution has and this machine lacks.

use std::process::Command;

use crate::process::{ask, succeed};
use crate::runner::Context;

/// Installs packages, where we may.
pub fn install(context: &Context, packages: &[&str]) -> Result<(), String> {
    if ask(Command::new("id").arg("-u")).as_deref() != Some("0") {
        return Err("apt-get needs root".into());
    }
    ask(Command::new("apt-get").arg("--version")).ok_or("there is no apt-get")?;
    let wanted = [&["install", "--yes", "--no-install-recommends"], packages].concat();
    for words in [&["update"][..], &wanted] {
        let mut command = Command::new("apt-get");
        command.args(["--quiet", "-o", "DPkg::Lock::Timeout=120"]).args(words);
        command.env("DEBIAN_FRONTEND", "noninteractive").current_dir("/");
        succeed(&context.reaper, &mut command, &context.log, context.limit)?;
    }
    Ok(())
}
