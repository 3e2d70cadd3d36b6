//! Validation of resolutions.

use super::model::Resolution;
use plinth_base::error::{Error, Result};

/// An event about a pending thread would reveal it.
pub fn check_published(found: &Resolution) -> Result<()> {
    if found.pending { Err(Error::unprocessable("A thread of a pending review cannot be resolved.")) } else { Ok(()) }
}
