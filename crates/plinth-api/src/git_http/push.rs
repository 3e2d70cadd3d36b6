//! A push from its first line to its report: the pack goes into a quarantine, is checked, and moves into the
//! repository; then all references change in one transaction.

use plinth_core::ref_updates::push::KnownTips;
use plinth_core::ref_updates::push::UpdateRejection;
use plinth_core::ref_updates::push::ValidatedUpdate;
use std::sync::Arc;

use super::commands::Commands;
use super::incoming::{Incoming, Input};
use super::model::Encoding;
use crate::app::App;
use crate::app::permits::Permit;
use crate::settings::GitSettings;
use plinth_base::error::{Error, Result};
use plinth_core::objects::Subject;
use plinth_core::ref_updates::push::{self, Pusher};
use plinth_git::pkt_line::{self, Band};
use plinth_git::{Budget, Limits, PackLimits, Quarantine, RawObject, Repository};

/// Executes the push and returns the report. Runs in its own task, so that it finishes even if the client disconnects.
pub async fn receive(app: App, pusher: Pusher, sent: (Incoming, Encoding), _permit: Permit) -> Result<Vec<u8>> {
    let (commands, input) = off_thread(move || {
        let mut input = Input::new(sent.0, sent.1);
        Ok((Commands::read(&mut input)?, input))
    })
    .await?;
    if commands.list.is_empty() {
        return Ok(Vec::new());
    }
    let pack = match commands.needs_pack() {
        true => receive_pack(&app, &pusher, input).await?.map(Some),
        false => Ok(None),
    };
    match pack {
        Ok(pack) => apply_change(&app, pusher, commands, pack).await,
        Err(reason) => {
            let outcomes = vec![Err(UpdateRejection::Pack); commands.list.len()];
            Ok(write_report(&commands, Err(&reason), &outcomes))
        }
    }
}

/// The pack in its quarantine, or the reason to reject it.
async fn receive_pack(app: &App, pusher: &Pusher, input: Input) -> Result<Result<Quarantine, String>> {
    let (objects, repo, settings) = (app.objects.clone(), pusher.repo.id, app.settings.git.clone());
    // The pack may build on objects that were created through the API, and git reads only packs.
    let flushed = app.objects.flush(repo).await;
    off_thread(move || match flushed.and_then(|_| objects.repository(repo)) {
        Ok(repository) => quarantine(&repository, input, &settings),
        Err(error) => {
            // A client reads the response only after it has sent everything.
            input.drain(settings.pack_size_max);
            Err(error)
        }
    })
    .await
}

/// Checks every update, accepts the pack, and changes the references.
async fn apply_change(app: &App, pusher: Pusher, commands: Commands, pack: Option<Quarantine>) -> Result<Vec<u8>> {
    let (repo, owner) = (pusher.repo.id, pusher.repo.owner_id);
    // Objects that are checked here must not be collected until a reference has them.
    let _removal_lock = app.objects.prevent_removal(repo).await?;
    app.objects.flush(repo).await?;
    let known = KnownTips::find(app, &pusher, &commands.list).await?;
    let checking = pusher.clone();
    let validate = move |repository: &Arc<Repository>, budget: &Budget| {
        let updates = push::validate(repository, &checking, &commands.list, &known, (pack.as_ref(), budget))?;
        Ok((commands, known, updates, pack))
    };
    let (commands, known, mut updates, pack) = app.objects.run_within(Subject { repo, owner }, validate).await?;
    let (updates, pack) = off_thread(move || {
        if let Some(pack) = &pack {
            push::check_connected(pack, &known, &mut updates)?;
        }
        Ok((updates, pack))
    })
    .await?;
    if let Some(pack) = pack.filter(|_| is_accepted(&updates, commands.atomic)) {
        // The pack may have taken long to arrive. The transaction checks the right again, but an accepted pack stays.
        pusher.check_again().await?;
        off_thread(move || pack.accept()).await?;
    }
    let outcomes = push::apply(app, pusher, updates, commands.atomic).await?;
    Ok(write_report(&commands, Ok(()), &outcomes))
}

fn is_accepted(updates: &[ValidatedUpdate], atomic: bool) -> bool {
    if atomic { updates.iter().all(Result::is_ok) } else { updates.iter().any(Result::is_ok) }
}

/// A push has its own permit and may take long, so it does not use the threads for the short reads of the API.
async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::internal("a push panicked"))?
}

/// Reads and checks the pack, or returns the reason to reject it.
fn quarantine(
    repository: &Arc<Repository>,
    mut input: Input,
    settings: &GitSettings,
) -> Result<Result<Quarantine, String>> {
    let child = Limits { time: settings.timeout, ..Limits::default() };
    let limits = PackLimits { pack_size: settings.pack_size_max, object_size: settings.object_size_max, child };
    match repository.receive::<RawObject>(&mut input, &[], limits) {
        Ok(quarantine) => Ok(Ok(quarantine)),
        Err(error) => {
            // A client reads the response only after it has sent everything.
            input.drain(settings.pack_size_max);
            reason_of(error).map(Err)
        }
    }
}

/// The reason that the client may see. Internal errors, such as a full disk, are errors of the request instead.
fn reason_of(error: Error) -> Result<String> {
    match error {
        Error::BodyTooLarge(limit) => Ok(format!("the pack is larger than {limit} bytes")),
        Error::BadRequest(text) | Error::Unprocessable(text) => Ok(text),
        other => Err(other),
    }
}

/// Longer texts are truncated; no valid name is as long.
const TEXT_LENGTH_MAX: usize = 2_048;

/// The outcome of one update.
type Outcome = Result<(), UpdateRejection>;

/// Writes the report in the form that the client asked for. `unpacked` has the reason if the pack was rejected.
fn write_report(commands: &Commands, unpacked: Result<(), &str>, outcomes: &[Outcome]) -> Vec<u8> {
    if !commands.report {
        return Vec::new();
    }
    let mut report = Vec::new();
    match unpacked {
        Ok(()) => pkt_line::put_line(&mut report, "unpack ok"),
        Err(reason) => pkt_line::put_line(&mut report, &format!("unpack {}", on_one_line(reason))),
    }
    for (command, outcome) in commands.list.iter().zip(outcomes) {
        let name = on_one_line(&command.name);
        match outcome {
            Ok(()) => pkt_line::put_line(&mut report, &format!("ok {name}")),
            Err(rejection) => pkt_line::put_line(&mut report, &format!("ng {name} {rejection}")),
        }
    }
    pkt_line::put_flush(&mut report);
    if !commands.side_band {
        return report;
    }
    let mut out = Vec::new();
    pkt_line::put_band(&mut out, Band::Data, &report);
    pkt_line::put_flush(&mut out);
    out
}

fn on_one_line(text: &str) -> String {
    let harmless = |character: char| if character.is_control() { ' ' } else { character };
    text.chars().take(TEXT_LENGTH_MAX).map(harmless).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plinth_core::ref_updates::push::Command;

    #[test]
    fn report_has_a_line_for_each_name() {
        let command = |name: &str| Command { name: name.into(), old: None, new: None };
        let list = vec![command("refs/heads/a"), command("refs/heads/b\nc")];
        let commands = Commands { list, report: true, ..Commands::default() };
        let report = write_report(&commands, Err("bad\npack"), &[Ok(()), Err(UpdateRejection::Stale)]);
        let text = String::from_utf8(report).expect("text");
        assert_eq!(
            text,
            "0014unpack bad pack\n0014ok refs/heads/a\n0040ng refs/heads/b c the name has moved meanwhile: fetch first\n0000"
        );
        assert!(write_report(&Commands { report: false, ..commands }, Ok(()), &[]).is_empty());
    }
}
