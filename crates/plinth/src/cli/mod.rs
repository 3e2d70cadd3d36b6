//! The command line: one binary for the server and for everything that is done to its store.

pub mod app;
mod backup;
mod check;
mod demo;
pub mod device;
mod entities;
mod import;
pub mod installation;
mod instance;
mod logging;
mod operator;
mod options;
mod permissions;
mod purge;
mod repeats;
mod serve;
pub mod state;
mod systemd;
mod token;
mod validation;
mod verify;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, Parser, Subcommand};

use options::{ConfigFile, Options};
pub use permissions::restrict_new_files;
use plinth_base::clock::Clock;
use plinth_base::error::Result;

/// A self-hosted, GitHub-compatible REST service over real Git repositories.
#[derive(Debug, Parser)]
#[command(name = "plinth", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    config: ConfigFile,
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server
    Serve(serve::Serve),
    /// Bring the store to the state that a file describes
    Apply {
        /// The state file, in YAML
        file: PathBuf,
    },
    /// Make, list and revoke tokens
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Make and list users
    #[command(subcommand)]
    User(entities::UserCommand),
    /// Make and list organizations, and their members
    #[command(subcommand)]
    Org(entities::OrgCommand),
    /// Make, list, delete and purge repositories, and manage their collaborators
    #[command(subcommand)]
    Repo(entities::RepoCommand),
    /// Make apps, and manage their keys and secrets
    #[command(subcommand)]
    App(app::AppCommand),
    /// Install apps on accounts, suspend and delete installations
    #[command(subcommand)]
    Installation(installation::InstallationCommand),
    /// Approve or deny a device that is signing in
    #[command(subcommand)]
    Device(device::DeviceCommand),
    /// Copy a Git repository of this machine, all of it, into an empty one
    Import {
        /// Where to, written owner/name
        repo: String,
        /// The folder of the repository to copy
        source: PathBuf,
    },
    /// Check the settings and the store
    Check {
        /// Show the settings in effect, secrets masked
        #[arg(long)]
        print: bool,
    },
    Backup(backup::Backup),
    Restore(backup::Restore),
    Verify(verify::Verify),
    /// Write the completions for a shell
    Completions {
        shell: clap_complete::Shell,
    },
}

/// Reads the arguments, runs the command, and says what a person needs to know about a failure.
pub async fn run(cli: Cli, out: &mut (dyn Write + Send)) -> Result<ExitCode> {
    let options = cli.options.over(cli.config.read()?);
    let clock = Clock::default();
    let done = match cli.command {
        Command::Serve(serve) => serve.run(options, out).await,
        Command::Apply { file } => {
            let state = state::State::read(&file)?;
            let store = options.open_store().await?;
            let repositories = Arc::new(options.open_repositories(&store).await?);
            let report = state.apply(&store, &repositories, clock.now()).await?;
            write!(out, "{report}")?;
            Ok(())
        }
        Command::Token(command) => command.run(&options.open_store().await?, &clock, out).await,
        Command::User(command) => command.run(&options.open_store().await?, &clock, out).await,
        Command::Org(command) => command.run(&options.open_store().await?, &clock, out).await,
        Command::Repo(command) => {
            let store = options.open_store().await?;
            let repositories = options.open_repositories(&store).await?;
            command.run(&options, &store, repositories, &clock, out).await
        }
        Command::Import { repo, source } => {
            let store = options.open_store().await?;
            let repositories = Arc::new(options.open_repositories(&store).await?);
            import::run(&store, repositories, (repo, &source), clock.now(), out).await
        }
        Command::App(command) => command.run(&options.open_store().await?, &clock, out).await,
        Command::Installation(command) => command.run(&options.open_store().await?, &clock, out).await,
        Command::Device(command) => command.run(&options.open_store().await?, &clock, out).await,
        Command::Check { print } => check::run(&options, print, out).await,
        Command::Backup(backup) => backup.run(&options, out).await,
        Command::Restore(restore) => restore.run(&options, out).await,
        Command::Verify(verify) => return Ok(verify.run(&options, out).await),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "plinth", &mut { out });
            Ok(())
        }
    };
    done.map(|()| ExitCode::SUCCESS)
}
