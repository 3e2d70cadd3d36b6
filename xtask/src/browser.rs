//! The API explorer in a real browser: Chromium found or installed, driven by a small library from npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apt;
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
const FILES: [&str; 4] = ["package.json", "package-lock.json", "explorer.mjs", "state.yaml"];

/// A browser, and the script beside the library that it needs.
fn prepare(context: &Context) -> Result<(PathBuf, PathBuf), String> {
    ask(Command::new("npm").arg("--version")).ok_or("there is no npm")?;
    let browser = match find() {
        Some(found) => found,
        None => {
            apt::install(context, &["chromium", "fonts-dejavu-core"])
                .map_err(|reason| format!("there is no Chromium ({reason})"))?;
            find().ok_or("apt-get has installed no Chromium")?
        }
    };
    let folder = unpack(context)?;
    Ok((browser, folder.join("explorer.mjs")))
}

fn find() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let candidates = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    // Some distributions have a file of that name that only says where to get the program.
    candidates.filter(|path| path.is_file()).find(|path| ask(Command::new(path).arg("--version")).is_some())
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
