//! Validation of each update of a push, before any ref moves.

use std::collections::HashMap;

use plinth_base::error::{Error, Result};
use plinth_base::ids::{RefName, Sha};
use plinth_git::{Budget, Quarantine, Repository};

use super::{Command, Pusher, UpdateRejection, ValidatedUpdate, rules};
use crate::Core;
use crate::access::check_workflows;
use crate::refs::{self, Change, Target};

/// Refs whose history is known to be complete; more of them would only make the check slower.
const KNOWN_TIPS_MAX: u16 = 1_000;

/// The state before the push.
pub struct KnownTips {
    /// Commits with complete history.
    tips: Vec<Sha>,
    default_tip: Option<Sha>,
}

impl KnownTips {
    pub async fn find(core: &Core, pusher: &Pusher, commands: &[Command]) -> Result<Self> {
        let repo = &pusher.repo;
        let mut db = core.read().await?;
        let default_tip = refs::store::find_default_tip(&mut db, repo.id, &repo.default_branch).await?;
        let mut tips = Vec::new();
        let moved = commands.iter().filter(|command| command.old.is_some() && command.new.is_some());
        for command in moved.take(KNOWN_TIPS_MAX.into()) {
            // The target that the client expects may not exist, so read the actual one.
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

/// Validates every update by itself, with the pack of the push if it has one. [`check_connected`] comes next.
pub fn validate(
    repository: &Repository,
    pusher: &Pusher,
    commands: &[Command],
    known: &KnownTips,
    (pack, budget): (Option<&Quarantine>, &Budget),
) -> Result<Vec<ValidatedUpdate>> {
    let named = names_of(commands).into_iter().zip(commands);
    let Some(pack) = pack else {
        return Ok(named.map(|(name, command)| Ok(Change { name: name?, old: command.old, new: None })).collect());
    };
    let validator = Validator { pusher, repository, pack, known, budget };
    let validated = named.map(|(name, command)| match name {
        Ok(name) => validator.validate(name, command),
        Err(rejection) => Ok(Err(rejection)),
    });
    validated.collect()
}

/// All objects that the new targets reach must exist; if one is missing, none of the updates is accepted. Runs git.
pub fn check_connected(pack: &Quarantine, known: &KnownTips, updates: &mut [ValidatedUpdate]) -> Result<()> {
    let new_tips: Vec<Sha> = updates.iter().filter_map(|update| Some(update.as_ref().ok()?.new?.sha)).collect();
    if new_tips.is_empty() {
        return Ok(());
    }
    match pack.check_connected(&new_tips, &known.tips) {
        Ok(()) => Ok(()),
        Err(Error::Unprocessable(_)) => {
            let with_target = |update: &&mut ValidatedUpdate| matches!(update, Ok(change) if change.new.is_some());
            updates.iter_mut().filter(with_target).for_each(|update| *update = Err(UpdateRejection::MissingObjects));
            Ok(())
        }
        Err(other) => Err(other),
    }
}

/// The name of each command, if it is valid and unique in the push.
fn names_of(commands: &[Command]) -> Vec<Result<RefName, UpdateRejection>> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    commands.iter().for_each(|command| *counts.entry(&command.name).or_default() += 1);
    let check = |command: &Command| match counts[command.name.as_str()] {
        1 => rules::check_name(&command.name),
        _ => Err(UpdateRejection::Twice),
    };
    commands.iter().map(check).collect()
}

/// Everything that validation needs.
struct Validator<'a> {
    pusher: &'a Pusher,
    repository: &'a Repository,
    pack: &'a Quarantine,
    known: &'a KnownTips,
    budget: &'a Budget,
}

impl Validator<'_> {
    fn validate(&self, name: RefName, command: &Command) -> Result<ValidatedUpdate> {
        let Some(sha) = command.new else { return Ok(Ok(Change { name, old: command.old, new: None })) };
        // Such refs may come from an import, so only new ones are rejected.
        if command.old.is_none() && refs::rules::is_ambiguous(&name) {
            return Ok(Err(UpdateRejection::Ambiguous));
        }
        let reader = self.repository.reader_within(self.pack, self.budget);
        let Some(kind) = reader.kind_of(&sha)? else { return Ok(Err(UpdateRejection::MissingObjects)) };
        if let Err(rejection) = rules::check_target(&name, kind) {
            return Ok(Err(rejection));
        }
        let may_change_workflows = check_workflows(self.pusher.caller(), &self.pusher.grant).is_ok();
        if !may_change_workflows && refs::rules::changes_workflows(&reader, command.old, sha, self.known.default_tip)? {
            return Ok(Err(UpdateRejection::Workflows));
        }
        Ok(Ok(Change { name, old: command.old, new: Some(Target { sha, kind }) }))
    }
}
