//! A pushed pack on its way into a place where it can do no harm.

use std::sync::Arc;

use super::incoming::Input;
use crate::settings::GitSettings;
use plinth_base::error::{Error, Result};
use plinth_git::{Limits, PackLimits, Quarantine, RawObject, Repository};

/// Reads and checks the pack, or says why it is refused.
pub fn receive(
    repository: &Arc<Repository>,
    mut input: Input,
    settings: &GitSettings,
) -> Result<Result<Quarantine, String>> {
    let child = Limits { time: settings.timeout, ..Limits::default() };
    let limits = PackLimits { pack_size: settings.pack_size_max, object_size: settings.object_size_max, child };
    match repository.receive::<RawObject>(&mut input, &[], limits) {
        Ok(quarantine) => Ok(Ok(quarantine)),
        Err(error) => {
            // A client that is still sending does not hear an answer.
            input.drain(settings.pack_size_max);
            reason_of(error).map(Err)
        }
    }
}

/// What the client may know about a pack that is refused. Faults of ours, and a disk that is full, are no reason but errors.
fn reason_of(error: Error) -> Result<String> {
    match error {
        Error::BodyTooLarge(limit) => Ok(format!("the pack is larger than {limit} bytes")),
        Error::BadRequest(text) | Error::Unprocessable(text) => Ok(text),
        other => Err(other),
    }
}
