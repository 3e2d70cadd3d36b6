//! The API explorer and hostile comments in a real browser: Chromium found or installed, driven by a small library from
//! npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{ask, succeed};
use crate::runner::Context;
use crate::steps::{Need, Outcome, Step, minutes, runs_tests};
use crate::workspace;

pub const STEP: Step = Step {
    name: "browser",
    about: "the API explorer and hostile comments in Chromium, where there is one or apt can install it",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| match prepare(context) {
        Ok((browser, folder)) => {
            let mut command = workspace::command("node");
            command.args(["--input-type=module", "--eval", STORIES]).current_dir(folder);
            command.env("PLINTH", workspace::plinth()).env("CHROMIUM", browser);
            runs_tests(context, &mut command)
        }
        Err(reason) => Outcome::skipped(reason),
    },
};

/// Names under which distributions have it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const FILES: [&str; 8] = [
    "package.json",
    "package-lock.json",
    "service.mjs",
    "explorer.mjs",
    "state.yaml",
    "comments.mjs",
    "comments.yaml",
    "attempts.json",
];
/// One after the other, each with its own count.
const STORIES: &str = "await import('./explorer.mjs'); await import('./comments.mjs');";

/// A browser, and the folder of the scripts beside the library that they need.
fn prepare(context: &Context) -> Result<(PathBuf, PathBuf), String> {
    ask(Command::new("npm").arg("--version")).ok_or("there is no npm")?;
    let browser = match find() {
        Some(found) => found,
        None => {
            install(context).map_err(|reason| format!("there is no Chromium ({reason})"))?;
            find().ok_or("apt-get has installed no Chromium")?
        }
    };
    let folder = unpack(context)?;
    Ok((browser, folder))
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

/// The library lies in cargo's folder, so that the clone stays clean; the script needs to lie beside it.
fn unpack(context: &Context) -> Result<PathBuf, String> {
    let source = workspace::root().join("tests/browser");
    let folder = workspace::target().join("browser");
    let is_fresh = same(&source, &folder, "package-lock.json") && folder.join("node_modules/playwright-core").is_dir();
    for name in FILES {
        fs::create_dir_all(&folder)
            .and_then(|()| fs::copy(source.join(name), folder.join(name)))
            .map_err(|error| format!("{}: {error}", folder.join(name).display()))?;
    }
    if !is_fresh {
        let mut command = Command::new("npm");
        command.args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder);
        let done = succeed(&context.reaper, &mut command, &context.log, context.limit);
        done.map_err(|reason| format!("npm could not fetch the library ({reason})"))?;
    }
    Ok(folder)
}

fn same(one: &Path, other: &Path, name: &str) -> bool {
    matches!((fs::read(one.join(name)), fs::read(other.join(name))), (Ok(one), Ok(other)) if one == other)
}
