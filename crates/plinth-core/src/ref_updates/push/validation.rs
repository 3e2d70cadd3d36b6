//! What is decided about each update of a push before any name changes.

use std::collections::HashMap;

use plinth_base::error::{Error, Result};
use plinth_base::ids::{RefName, Sha};
use plinth_git::{Budget, Quarantine, Repository};

use super::rules::{self, Refusal};
use super::{Command, Pusher};
use crate::Core;
use crate::access::check_workflows;
use crate::refs::{self, Change, Target};

/// Names whose history is known to be complete; more of them would only make the check of a push slower.
const KNOWN_TIPS_MAX: u16 = 1_000;

/// What stands before the push.
pub struct Known {
    /// What complete history starts from.
    tips: Vec<Sha>,
    default_tip: Option<Sha>,
}

impl Known {
    pub async fn find(core: &Core, pusher: &Pusher, commands: &[Command]) -> Result<Self> {
        let repo = &pusher.repo;
        let mut db = core.read().await?;
        let default_tip = refs::store::find_default_tip(&mut db, repo.id, &repo.default_branch).await?;
        let mut tips = Vec::new();
        let moved = commands.iter().filter(|command| command.old.is_some() && command.new.is_some());
        for command in moved.take(KNOWN_TIPS_MAX.into()) {
            // What the client believes to be there must not be taken for complete unless it is there.
            let Ok(name) = RefName::parse(&command.name) else { continue };
            tips.extend(refs::store::find(&mut db, repo.id, &name).await?.map(|found| found.target));
        }
        tips.extend(default_tip);
        let others = refs::store::list(&mut db, repo.id, "refs/", "", KNOWN_TIPS_MAX.into()).await?;
        tips.extend(others.into_iter().map(|reference| reference.target));
        tips.sort_unstable();
        tips.dedup();
        Ok(Self { tips, default_tip })
    }
}

/// One update that may be made, as far as it can be judged by itself.
pub type Update = Result<Change, Refusal>;

/// Judges every update, with the pack that came for them if they need one.
pub fn judge(
    repository: &Repository,
    pusher: &Pusher,
    commands: &[Command],
    known: &Known,
    (pack, budget): (Option<&Quarantine>, &Budget),
) -> Result<Vec<Update>> {
    let named = names_of(commands).into_iter().zip(commands);
    let Some(pack) = pack else {
        return Ok(named.map(|(name, command)| Ok(Change { name: name?, old: command.old, new: None })).collect());
    };
    let bench = Bench { pusher, repository, pack, known, budget };
    let judged = named.map(|(name, command)| match name {
        Ok(name) => bench.judge(name, command),
        Err(refusal) => Ok(Err(refusal)),
    });
    let mut updates = judged.collect::<Result<Vec<Update>>>()?;
    bench.check_connected(&mut updates)?;
    Ok(updates)
}

/// The name of each command, where it is good and stands there only once.
fn names_of(commands: &[Command]) -> Vec<Result<RefName, Refusal>> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    commands.iter().for_each(|command| *counts.entry(&command.name).or_default() += 1);
    let judge = |command: &Command| match counts[command.name.as_str()] {
        1 => rules::check_name(&command.name),
        _ => Err(Refusal::Twice),
    };
    commands.iter().map(judge).collect()
}

/// Everything that updates are judged by.
struct Bench<'a> {
    pusher: &'a Pusher,
    repository: &'a Repository,
    pack: &'a Quarantine,
    known: &'a Known,
    budget: &'a Budget,
}

impl Bench<'_> {
    fn judge(&self, name: RefName, command: &Command) -> Result<Update> {
        let Some(sha) = command.new else { return Ok(Ok(Change { name, old: command.old, new: None })) };
        let reader = self.repository.reader_within(self.pack, self.budget);
        let Some(kind) = reader.kind_of(&sha)? else { return Ok(Err(Refusal::MissingObjects)) };
        if let Err(refusal) = rules::check_target(&name, kind) {
            return Ok(Err(refusal));
        }
        let may_change_workflows = check_workflows(self.pusher.caller(), &self.pusher.grant).is_ok();
        if !may_change_workflows && refs::rules::changes_workflows(&reader, command.old, sha, self.known.default_tip)? {
            return Ok(Err(Refusal::Workflows));
        }
        Ok(Ok(Change { name, old: command.old, new: Some(Target { sha, kind }) }))
    }

    /// Everything that the new targets need must be here; where something is missing, none of them is taken.
    fn check_connected(&self, updates: &mut [Update]) -> Result<()> {
        let new_tips: Vec<Sha> = updates.iter().filter_map(|update| Some(update.as_ref().ok()?.new?.sha)).collect();
        if new_tips.is_empty() {
            return Ok(());
        }
        match self.pack.check_connected(&new_tips, &self.known.tips) {
            Ok(()) => Ok(()),
            Err(Error::Unprocessable(_)) => {
                let with_target = |update: &&mut Update| matches!(update, Ok(change) if change.new.is_some());
                updates.iter_mut().filter(with_target).for_each(|update| *update = Err(Refusal::MissingObjects));
                Ok(())
            }
            Err(other) => Err(other),
        }
    }
}
