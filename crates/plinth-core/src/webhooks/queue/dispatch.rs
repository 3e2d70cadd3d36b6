//! From events to messages for hooks.

use std::collections::HashMap;

use futures_util::future::BoxFuture;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::EventId;
use plinth_store::{Dependency, Generations, Transaction};

use super::{QueueWork, recipients};
use crate::Core;
use crate::events::{self, Event};
use crate::webhooks::model::{NewDelivery, NewMessage, Recipient, new_guid};
use crate::webhooks::store as hooks;

/// Events in one transaction.
const EVENTS_MAX: i64 = 64;
/// Payloads in one transaction. One event may have more.
const PAYLOAD_BYTES_MAX: usize = 4 << 20;
/// How often an event is tried whose payload cannot be rendered, before it is dropped so that others can go on.
const TRIES_MAX: u32 = 10;

/// Renders payloads, which are a matter of the API.
pub trait PayloadRenderer: Send + Sync + 'static {
    /// The payload for a recipient, or nothing if what the event is about is gone and cannot be shown.
    fn render<'a>(&'a self, event: &'a Event, recipient: &'a Recipient) -> BoxFuture<'a, Result<Option<String>>>;
}

/// Dispatches events one batch after another.
#[derive(Default)]
pub struct Dispatcher {
    /// How often the payload of an event could not be rendered.
    failures: HashMap<EventId, u32>,
}

/// An event with what its recipients are sent.
#[derive(Debug)]
struct Dispatch {
    event: Event,
    recipients: Vec<Recipient>,
    messages: Vec<NewMessage>,
}

struct Batch {
    dispatches: Vec<Dispatch>,
    /// As of before the recipients were read.
    generations: Option<Generations>,
    now: Timestamp,
}

/// What a transaction did with a batch.
enum Outcome {
    Dispatched,
    /// Rights have changed since the recipients were read, and some may not receive their event any more.
    RecipientsChanged,
}

impl Dispatcher {
    /// Dispatches the oldest events, and returns how many there were. Events stay in the store if it fails.
    pub async fn dispatch(&mut self, core: &Core, renderer: &dyn PayloadRenderer) -> Result<usize> {
        loop {
            let generations = core.generations().await;
            let (dispatches, failure) = self.prepare(core, renderer).await?;
            let count = dispatches.len();
            if count > 0 {
                let batch = Batch { dispatches, generations, now: core.clock.now() };
                let authority = QueueWork::hidden("webhooks/dispatch");
                let write = core.store.write(authority, batch, |tx, batch| Box::pin(write(tx, batch)));
                if let Outcome::RecipientsChanged = write.await? {
                    continue;
                }
            }
            return failure.map_or(Ok(count), Err);
        }
    }

    /// Reads the oldest events and renders what their recipients are sent, up to the first that cannot be rendered.
    async fn prepare(&mut self, core: &Core, renderer: &dyn PayloadRenderer) -> Result<(Vec<Dispatch>, Option<Error>)> {
        let mut db = core.read().await?;
        let events = events::store::list_oldest(&mut db, EVENTS_MAX).await?;
        let mut with_recipients = Vec::with_capacity(events.len());
        for event in events {
            let recipients = recipients::find(&mut db, &event).await?;
            with_recipients.push((event, recipients));
        }
        drop(db);
        let (mut prepared, mut bytes) = (Vec::new(), 0);
        for (event, recipients) in with_recipients {
            match render(renderer, event, recipients).await {
                Ok(dispatch) => {
                    bytes += dispatch.messages.iter().map(|message| message.payload.len()).sum::<usize>();
                    self.failures.remove(&dispatch.event.id);
                    prepared.push(dispatch);
                }
                Err((event, error)) => match self.give_up(&event, &error) {
                    // It is deleted without a message.
                    true => prepared.push(Dispatch { event, recipients: Vec::new(), messages: Vec::new() }),
                    false => return Ok((prepared, Some(error))),
                },
            }
            if bytes > PAYLOAD_BYTES_MAX {
                break;
            }
        }
        Ok((prepared, None))
    }

    /// Whether to drop an event. A database that does not respond is no reason.
    fn give_up(&mut self, event: &Event, error: &Error) -> bool {
        if matches!(error, Error::Unavailable(_)) {
            return false;
        }
        let failures = self.failures.entry(event.id).or_default();
        *failures += 1;
        let gives_up = *failures >= TRIES_MAX;
        if gives_up {
            tracing::error!(%error, event = event.name.as_str(), id = %event.id, "dropped an event without a payload");
            self.failures.remove(&event.id);
        }
        gives_up
    }
}

async fn render(
    renderer: &dyn PayloadRenderer,
    event: Event,
    recipients: Vec<Recipient>,
) -> Result<Dispatch, (Event, Error)> {
    let (guid, mut messages) = (new_guid(), Vec::with_capacity(recipients.len()));
    // All hooks without an installation are sent the same.
    let mut common: Option<Option<String>> = None;
    for recipient in &recipients {
        let payload = match (&common, recipient.installation) {
            (Some(payload), None) => payload.clone(),
            _ => match renderer.render(&event, recipient).await {
                Ok(payload) => payload,
                Err(error) => return Err((event, error)),
            },
        };
        if recipient.installation.is_none() {
            common.get_or_insert_with(|| payload.clone());
        }
        if let Some(payload) = payload {
            messages.push(NewMessage {
                webhook: recipient.hook,
                guid: guid.clone(),
                event: event.name.as_str().to_owned(),
                action: event.action.clone(),
                repo: event.repo,
                installation: recipient.installation,
                payload,
            });
        }
    }
    Ok(Dispatch { event, recipients, messages })
}

async fn write(tx: &mut Transaction, batch: &Batch) -> Result<Outcome> {
    if !tx.is_unchanged(batch.generations, Dependency::Rights) {
        for dispatch in batch.dispatches.iter().filter(|dispatch| !dispatch.recipients.is_empty()) {
            if recipients::find(tx, &dispatch.event).await? != dispatch.recipients {
                return Ok(Outcome::RecipientsChanged);
            }
        }
    }
    for Dispatch { event, messages, .. } in &batch.dispatches {
        // Another node may have dispatched it.
        if events::store::delete(tx, event.id).await? == 0 {
            continue;
        }
        for new in messages {
            let message = hooks::insert_message(tx, new, batch.now).await?;
            let first = NewDelivery { message, webhook: new.webhook, redelivery: false, attempt: 1, due_at: batch.now };
            hooks::insert_delivery(tx, &first).await?;
        }
    }
    Ok(Outcome::Dispatched)
}
