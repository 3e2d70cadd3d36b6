//! The packages in `packages/`: each is packed with the program, installed into a project of its own, and used there as a
//! new user would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::outcome::Outcome;
use crate::process::first_line;
use crate::step::{Context, Need, Step, WITHOUT_CLIENTS, cargo_test, minutes};
use crate::{npm, python, workspace};

/// A debug build is large, and nobody downloads these packages.
const QUICK_COMPRESSION: [&str; 2] = ["--level", "1"];

pub const NODE: Step = Step {
    name: "package-node",
    about: "the npm package is packed, installed and used with node:test, Vitest, Jest and TypeScript, if npm can install them",
    needs: &[Need::Step("binary")],
    limit: minutes(6),
    run: |context| match npm::install_for_this_platform(context, "packages/node/test") {
        Ok(project) => node(context, &project).unwrap_or_else(Outcome::failed),
        Err(reason) => Outcome::skipped(reason),
    },
};

pub const PYTHON: Step = Step {
    name: "package-python",
    about: "the wheel is built, installed and used with pytest and mypy, if PyPI is reachable",
    needs: &[Need::Step("binary")],
    limit: minutes(6),
    run: |context| {
        if first_line(Command::new("python3").args(["-c", "import tomllib"])).is_none() {
            return Outcome::skipped("python3 3.11 or newer is not installed");
        }
        match python::environment(context, "packages/python/test") {
            Ok(interpreter) => python(context, &interpreter).unwrap_or_else(Outcome::failed),
            Err(reason) => Outcome::skipped(reason),
        }
    },
};

pub const ACTION: Step = Step {
    name: "package-action",
    about: "the script of the GitHub Action starts the program as a runner would",
    needs: &[Need::Step("binary")],
    limit: minutes(2),
    run: |context| {
        if first_line(Command::new("python3").arg("--version")).is_none() {
            return Outcome::skipped("python3 is not installed");
        }
        context.run_command(workspace::command("sh").arg("packages/action/test.sh").arg(workspace::plinth()))
    },
};

pub const DEB: Step = Step {
    name: "package-deb",
    about: "the package for Debian is built, and installed, used and removed in a copy of this system, as root and with dpkg",
    needs: &[Need::Step("binary")],
    limit: minutes(4),
    run: |context| {
        for program in ["dpkg-deb", "python3"] {
            if first_line(Command::new(program).arg("--version")).is_none() {
                return Outcome::skipped(format!("{program} is not installed"));
            }
        }
        if first_line(workspace::command("sh").args(["packages/deb/test.sh", "--probe"])).is_none() {
            return Outcome::skipped("this is not root, or a copy of the system cannot be mounted");
        }
        deb(context).unwrap_or_else(Outcome::failed)
    },
};

pub const RUST: Step = Step {
    name: "package-rust",
    about: "the package for Rust passes its own tests, with a server as a child process and in process",
    needs: &[Need::Cargo, Need::Step("binary")],
    limit: minutes(10),
    run: |context| {
        // With the packages of the step `unit`, so that the service is not compiled again with other features.
        let mut command = cargo_test(&WITHOUT_CLIENTS);
        command.args(["--features", "plinth-test/in-process", "--test", "package"]);
        context.run_tests(command.env("PLINTH", workspace::plinth()))
    },
};

fn deb(context: &Context) -> Result<Outcome, String> {
    let out = workspace::target().join("packages/deb");
    context.succeed(&mut build("sh", "packages/deb/build.sh", &out))?;
    Ok(context.run_command(workspace::command("sh").arg("packages/deb/test.sh").args(packed(&out, "deb")?)))
}

fn node(context: &Context, project: &Path) -> Result<Outcome, String> {
    let out = workspace::target().join("packages/npm");
    context.succeed(build("node", "packages/node/build.mjs", &out).env_remove("PLINTH"))?;
    let mut install = in_project("npm", project);
    install.args(["install", "--no-save", "--no-audit", "--no-fund", "--prefer-offline"]).args(packed(&out, "tgz")?);
    context.succeed(&mut install)?;
    Ok(context.run_command(in_project("npm", project).args(["test", "--silent"])))
}

fn python(context: &Context, interpreter: &Path) -> Result<Outcome, String> {
    let out = workspace::target().join("packages/python");
    context.succeed(&mut build(interpreter, "packages/python/build.py", &out))?;
    let mut install = Command::new(interpreter);
    install.args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--force-reinstall"]);
    context.succeed(install.args(packed(&out, "whl")?))?;
    let project = out.join("project");
    npm::copy_files(&workspace::root().join("packages/python/test"), &project)?;
    for arguments in [["types_of_plinth.py"].as_slice(), &["--package", "plinth"]] {
        let mut types = in_project(interpreter, &project);
        context.succeed(types.args(["-m", "mypy", "--cache-dir", "/dev/null"]).args(arguments))?;
    }
    Ok(context.run_command(in_project(interpreter, &project).args(["-B", "-m", "pytest", "-p", "no:cacheprovider"])))
}

fn build(program: impl AsRef<Path>, script: &str, out: &Path) -> Command {
    let mut command = Command::new(program.as_ref());
    command.arg(workspace::root().join(script)).arg("--binary").arg(workspace::plinth()).arg("--out").arg(out);
    command.args(QUICK_COMPRESSION);
    command
}

/// A command in a project, which must find the program in its package.
fn in_project(program: impl AsRef<Path>, project: &Path) -> Command {
    let mut command = Command::new(program.as_ref());
    command.current_dir(project).env_remove("PLINTH");
    command
}

fn packed(directory: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    Ok(paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_the_version_of_the_workspace() {
        let packages = workspace::root().join("packages");
        let read = |file: &str| fs::read_to_string(packages.join(file)).expect("a package has a description");
        let workspace = fs::read_to_string(workspace::root().join("Cargo.toml")).expect("there is a workspace");
        let section = workspace.split("[workspace.package]\nversion = ").nth(1).expect("the workspace has a version");
        let version = section.lines().next().expect("a line");
        let own = format!("\"version\": {version},");
        let main = read("node/package.json");
        assert!(main.contains(&own), "packages/node/package.json");
        let platforms = fs::read_dir(packages.join("node/platforms")).expect("there are platforms").flatten();
        for platform in platforms.map(|entry| entry.file_name().into_string().expect("a name in UTF-8")) {
            let file = format!("node/platforms/{platform}/package.json");
            assert!(read(&file).contains(&own), "packages/{file}");
            assert!(
                main.contains(&format!("\"@plinth/{platform}\": {version}")),
                "packages/node/package.json: {platform}"
            );
        }
        assert!(
            read("python/pyproject.toml").contains(&format!("\nversion = {version}\n")),
            "packages/python/pyproject.toml"
        );
    }
}
