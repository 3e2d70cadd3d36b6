//! The pages, the API explorer and hostile comments in a real browser: Chromium, driven by a small library from npm.

use std::path::PathBuf;
use std::process::Command;

use crate::outcome::Outcome;
use crate::process::first_line;
use crate::step::{Context, Need, Step, minutes};
use crate::{apt, npm, workspace};

pub const STEP: Step = Step {
    name: "browser",
    about: "the pages, the API explorer and hostile comments in Chromium, if it is installed or apt can install it",
    needs: &[Need::Step("binary")],
    limit: minutes(8),
    run: |context| match prepare(context) {
        Ok((browser, directory)) => {
            let mut command = workspace::command("node");
            command.args(["--input-type=module", "--eval", SCRIPTS]).current_dir(directory);
            command.env("PLINTH", workspace::plinth()).env("CHROMIUM", browser);
            command.env("SCREENSHOTS", workspace::root().join("target/screenshots"));
            context.run_tests(&mut command)
        }
        Err(reason) => Outcome::skipped(reason),
    },
};

/// Its names in different distributions.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
/// One after the other; each prints its own count.
const SCRIPTS: &str = "await import('./explorer.mjs'); await import('./comments.mjs'); await import('./pages.mjs'); \
                       await import('./forms.mjs');";

/// A browser, and the directory with the scripts and the library that they need.
fn prepare(context: &Context) -> Result<(PathBuf, PathBuf), String> {
    let directory = npm::install(context, "tests/browser", &[])?;
    let browser = match find() {
        Some(found) => found,
        None => {
            let packages = ["chromium", "fonts-dejavu-core"];
            let installed = apt::install(&packages, |command| context.succeed(command));
            installed.map_err(|reason| format!("Chromium is not installed ({reason})"))?;
            find().ok_or("apt-get did not install Chromium")?
        }
    };
    Ok((browser, directory))
}

fn find() -> Option<PathBuf> {
    let directories: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let candidates = NAMES.iter().flat_map(|name| directories.iter().map(move |directory| directory.join(name)));
    // Some distributions have a script of that name that only prints how to install the browser.
    candidates.filter(|path| path.is_file()).find(|path| first_line(Command::new(path).arg("--version")).is_some())
}
