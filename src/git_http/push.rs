//! A push from its first line to its report: the pack first into a quarantine, then durably beside the others, then
//! all names in one transaction.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use super::commands::Commands;
use super::incoming::{Incoming, Input};
use super::judgement::{self, Judged, Known};
use super::model::{Encoding, GitRepo};
use super::report::{self, Verdict};
use super::rules::Refusal;
use super::update;
use crate::api::access::Allowed;
use crate::api::access::table::GitReceivePack;
use crate::app::App;
use crate::error::{Error, Result};

/// The right to push, which travels with the push into its transaction.
pub type Pusher = Arc<Allowed<GitReceivePack, GitRepo>>;

/// Carries the push out and gives the report. Once names have changed it goes on even if the client does not wait.
pub async fn receive(
    app: App,
    pusher: Pusher,
    sent: (Incoming, Encoding),
    _place: OwnedSemaphorePermit,
) -> Result<Vec<u8>> {
    let (commands, input) = off_thread(move || {
        let mut input = Input::new(sent.0, sent.1);
        Ok((Commands::read(&mut input)?, input))
    })
    .await?;
    if commands.list.is_empty() {
        return Ok(Vec::new());
    }
    let known = Known::find(&app, &pusher, &commands).await?;
    let (judging_app, judging_pusher) = (app.clone(), pusher.clone());
    let judged = off_thread(move || judgement::judge(&judging_app, &judging_pusher, commands, &known, input)).await?;
    match judged {
        Judged::PackRefused { commands, reason } => {
            let verdicts = vec![Err(Refusal::Pack); commands.list.len()];
            Ok(report::write(&commands, Err(&reason), &verdicts))
        }
        Judged::Updates { commands, updates, quarantine } => {
            let wanted = !commands.atomic || updates.iter().all(Result::is_ok);
            if let Some(quarantine) = quarantine.filter(|_| wanted && updates.iter().any(Result::is_ok)) {
                off_thread(move || quarantine.accept()).await?;
            }
            let verdicts: Vec<Verdict> = update::apply(&app, pusher, updates, commands.atomic).await?;
            Ok(report::write(&commands, Ok(()), &verdicts))
        }
    }
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::internal("a push panicked"))?
}
