//! The git part of the row `traffic`: pushes and clones of small repositories, compared with `git http-backend`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Result;

use crate::harness::{Context, Cpu, ServeOptions, service};
use crate::load::{Random, Zipf};
use crate::results::{Figure, Results, Row, Target, significant};
use crate::seed;
use crate::seed::traffic::{Sizes, TokenKind, TrafficSeed, org, repo, token, token_kind};
use crate::servers::Role;
use crate::system::{ServerProcess, git, output_of};

/// Clones, and as many pushes, of one round.
const TRANSFERS: usize = 8;
/// A round takes a second, so there are fewer.
const ROUNDS_MAX: usize = 5;

pub fn rows(context: &Context, seed: &TrafficSeed) -> Result<Results> {
    let pair = Pair::start(context, seed)?;
    let mut transfers = Transfers::new(seed, context.size(1, TRANSFERS));
    let mut times: [Times; 2] = Default::default();
    for round in 0..context.rounds.min(ROUNDS_MAX) {
        let repos = transfers.pick();
        let commit = pair.commit(round)?;
        for (index, times) in times.iter_mut().enumerate() {
            let run = |urls: &dyn Fn(&Repo) -> String| match index {
                0 => pair.clone(&repos, urls),
                _ => pair.push(&repos, urls, &commit),
            };
            // Every second round begins with the backend.
            let (service, backend): (f64, f64);
            if round % 2 == 0 {
                service = run(&|repo| pair.service_url(repo))?;
                backend = run(&|repo| pair.backend_url(repo))?;
            } else {
                backend = run(&|repo| pair.backend_url(repo))?;
                service = run(&|repo| pair.service_url(repo))?;
            }
            times.service.push(service / repos.len() as f64);
            times.backend.push(backend / repos.len() as f64);
        }
    }
    let [clones, pushes] = times;
    Ok(Results::of_rows(vec![clones.row("clone of a small repository"), pushes.row("push of one commit")]))
}

/// A repository and a token for it.
struct Repo {
    name: String,
    token: String,
}

/// Chooses repositories as the REST part does.
struct Transfers {
    random: Random,
    repos: Zipf,
    tokens: Zipf,
    sizes: Sizes,
    count: usize,
}

impl Transfers {
    fn new(seed: &TrafficSeed, count: usize) -> Self {
        let sizes = seed.sizes;
        let repos = Zipf::new(sizes.orgs * sizes.repos_per_org);
        Self { random: Random::new(5), repos, tokens: Zipf::new(sizes.tokens_per_org), sizes, count }
    }

    /// Different ones, since a branch can be pushed once.
    fn pick(&mut self) -> Vec<Repo> {
        let mut picked: Vec<Repo> = Vec::new();
        while picked.len() < self.count {
            let rank = self.repos.pick(&mut self.random);
            let org_index = rank % self.sizes.orgs;
            let name = format!("{}/{}", org(org_index), repo(rank / self.sizes.orgs));
            let index = self.tokens.pick(&mut self.random);
            if token_kind(index) != TokenKind::Installation && !picked.iter().any(|other| other.name == name) {
                picked.push(Repo { name, token: token(org_index, index) });
            }
        }
        picked
    }
}

/// Both servers, with the same repositories.
struct Pair {
    service: ServerProcess,
    backend: ServerProcess,
    directory: PathBuf,
    /// Where new commits are made.
    work: PathBuf,
}

impl Pair {
    fn start(context: &Context, seed: &TrafficSeed) -> Result<Self> {
        let directory = context.scratch("traffic-git")?;
        let data = seed::copy_data(&seed.directory, &directory)?;
        let repositories = directory.join("repositories");
        let source = seed.directory.join("source.git");
        for (org_index, repo_index) in seed.sizes.repos() {
            let copy = repositories.join(org(org_index)).join(format!("{}.git", repo(repo_index)));
            fs::create_dir_all(copy.parent().unwrap_or(&repositories))?;
            output_of(Command::new("cp").arg("-r").arg(&source).arg(&copy))?;
            output_of(&mut git(&copy, &["config", "http.receivepack", "true"]))?;
        }
        let work = directory.join("work.git");
        output_of(Command::new("cp").arg("-r").arg(&source).arg(&work))?;
        let role = Role::HttpBackend { repositories };
        Ok(Self {
            service: service::start(context, &data, ServeOptions::default())?,
            backend: service::start_reference(context, &role, Cpu::AnyCore)?,
            directory,
            work,
        })
    }

    fn service_url(&self, repo: &Repo) -> String {
        format!("http://x:{}@{}/{}.git", repo.token, self.service.address, repo.name)
    }

    fn backend_url(&self, repo: &Repo) -> String {
        format!("http://{}/{}.git", self.backend.address, repo.name)
    }

    /// A commit on top of `main` that no server has.
    fn commit(&self, round: usize) -> Result<String> {
        let message = format!("round {round}");
        let mut command = git(&self.work, &["commit-tree", "main^{tree}", "-p", "main", "-m", &message]);
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Mona").env(format!("GIT_{role}_EMAIL"), "mona@example.com");
            command.env(format!("GIT_{role}_DATE"), format!("{} +0000", 1_700_000_000 + round));
        }
        Ok(output_of(&mut command)?.trim().to_owned())
    }

    fn clone(&self, repos: &[Repo], url: &dyn Fn(&Repo) -> String) -> Result<f64> {
        let target = self.directory.join("clone");
        let mut seconds = 0.0;
        for repo in repos {
            seconds += time(git(Path::new("."), &["clone", "-q", "--bare", &url(repo)]).arg(&target))?;
            fs::remove_dir_all(&target)?;
        }
        Ok(seconds)
    }

    fn push(&self, repos: &[Repo], url: &dyn Fn(&Repo) -> String, commit: &str) -> Result<f64> {
        let update = format!("{commit}:refs/heads/pushed-{commit}");
        repos.iter().map(|repo| time(&mut git(&self.work, &["push", "-q", &url(repo), &update]))).sum()
    }
}

fn time(command: &mut Command) -> Result<f64> {
    let begun = Instant::now();
    output_of(command)?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Seconds of one transfer, one per round.
#[derive(Default)]
struct Times {
    service: Vec<f64>,
    backend: Vec<f64>,
}

impl Times {
    fn row(&self, what: &str) -> Row {
        let ratios: Vec<f64> = self.service.iter().zip(&self.backend).map(|(one, other)| one / other).collect();
        let milliseconds = |times: &[f64]| significant(Figure::of(times).median * 1000.0);
        Row {
            what: format!("traffic, git part, {what}"),
            service: format!("{} ms", milliseconds(&self.service)),
            baseline: format!("git http-backend: {} ms", milliseconds(&self.backend)),
            figure: Figure::of(&ratios),
            unit: "× the time",
            target: Target::None,
            note: "the time of the git client included".into(),
        }
    }
}
