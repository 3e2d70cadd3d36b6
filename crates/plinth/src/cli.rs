//! The command line: one binary for the server and for everything that is done to its store.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, Parser, Subcommand};
use futures_util::future::BoxFuture;

use crate::backup::{Backup, Restore};
use crate::commands::app::AppCommand;
use crate::commands::device::DeviceCommand;
use crate::commands::hook::HookCommand;
use crate::commands::installation::InstallationCommand;
use crate::commands::move_store::Move;
use crate::commands::org::OrgCommand;
use crate::commands::repo::RepoCommand;
use crate::commands::token::TokenCommand;
use crate::commands::user::UserCommand;
use crate::commands::{check, import};
use crate::config::{ConfigFile, Options};
use crate::serve::Serve;
use crate::state_file::State;
use crate::verify::Verify;
use plinth_base::clock::Clock;
use plinth_base::error::Result;

/// A self-hosted, GitHub-compatible REST service over real Git repositories.
#[derive(Debug, Parser)]
#[command(name = "plinth", version = env!("PLINTH_VERSION"), arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten, next_help_heading = "Settings")]
    config: ConfigFile,
    #[command(flatten, next_help_heading = "Settings")]
    options: Options,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server
    Serve(Serve),
    /// Bring the store to the state that a file describes
    Apply {
        /// The state file, in YAML
        file: PathBuf,
    },
    /// Create, list and revoke tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Create and list users
    #[command(subcommand)]
    User(UserCommand),
    /// Create and list organizations, and manage their members
    #[command(subcommand)]
    Org(OrgCommand),
    /// Create, list, delete and purge repositories, and manage their collaborators
    #[command(subcommand)]
    Repo(RepoCommand),
    /// Create apps, and manage their keys and secrets
    #[command(subcommand)]
    App(AppCommand),
    /// Install apps on accounts, suspend and delete installations
    #[command(subcommand)]
    Installation(InstallationCommand),
    /// Create, list and delete hooks, and repeat their deliveries
    #[command(subcommand)]
    Hook(HookCommand),
    /// Approve or deny a device that is signing in
    #[command(subcommand)]
    Device(DeviceCommand),
    /// Copy all of a Git repository on this machine into an empty repository
    Import {
        /// The repository to fill, written owner/name
        repo: String,
        /// The directory of the repository to copy
        source: PathBuf,
    },
    /// Check the settings and the store
    Check {
        /// Show the effective settings, with secrets masked
        #[arg(long)]
        print: bool,
    },
    Backup(Backup),
    Restore(Restore),
    Move(Move),
    Verify(Verify),
    /// Print the completions for a shell
    Completions {
        shell: clap_complete::Shell,
    },
    /// Write a manual page for each command into a directory
    Manual {
        directory: PathBuf,
    },
}

/// Runs the command. An error is for the person who typed it. Boxed, so that all of it is compiled in this crate and not again
/// in each program that calls it.
pub fn run<'a>(cli: Cli, out: &'a mut (dyn Write + Send)) -> BoxFuture<'a, Result<ExitCode>> {
    Box::pin(dispatch(cli, out))
}

async fn dispatch(cli: Cli, out: &mut (dyn Write + Send)) -> Result<ExitCode> {
    let options = cli.options.over(cli.config.read()?);
    let clock = Clock::default();
    let done = match cli.command {
        Command::Serve(serve) => serve.run(options, out).await,
        Command::Apply { file } => {
            let state = State::read(&file)?.with_secrets_key_file(options.secrets_key_file());
            let store = options.open_store().await?;
            let repositories = Arc::new(options.open_repositories(&store).await?);
            let report = state.apply(&store, &repositories, clock.now()).await?;
            Ok(write!(out, "{report}")?)
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
        Command::App(command) => {
            let store = options.open_store().await?;
            command.run(&store, &options.key_of_secrets(&store).await?, &clock, out).await
        }
        Command::Hook(command) => {
            let store = options.open_store().await?;
            command.run(&store, &options.key_of_secrets(&store).await?, &clock, out).await
        }
        Command::Installation(command) => command.run(&options.open_store().await?, &clock, out).await,
        Command::Device(command) => command.run(&options.open_store().await?, &clock, out).await,
        Command::Check { print } => check::run(&options, print, out).await,
        Command::Backup(backup) => backup.run(&options, out).await,
        Command::Restore(restore) => restore.run(&options, out).await,
        Command::Move(command) => command.run(options, out).await,
        Command::Verify(verify) => return Ok(verify.run(&options, out).await),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "plinth", &mut { out });
            Ok(())
        }
        Command::Manual { directory } => {
            std::fs::create_dir_all(&directory)?;
            Ok(clap_mangen::generate_to(Cli::command(), &directory)?)
        }
    };
    done.map(|()| ExitCode::SUCCESS)
}
