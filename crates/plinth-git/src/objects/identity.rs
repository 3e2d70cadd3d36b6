//! The author, committer or tagger of an object.

use std::fmt;

use plinth_base::error::{Error, Result};

/// A point in time with a UTC offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    pub seconds: i64,
    pub offset_minutes: i32,
}

impl Date {
    /// No time zone is further from UTC.
    const OFFSET_MINUTES_MAX: i32 = 14 * 60;

    /// A time with the offset zero.
    pub const fn utc(seconds: i64) -> Self {
        Self { seconds, offset_minutes: 0 }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        let minutes = self.offset_minutes.abs();
        write!(out, "{} {sign}{:02}{:02}", self.seconds, minutes / 60, minutes % 60)
    }
}

/// Name, email address and date, as in the headers of commits and tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub email: String,
    pub date: Date,
}

impl Identity {
    /// Rejects what git's fsck rejects in a header.
    pub(crate) fn check(&self) -> Result<()> {
        let breaks_header = |text: &str| text.contains(['<', '>', '\n', '\0']);
        if self.name.trim().is_empty() || breaks_header(&self.name) {
            return Err(Error::unprocessable("The name of an author, committer or tagger is empty or not allowed."));
        }
        if breaks_header(&self.email) {
            return Err(Error::unprocessable("The email of an author, committer or tagger is not allowed."));
        }
        if self.date.seconds < 0 || self.date.offset_minutes.abs() > Date::OFFSET_MINUTES_MAX {
            return Err(Error::unprocessable("The date of an author, committer or tagger is out of range."));
        }
        Ok(())
    }

    /// Old histories have headers that git would not write today; an unreadable part is left empty.
    pub(crate) fn from_gix(signature: gix_actor::SignatureRef<'_>) -> Self {
        let time = signature.time().unwrap_or(gix_actor::date::Time { seconds: signature.seconds(), offset: 0 });
        Self {
            name: signature.name.to_string(),
            email: signature.email.to_string(),
            date: Date { seconds: time.seconds, offset_minutes: time.offset / 60 },
        }
    }

    pub(crate) fn unknown() -> Self {
        Self { name: String::new(), email: String::new(), date: Date::utc(0) }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} <{}> {}", self.name.trim(), self.email.trim(), self.date)
    }
}
