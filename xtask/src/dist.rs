//! The program for distribution, optimized with a recorded profile of its work (docs/decisions/0182-recorded-profile.md).

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::bench;
use crate::workspace::{cargo, command, root, target};

/// The Cargo profile, which is the one of packages and benchmarks; see `Cargo.toml`.
pub const CARGO_PROFILE: &str = "dist";
/// The directory of recorded profiles. One serves one version of the compiler only: functions are found by their symbols, and
/// these contain a hash over that version.
const PROFILES: &str = "packaging/profiles";
/// Later versions of LLVM than any there is now, down to the first that reads what current compilers record.
const LLVM_VERSIONS: std::ops::RangeInclusive<u32> = 19..=40;
/// The file that a program with counters writes its counts to.
pub const COUNTS_VARIABLE: &str = "LLVM_PROFILE_FILE";
/// Flags of the compiler, separated by a control character.
const ENCODED_FLAGS: &str = "CARGO_ENCODED_RUSTFLAGS";

/// Where the program is after [`build`].
fn program() -> PathBuf {
    target().join(CARGO_PROFILE).join("plinth")
}

pub fn run(flags: &[String]) -> Result<ExitCode, String> {
    let records = match flags {
        [] => false,
        [flag] if flag == "--record" => true,
        _ => return Err("dist accepts only --record".into()),
    };
    if records {
        record()?;
    }
    build()?;
    println!("built {}", program().display());
    Ok(ExitCode::SUCCESS)
}

/// Builds the program, with a recorded profile if there is one for this compiler.
pub fn build() -> Result<(), String> {
    let profile = Compiler::current()?.profile();
    let mut command = build_of("plinth");
    if profile.is_file() {
        // Functions that have changed since the recording are compiled as without a profile.
        let used = format!("-Cprofile-use={}", profile.display());
        add_flags(&mut command, &[&used, "-Cllvm-args=-no-pgo-warn-mismatch"]);
    } else {
        println!("no {}: without it, a request takes up to half as much CPU time again", profile.display());
        println!("`cargo xtask dist --record` records a profile with this compiler, in about half an hour");
    }
    succeed(&mut command)
}

/// The optimized build of a package, without a recorded profile.
pub fn build_of(package: &str) -> Command {
    cargo(&["build", "--locked", "--profile", CARGO_PROFILE, "--package", package])
}

/// Records a profile: builds a program that counts, lets the benchmarks use it, and merges its counts.
fn record() -> Result<(), String> {
    let compiler = Compiler::current()?;
    let merger = compiler.find_merger()?;
    let directory = target().join("profile");
    let counts = directory.join("counts");
    let mut command = build_of("plinth");
    command.env("CARGO_TARGET_DIR", &directory);
    // Macros count, too, and would write their counts when the compiler exits.
    command.env(COUNTS_VARIABLE, "/dev/null");
    add_flags(&mut command, &[&format!("-Cprofile-generate={}", counts.display())]);
    succeed(&mut command)?;
    succeed(&mut build_of("plinth-bench"))?;
    if counts.exists() {
        std::fs::remove_dir_all(&counts).map_err(|error| format!("{}: {error}", counts.display()))?;
    }
    let counting = directory.join(CARGO_PROFILE).join("plinth");
    // Every row once, so that no branch that is taken counts as unused; then those that say what users get, for longer.
    bench::train(&counting, &counts, &directory.join("all"), &["--quick"])?;
    bench::train(&counting, &counts, &directory.join("usual"), USUAL_ROWS)?;
    let profile = compiler.profile();
    std::fs::create_dir_all(root().join(PROFILES)).map_err(|error| format!("{PROFILES}: {error}"))?;
    let mut merge = command_of(&merger);
    succeed(merge.args(["merge", "--sparse", "--output"]).arg(&profile).arg(&counts))?;
    println!("recorded {}", profile.display());
    Ok(())
}

/// The flags for the rows that decide what is optimized for speed.
const USUAL_ROWS: &[&str] = &[
    "--quick",
    "--rounds",
    "3",
    "--seconds",
    "1",
    "--only",
    "traffic",
    "--only",
    "postgres-traffic",
    "--only",
    "postgres-writes",
    "--only",
    "get-ref",
    "--only",
    "get-comment",
    "--only",
    "get-field",
    "--only",
    "list-comments",
    "--only",
    "create-ref",
    "--only",
    "update-ref",
    "--only",
    "create-comment",
    "--only",
    "update-comment",
];

/// The compiler that cargo uses.
struct Compiler {
    release: String,
    host: String,
    sysroot: PathBuf,
}

impl Compiler {
    fn current() -> Result<Self, String> {
        let version = output_of(rustc().arg("-vV"))?;
        let line = |name: &str| version.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        let (Some(release), Some(host)) = (line("release: "), line("host: ")) else {
            return Err("`rustc -vV` prints no release or host".into());
        };
        let sysroot = output_of(rustc().args(["--print", "sysroot"]))?.trim().into();
        Ok(Self { release, host, sysroot })
    }

    fn profile(&self) -> PathBuf {
        root().join(PROFILES).join(format!("rustc-{}-{}.profdata", self.release, self.host))
    }

    /// The program that merges counts: the compiler's own, or one of the system.
    fn find_merger(&self) -> Result<PathBuf, String> {
        let own = self.sysroot.join("lib/rustlib").join(&self.host).join("bin/llvm-profdata");
        let versions = LLVM_VERSIONS.rev().map(|version| PathBuf::from(format!("llvm-profdata-{version}")));
        let mut candidates = std::iter::once(own).chain(versions);
        let works = |program: &PathBuf| {
            command_of(program).arg("--version").output().is_ok_and(|output| output.status.success())
        };
        let help = "there is no llvm-profdata: run `rustup component add llvm-tools`, or `apt install llvm-19`";
        candidates.find(works).ok_or_else(|| help.into())
    }
}

fn rustc() -> Command {
    command(&std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()))
}

fn command_of(program: &Path) -> Command {
    command(&program.display().to_string())
}

/// Adds flags to those that the environment has.
fn add_flags(command: &mut Command, flags: &[&str]) {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    command.env(ENCODED_FLAGS, encoded(&variable(ENCODED_FLAGS), &variable("RUSTFLAGS"), flags));
}

/// Cargo's own form, because paths may have spaces in them. It ignores `RUSTFLAGS` if there is a list in this form.
fn encoded(list: &str, words: &str, flags: &[&str]) -> String {
    let given: Vec<&str> =
        if list.is_empty() { words.split_whitespace().collect() } else { list.split('\u{1f}').collect() };
    given.into_iter().chain(flags.iter().copied()).collect::<Vec<_>>().join("\u{1f}")
}

pub fn succeed(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} failed ({status})")),
        Err(error) => Err(format!("cannot start {command:?}: {error}")),
    }
}

fn output_of(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed ({})", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_added_to_those_of_the_environment() {
        assert_eq!(encoded("", "", &["-Ca=/a b", "-Cc"]), "-Ca=/a b\u{1f}-Cc");
        assert_eq!(encoded("", " -Cx  -Cy ", &["-Ca"]), "-Cx\u{1f}-Cy\u{1f}-Ca");
        assert_eq!(encoded("-Cx=/x y", "-Cz", &["-Ca"]), "-Cx=/x y\u{1f}-Ca");
    }

    #[test]
    fn container_is_built_with_a_compiler_that_has_a_profile() {
        let file = std::fs::read_to_string(root().join("packages/container/Containerfile")).expect("a file");
        let (_, rest) = file.split_once("library/rust:").expect("an image of Rust");
        let (version, _) = rest.split_once('-').expect("a version and a release of Debian");
        let start = format!("rustc-{version}.");
        let mut profiles = std::fs::read_dir(root().join(PROFILES)).expect("a directory");
        assert!(
            profiles.any(|file| file.expect("an entry").file_name().to_string_lossy().starts_with(&start)),
            "{start}"
        );
    }
}
