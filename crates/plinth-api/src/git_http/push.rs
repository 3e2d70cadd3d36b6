//! A push from its first line to its report: the pack first into a quarantine, then durably beside the others, then
//! all names in one transaction.

use plinth_base::error::{Error, Result};
use plinth_core::ref_updates::push::{self, KnownTips, Pusher, UpdateRejection, ValidatedUpdate};
use plinth_git::Quarantine;

use super::commands::Commands;
use super::incoming::{Incoming, Input};
use super::model::Encoding;
use super::{quarantine, report};
use crate::app::App;
use crate::app::permits::Permit;

/// Carries the push out and gives the report. Once names have changed it goes on even if the client does not wait.
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
            Ok(report::write(&commands, Err(&reason), &outcomes))
        }
    }
}

/// The pack in its quarantine, or why it is rejected.
async fn receive_pack(app: &App, pusher: &Pusher, input: Input) -> Result<Result<Quarantine, String>> {
    // The pack may build on objects that were made through the API, and git knows those in packs alone.
    app.objects.flush(pusher.repo.id).await?;
    let (objects, repo, settings) = (app.objects.clone(), pusher.repo.id, app.settings.git.clone());
    off_thread(move || quarantine::receive(&objects.repository(repo)?, input, &settings)).await
}

/// Validates every update, keeps the pack, and changes the names.
async fn apply_change(app: &App, pusher: Pusher, commands: Commands, pack: Option<Quarantine>) -> Result<Vec<u8>> {
    let repo = pusher.repo.id;
    // Objects that validation has seen must stay until a ref points at them.
    let _removal_lock = app.objects.prevent_removal(repo).await;
    app.objects.flush(repo).await?;
    let known = KnownTips::find(app, &pusher, &commands.list).await?;
    let (objects, validating) = (app.objects.clone(), pusher.clone());
    let (commands, updates, pack) = off_thread(move || {
        let repository = objects.repository(repo)?;
        let budget = objects.budget_of(repo);
        let updates = push::validate(&repository, &validating, &commands.list, &known, (pack.as_ref(), &budget))?;
        Ok((commands, updates, pack))
    })
    .await?;
    if let Some(pack) = pack.filter(|_| is_worth_keeping(&updates, commands.atomic)) {
        // The pack may have taken long to arrive. The transaction checks again, but a pack that is kept stays.
        pusher.check_again().await?;
        off_thread(move || pack.accept()).await?;
    }
    let outcomes = push::apply(app, pusher, updates, commands.atomic).await?;
    Ok(report::write(&commands, Ok(()), &outcomes))
}

fn is_worth_keeping(updates: &[ValidatedUpdate], atomic: bool) -> bool {
    if atomic { updates.iter().all(Result::is_ok) } else { updates.iter().any(Result::is_ok) }
}

/// A push has a place of its own and may take long, so it does not wait with the short reads of the API.
async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::internal("a push panicked"))?
}
