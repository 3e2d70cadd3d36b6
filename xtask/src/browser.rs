//! The API explorer in a real browser: Chromium found or installed, driven by a small library from npm.

use std::path::PathBuf;
use std::process::Command;

use crate::npm;
use crate::process::{ask, succeed};
use crate::runner::Context;
use crate::steps::{Need, Outcome, Step, minutes, runs_tests};
use crate::workspace;

pub const STEP: Step = Step {
    name: "browser",
    about: "the API explorer in Chromium, where there is one or apt can install it",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| match prepare(context) {
        Ok((browser, script)) => {
            let mut command = workspace::command("node");
            command.arg(script).env("PLINTH", workspace::plinth()).env("CHROMIUM", browser);
            runs_tests(context, &mut command)
        }
        Err(reason) => Outcome::skipped(reason),
    },
};

/// Names under which distributions have it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// A browser, and the script beside the library that it needs.
fn prepare(context: &Context) -> Result<(PathBuf, PathBuf), String> {
    let folder = npm::unpack(context, "tests/browser", &[])?;
    let browser = match find() {
        Some(found) => found,
        None => {
            install(context).map_err(|reason| format!("there is no Chromium ({reason})"))?;
            find().ok_or("apt-get has installed no Chromium")?
        }
    };
    Ok((browser, folder.join("explorer.mjs")))
}

fn find() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let candidates = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    // Some distributions have a file of that name that only says where to get the program.
    candidates.filter(|path| path.is_file()).find(|path| ask(Command::new(path).arg("--version")).is_some())
}

fn install(context: &Context) -> Result<(), String> {
    if ask(Command::new("id").arg("-u")).as_deref() != Some("0") {
        return Err("apt-get needs root".into());
    }
    ask(Command::new("apt-get").arg("--version")).ok_or("there is no apt-get")?;
    for words in [&["update"][..], &["install", "--yes", "--no-install-recommends", "chromium", "fonts-dejavu-core"]] {
        let mut command = Command::new("apt-get");
        command.args(["--quiet", "-o", "DPkg::Lock::Timeout=120"]).args(words);
        command.env("DEBIAN_FRONTEND", "noninteractive").current_dir("/");
        succeed(&context.reaper, &mut command, &context.log, context.limit)?;
    }
    Ok(())
}
