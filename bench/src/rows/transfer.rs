//! Clone and push of a large repository, compared with `git http-backend`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::json;

use super::group::RowGroup;
use crate::harness::{Context, Cpu, ServeOptions, service};
use crate::http::Client;
use crate::results::{Figure, Results, Row, Target, significant};
use crate::seed::{self, large_repo};
use crate::servers::Role;
use crate::system::{ServerProcess, git, output_of};

/// Each round takes seconds, so there are fewer.
const ROUNDS_MAX: usize = 5;

pub const CLONE: RowGroup = RowGroup {
    name: "clone",
    about: "clone of a repository of 100 MB, compared with `git http-backend`",
    run: |context| {
        let pair = Pair::start(context)?;
        let clone = |url: &str, round: usize| {
            let target = pair.directory.join(format!("clone-{round}"));
            let took = time(git(Path::new("."), &["clone", "-q", "--bare", url]).arg(&target))?;
            check_head(&pair.seed, &target)?;
            fs::remove_dir_all(&target)?;
            Ok(took)
        };
        let mut times = Times::default();
        for round in 0..context.rounds.min(ROUNDS_MAX) {
            let service = || clone(&pair.service_url("large"), round);
            let backend = || clone(&pair.backend_url("large"), round);
            times.add_round(round, service, backend)?;
        }
        Ok(Results::of_rows(vec![times.row("clone of 100 MB", "git http-backend")]))
    },
};

pub const PUSH: RowGroup = RowGroup {
    name: "push",
    about: "push of a repository of 100 MB, compared with `git http-backend`",
    run: |context| {
        let pair = Pair::start(context)?;
        let mut plain = Times::default();
        let mut checked = Times::default();
        let source = pair.seed.join("source.git");
        let push = |url: &str| time(&mut git(&source, &["push", "-q", url, "main:refs/heads/main"]));
        for round in 0..context.rounds.min(ROUNDS_MAX) {
            for (times, check) in [(&mut plain, "false"), (&mut checked, "true")] {
                let name = format!("pushed-{check}-{round}");
                pair.create_repository(&name, check)?;
                times.add_round(round, || push(&pair.service_url(&name)), || push(&pair.backend_url(&name)))?;
            }
        }
        Ok(Results::of_rows(vec![
            plain.row("push of 100 MB", "git http-backend without object checks"),
            checked.row("push of 100 MB, objects checked", "git http-backend with receive.fsckObjects"),
        ]))
    },
};

/// Seconds, one per round.
#[derive(Default)]
struct Times {
    service: Vec<f64>,
    backend: Vec<f64>,
}

impl Times {
    /// Every second round begins with the backend.
    fn add_round(
        &mut self,
        round: usize,
        service: impl Fn() -> Result<f64>,
        backend: impl Fn() -> Result<f64>,
    ) -> Result<()> {
        if round.is_multiple_of(2) {
            self.service.push(service()?);
            self.backend.push(backend()?);
        } else {
            self.backend.push(backend()?);
            self.service.push(service()?);
        }
        Ok(())
    }

    fn row(&self, what: &str, baseline: &str) -> Row {
        let ratios: Vec<f64> =
            self.service.iter().zip(&self.backend).map(|(service, backend)| service / backend).collect();
        Row {
            what: what.into(),
            service: format!("{} s", significant(Figure::of(&self.service).median)),
            baseline: format!("{baseline}: {} s", significant(Figure::of(&self.backend).median)),
            figure: Figure::of(&ratios),
            unit: "× the time",
            target: Target::AtMost(1.1),
            note: String::new(),
        }
    }
}

/// Both servers, with the same repository.
struct Pair {
    seed: PathBuf,
    directory: PathBuf,
    repositories: PathBuf,
    service: ServerProcess,
    backend: ServerProcess,
}

impl Pair {
    fn start(context: &Context) -> Result<Self> {
        let seed = large_repo::get(context)?;
        let directory = context.scratch("transfer")?;
        let data = seed::copy_data(&seed, &directory)?;
        let repositories = directory.join("repositories");
        fs::create_dir_all(&repositories)?;
        let mut copy = Command::new("cp");
        output_of(copy.arg("-r").arg(seed.join("source.git")).arg(repositories.join("large.git")))?;
        let role = Role::HttpBackend { repositories: repositories.clone() };
        Ok(Self {
            service: service::start(context, &data, ServeOptions::default())?,
            backend: service::start_reference(context, &role, Cpu::AnyCore)?,
            seed,
            directory,
            repositories,
        })
    }

    fn service_url(&self, name: &str) -> String {
        format!("http://x:ghp_bench@{}/acme/{name}.git", self.service.address)
    }

    fn backend_url(&self, name: &str) -> String {
        format!("http://{}/{name}.git", self.backend.address)
    }

    /// Creates an empty repository on both servers.
    fn create_repository(&self, name: &str, check_objects: &str) -> Result<()> {
        let mut client = Client::connect(self.service.address)?;
        client.send("POST", "/orgs/acme/repos", &json!({ "name": name }))?.expect(201)?;
        let directory = self.repositories.join(format!("{name}.git"));
        output_of(git(Path::new("."), &["init", "-q", "--bare", "-b", "main"]).arg(&directory))?;
        output_of(&mut git(&directory, &["config", "http.receivepack", "true"]))?;
        output_of(&mut git(&directory, &["config", "receive.fsckObjects", check_objects]))?;
        Ok(())
    }
}

fn time(command: &mut Command) -> Result<f64> {
    let begun = Instant::now();
    output_of(command)?;
    Ok(begun.elapsed().as_secs_f64())
}

fn check_head(seed: &Path, clone: &Path) -> Result<()> {
    let head = |directory: &Path| output_of(&mut git(directory, &["rev-parse", "main"]));
    ensure!(head(&seed.join("source.git"))? == head(clone)?, "the clone has a different head");
    Ok(())
}
