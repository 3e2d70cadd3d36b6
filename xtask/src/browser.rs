//! The API explorer and hostile comments in a real browser: Chromium found or installed, driven by a small library from
//! npm.

use std::path::PathBuf;
use std::process::Command;

use crate::process::ask;
use crate::runner::Context;
use crate::steps::{Need, Outcome, Step, minutes, runs_tests};
use crate::{apt, npm, workspace};

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
/// One after the other, each with its own count.
const STORIES: &str = "await import('./explorer.mjs'); await import('./comments.mjs');";

/// A browser, and the folder of the scripts beside the library that they need.
fn prepare(context: &Context) -> Result<(PathBuf, PathBuf), String> {
    let folder = npm::unpack(context, "tests/browser", &[])?;
    let browser = match find() {
        Some(found) => found,
        None => {
            let installed = apt::install(context, &["chromium", "fonts-dejavu-core"]);
            installed.map_err(|reason| format!("there is no Chromium ({reason})"))?;
            find().ok_or("apt-get has installed no Chromium")?
        }
    };
    Ok((browser, folder))
}

fn find() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let candidates = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    // Some distributions have a file of that name that only says where to get the program.
    candidates.filter(|path| path.is_file()).find(|path| ask(Command::new(path).arg("--version")).is_some())
}
