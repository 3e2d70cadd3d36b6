//! What is decided about a push before any name changes: its pack, and each update by itself.

use std::collections::HashMap;

use super::commands::{Command, Commands};
use super::incoming::Input;
use super::push::Pusher;
use super::ref_pages::Head;
use super::rules::{self, Refusal};
use super::workflows;
use crate::app::App;
use crate::config::GitSettings;
use crate::error::{Error, Result};
use crate::git::{Limits, PackLimits, Quarantine, RawObject, RefName, Repository};
use crate::ids::Sha;
use crate::refs::{self, Change, Target};

/// Names whose history is known to be complete; more of them would only make the check of a push slower.
const KNOWN_TIPS_MAX: i64 = 1_000;

/// What stands before the push.
pub struct Known {
    /// What complete history starts from.
    tips: Vec<Sha>,
    default_tip: Option<Sha>,
}

impl Known {
    pub async fn find(app: &App, pusher: &Pusher, commands: &Commands) -> Result<Self> {
        let repo = &pusher.repo;
        let head = Head::find(app, repo.id, &repo.default_branch).await?;
        let default_tip = head.and_then(|head| head.target);
        let mut db = app.store.read().await?;
        let mut tips = Vec::new();
        for command in &commands.list {
            // What the client believes to be there must not be taken for complete unless it is there.
            let Ok(name) = RefName::parse(&command.name) else { continue };
            if command.old.is_some()
                && let Some(found) = refs::store::find(&mut db, repo.id, &name).await?
            {
                tips.push(found.target);
            }
        }
        tips.extend(default_tip);
        let others = refs::store::list(&mut db, repo.id, "refs/", "", KNOWN_TIPS_MAX).await?;
        tips.extend(others.into_iter().map(|reference| reference.target));
        tips.sort_unstable();
        tips.dedup();
        Ok(Self { tips, default_tip })
    }
}

/// One update that may be made, as far as it can be judged by itself.
pub type Update = Result<Change, Refusal>;

/// The outcome for the whole push.
pub enum Judged {
    PackRefused { commands: Commands, reason: String },
    Updates { commands: Commands, updates: Vec<Update>, quarantine: Option<Quarantine> },
}

/// Reads the pack and judges every update. Nothing is kept yet: dropping the outcome leaves nothing behind.
pub fn judge(app: &App, pusher: &Pusher, commands: Commands, known: &Known, mut input: Input) -> Result<Judged> {
    let repository = app.repositories.create(pusher.repo.id)?;
    let settings = &app.settings.git;
    let names = names_of(&commands.list);
    if !commands.needs_pack() {
        let updates = names.into_iter().zip(&commands.list).map(|(name, command)| change(name?, command, None));
        let updates = updates.collect();
        return Ok(Judged::Updates { commands, updates, quarantine: None });
    }
    let quarantine = match repository.receive::<RawObject>(&mut input, &[], pack_limits(settings)) {
        Ok(quarantine) => quarantine,
        Err(error) => {
            let reason = reason_of(error)?;
            input.drain(settings.pack_size_max);
            return Ok(Judged::PackRefused { commands, reason });
        }
    };
    let bench = Bench { pusher, repository: &repository, quarantine: &quarantine, known };
    let judged = names.into_iter().zip(&commands.list).map(|(name, command)| bench.judge(name, command));
    let mut updates = judged.collect::<Result<Vec<Update>>>()?;
    bench.check_connected(&mut updates)?;
    Ok(Judged::Updates { commands, updates, quarantine: Some(quarantine) })
}

fn pack_limits(settings: &GitSettings) -> PackLimits {
    let child = Limits { time: settings.timeout, ..Limits::default() };
    PackLimits { pack_size: settings.pack_size_max, object_size: settings.object_size_max, child }
}

/// What the client may know about a pack that is refused; faults of ours are no reason but errors.
fn reason_of(error: Error) -> Result<String> {
    match error {
        Error::BodyTooLarge(limit) => Ok(format!("the pack is larger than {limit} bytes")),
        Error::BadRequest(text) | Error::Unprocessable(text) | Error::Unavailable(text) => Ok(text),
        other => Err(other),
    }
}

/// The name of each command, where it is good and stands there only once.
fn names_of(commands: &[Command]) -> Vec<Result<RefName, Refusal>> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    commands.iter().for_each(|command| *counts.entry(&command.name).or_default() += 1);
    let judge = |command: &Command| {
        if counts[command.name.as_str()] > 1 { Err(Refusal::Twice) } else { rules::check_name(&command.name) }
    };
    commands.iter().map(judge).collect()
}

fn change(name: RefName, command: &Command, new: Option<Target>) -> Update {
    Ok(Change { name, old: command.old, new })
}

/// Everything that updates are judged by.
struct Bench<'a> {
    pusher: &'a Pusher,
    repository: &'a Repository,
    quarantine: &'a Quarantine,
    known: &'a Known,
}

impl Bench<'_> {
    fn judge(&self, name: Result<RefName, Refusal>, command: &Command) -> Result<Update> {
        let name = match name {
            Ok(name) => name,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let Some(sha) = command.new else { return Ok(change(name, command, None)) };
        let reader = self.repository.reader(self.quarantine);
        let Some(kind) = reader.kind_of(&sha)? else { return Ok(Err(Refusal::MissingObjects)) };
        if let Err(refusal) = rules::check_target(&name, kind) {
            return Ok(Err(refusal));
        }
        if !workflows::may_change(self.pusher.caller(), &self.pusher.reach) {
            let old = command.old.filter(|old| self.known.tips.contains(old));
            if workflows::are_changed(&reader, old, &sha, self.known.default_tip.as_slice())? {
                return Ok(Err(Refusal::Workflows));
            }
        }
        Ok(change(name, command, Some(Target { sha, kind })))
    }

    /// Everything that the new targets need must be here; where something is missing, none of them is taken.
    fn check_connected(&self, updates: &mut [Update]) -> Result<()> {
        let new_tips: Vec<Sha> = updates.iter().filter_map(|update| Some(update.as_ref().ok()?.new?.sha)).collect();
        if new_tips.is_empty() {
            return Ok(());
        }
        match self.quarantine.check_connected(&new_tips, &self.known.tips) {
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
