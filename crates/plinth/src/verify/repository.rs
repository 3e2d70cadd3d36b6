//! Checks one repository: its directory, its packs, and every object that the database names.

use std::collections::HashSet;

use super::report::{Finding, Kind, Repair, Report};
use crate::progress::Progress;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_core::{objects, pulls, refs, repos};
use plinth_git::{PackIndexes, PackProblem, RawObject, Repairable, Repositories};
use plinth_store::Store;

const REFS_PER_BATCH: i64 = 10_000;
const LOOSE_PER_BATCH: i64 = 1_000;

/// Checks one repository after another.
pub struct Checker<'a> {
    pub store: &'a Store,
    pub repositories: &'a Repositories,
    pub report: &'a mut Report,
    pub progress: &'a mut Progress,
}

/// The database's view of a repository. It is read before the packs, which then contain every object it names.
struct Facts {
    name: String,
    refs: Vec<(String, Sha)>,
    /// Commits of pull request versions and of comment anchors.
    pull_requests: Vec<Sha>,
    /// Objects in the database, which are not in a pack yet.
    loose: Vec<RawObject>,
}

/// A finding, with the problem that could be repaired.
struct Found {
    finding: Finding,
    problem: Option<PackProblem>,
}

impl Checker<'_> {
    /// Packs come and go while a server runs, so a problem counts only if it is found twice.
    pub async fn check(&mut self, repo: RepoId, repair: bool) -> Result<()> {
        let Some(facts) = read_facts(self.store, repo).await? else { return Ok(()) };
        self.report.checked.repositories += 1;
        self.report.checked.references += facts.refs.len() as u64;
        self.report.checked.pull_request_commits += facts.pull_requests.len() as u64;
        let first = self.find_problems(repo, &facts)?;
        if first.is_empty() {
            return Ok(());
        }
        let Some(facts) = read_facts(self.store, repo).await? else { return Ok(()) };
        let mut found = self.find_problems(repo, &facts)?;
        found.retain(|found| first.iter().any(|before| before.finding == found.finding));
        let is_repairable = found.iter().any(Found::is_repairable);
        if repair && is_repairable {
            self.repair_all(repo, &found);
            // A repair can bring back objects that were reported as missing.
            found = self.find_problems(repo, &facts)?;
        }
        for found in found {
            let could_be_repaired = found.is_repairable() && !repair;
            self.report.add(if could_be_repaired { found.finding.with(Repair::Possible) } else { found.finding });
        }
        Ok(())
    }

    fn find_problems(&mut self, repo: RepoId, facts: &Facts) -> Result<Vec<Found>> {
        let Self { repositories, report, progress, .. } = self;
        let problems = repositories.check_packs(repo, &mut |bytes| {
            report.checked.pack_bytes += bytes;
            progress.expect(bytes);
            progress.add(bytes);
        })?;
        let mut found: Vec<Found> = problems.into_iter().map(|problem| of_pack(&facts.name, problem)).collect();
        let (present, missing) = self.find_named(repo, facts)?;
        found.extend(missing.into_iter().map(Found::without_repair));
        let connectivity = self.repositories.check_connectivity(repo, &present, &facts.loose)?;
        for sha in connectivity.missing {
            let finding = Finding::new(Kind::Disconnected, "another object names it, and it is missing".into());
            found.push(Found::without_repair(finding.in_repository(&facts.name).of(sha)));
        }
        if let Some(complaint) = connectivity.failure {
            let finding = Finding::new(Kind::Disconnected, format!("the history cannot be walked: {complaint}"));
            found.push(Found::without_repair(finding.in_repository(&facts.name)));
        }
        Ok(found)
    }

    /// Looks up the objects that the database names: those that exist, and a finding for each of the others.
    fn find_named(&self, repo: RepoId, facts: &Facts) -> Result<(Vec<Sha>, Vec<Finding>)> {
        let packs = PackIndexes::open_readable(&self.repositories.pack_directory(repo))?;
        let loose: HashSet<Sha> = facts.loose.iter().map(RawObject::sha).collect();
        let exists = |sha: &Sha| packs.contain(sha) || loose.contains(sha);
        let (mut present, mut missing) = (Vec::new(), Vec::new());
        let mut check = |sha: &Sha, what: &str| {
            if exists(sha) {
                present.push(*sha);
                return;
            }
            let finding = Finding::new(Kind::MissingObject, format!("{what} names it, and it is missing"));
            missing.push(finding.in_repository(&facts.name).of(*sha).at(&self.repositories.pack_directory(repo)));
        };
        facts.refs.iter().for_each(|(name, sha)| check(sha, name));
        facts.pull_requests.iter().for_each(|sha| check(sha, "a pull request version or a comment"));
        present.sort_unstable();
        present.dedup();
        Ok((present, missing))
    }

    fn repair_all(&mut self, repo: RepoId, found: &[Found]) {
        for found in found.iter().filter(|found| found.is_repairable()) {
            let Some(problem) = &found.problem else { continue };
            let repaired = match self.repositories.repair(repo, problem) {
                Ok(()) => Repair::Done,
                Err(error) => Repair::Failed(error.to_string()),
            };
            self.report.add(found.finding.clone().with(repaired));
        }
    }
}

impl Found {
    fn without_repair(finding: Finding) -> Self {
        Self { finding, problem: None }
    }

    fn is_repairable(&self) -> bool {
        self.problem.as_ref().is_some_and(|problem| problem.repair != Repairable::No)
    }
}

fn of_pack(name: &str, problem: PackProblem) -> Found {
    let kind = match problem.repair {
        Repairable::No => Kind::DamagedPack,
        Repairable::Index => Kind::DamagedIndex,
        Repairable::CommitGraph => Kind::DamagedCommitGraph,
        Repairable::Directories => Kind::MissingDirectory,
    };
    let finding = Finding::new(kind, problem.message.clone()).in_repository(name).at(&problem.path);
    Found { finding, problem: Some(problem) }
}

/// `None` for a repository that was deleted meanwhile.
async fn read_facts(store: &Store, repo: RepoId) -> Result<Option<Facts>> {
    let mut db = store.read().await?;
    let Some(found) = repos::store::find_by_id(&mut db, repo, None).await? else { return Ok(None) };
    let name = format!("{}/{}", found.repo.owner_login, found.repo.name);
    let mut refs = Vec::new();
    let mut after = String::new();
    loop {
        let batch = refs::store::list(&mut db, repo, "", &after, REFS_PER_BATCH).await?;
        let Some(last) = batch.last() else { break };
        after = last.name.to_string();
        refs.extend(batch.iter().map(|reference| (reference.name.to_string(), reference.target)));
    }
    let pull_requests = pulls::gc_roots(&mut db, repo).await?;
    let mut loose: Vec<RawObject> = Vec::new();
    loop {
        let after = loose.last().map(RawObject::sha);
        let batch = objects::store::list_sizes(&mut db, repo, after, LOOSE_PER_BATCH).await?;
        if batch.is_empty() {
            break;
        }
        let before = loose.len();
        for listed in batch {
            // It may have moved into a pack meanwhile.
            if let Some(stored) = objects::store::find(&mut db, repo, listed.sha).await? {
                loose.push(stored.into_object()?);
            }
        }
        if loose.len() == before {
            break;
        }
    }
    Ok(Some(Facts { name, refs, pull_requests, loose }))
}
