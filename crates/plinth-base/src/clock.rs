//! Time, passed in as a value, so that tests control it.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::json_schema::text_schema;

/// A time in whole seconds since 1970, the resolution of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0 + seconds)
    }

    /// Parses the `YYYY-MM-DDTHH:MM:SSZ` form; also accepts other offsets.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|moment| Self(moment.as_second()))
    }

    /// As [`Timestamp::parse`], but a date alone is the start of that day, and a time without an offset is in UTC.
    pub fn parse_lenient(text: &str) -> Option<Self> {
        Self::parse(text).or_else(|| {
            let local = text.parse::<jiff::civil::DateTime>().ok()?;
            let moment = jiff::tz::Offset::UTC.to_timestamp(local).ok()?;
            Some(Self(moment.as_second()))
        })
    }

    /// The calendar day in UTC.
    pub fn date(self) -> Date {
        self.moment().to_zoned(jiff::tz::TimeZone::UTC).date()
    }

    /// The form with milliseconds, which installations have.
    pub fn with_milliseconds(self) -> String {
        format!("{}", self.moment().strftime("%Y-%m-%dT%H:%M:%S.000Z"))
    }

    /// The form with an offset, which commits have. An impossible offset counts as UTC.
    pub fn with_offset(self, minutes: i32) -> String {
        let offset = jiff::tz::Offset::from_seconds(minutes.saturating_mul(60)).unwrap_or(jiff::tz::Offset::UTC);
        format!("{}", self.moment().display_with_offset(offset))
    }

    /// The form of HTTP headers such as `Last-Modified`.
    pub fn http_date(self) -> String {
        httpdate::fmt_http_date(self.to_system_time())
    }

    /// The same time as a standard type; times before 1970 become 1970.
    pub fn to_system_time(self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(u64::try_from(self.0).unwrap_or_default())
    }

    fn moment(self) -> jiff::Timestamp {
        jiff::Timestamp::from_second(self.0).unwrap_or_default()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.moment())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("a time is written as YYYY-MM-DDTHH:MM:SSZ"))
    }
}

text_schema!(Timestamp: "format" = "date-time");

/// The source of the time.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    #[default]
    System,
    /// Set by tests.
    Adjustable(Arc<Mutex<Adjustment>>),
}

/// How an adjustable clock differs from the system's.
#[derive(Debug, Clone, Copy, Default)]
pub struct Adjustment {
    /// Seconds that it is ahead.
    offset: i64,
    /// The time at which it stands still.
    frozen_at: Option<Timestamp>,
}

impl Clock {
    /// An adjustable clock that stands still at `start`.
    pub fn manual(start: Timestamp) -> Self {
        Self::Adjustable(Arc::new(Mutex::new(Adjustment { offset: 0, frozen_at: Some(start) })))
    }

    /// An adjustable clock with the time of the system.
    pub fn adjustable() -> Self {
        Self::Adjustable(Arc::default())
    }

    pub fn now(&self) -> Timestamp {
        self.adjustment().map_or_else(system_now, |adjustment| adjustment.now())
    }

    pub fn is_frozen(&self) -> bool {
        self.adjustment().is_some_and(|adjustment| adjustment.frozen_at.is_some())
    }

    pub fn is_system(&self) -> bool {
        matches!(self, Clock::System)
    }

    /// Another clock with the same time. Adjusting one of them does not adjust the other.
    #[must_use]
    pub fn fork(&self) -> Self {
        match self.adjustment() {
            None => Clock::System,
            Some(adjustment) => Clock::Adjustable(Arc::new(Mutex::new(*adjustment))),
        }
    }

    /// Moves an adjustable clock, forwards or back. No effect on the system clock.
    pub fn advance(&self, seconds: i64) {
        self.set(self.now().plus_seconds(seconds));
    }

    /// Sets an adjustable clock, which goes on from there unless it stands still.
    pub fn set(&self, now: Timestamp) {
        let Some(mut adjustment) = self.adjustment() else { return };
        match &mut adjustment.frozen_at {
            Some(frozen_at) => *frozen_at = now,
            None => adjustment.offset = now.0 - system_now().0,
        }
    }

    /// Stops an adjustable clock, or lets it go on.
    pub fn freeze(&self, frozen: bool) {
        let Some(mut adjustment) = self.adjustment() else { return };
        let now = adjustment.now();
        *adjustment = match frozen {
            true => Adjustment { frozen_at: Some(now), ..*adjustment },
            false => Adjustment { offset: now.0 - system_now().0, frozen_at: None },
        };
    }

    fn adjustment(&self) -> Option<MutexGuard<'_, Adjustment>> {
        match self {
            Clock::System => None,
            Clock::Adjustable(adjustment) => Some(adjustment.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

impl Adjustment {
    fn now(&self) -> Timestamp {
        self.frozen_at.unwrap_or_else(|| system_now().plus_seconds(self.offset))
    }
}

fn system_now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamp_has_each_form() {
        let moment = Timestamp::parse("2026-03-10T08:09:10Z").expect("a timestamp");
        assert_eq!(moment.to_string(), "2026-03-10T08:09:10Z");
        assert_eq!(moment.with_milliseconds(), "2026-03-10T08:09:10.000Z");
        assert_eq!(moment.with_offset(-210), "2026-03-10T04:39:10-03:30");
        assert_eq!(moment.with_offset(0), "2026-03-10T08:09:10+00:00");
        assert_eq!(moment.http_date(), "Tue, 10 Mar 2026 08:09:10 GMT");
        assert_eq!(Timestamp::parse("2026-03-10T10:09:10+02:00"), Some(moment));
        assert_eq!(Timestamp::parse("yesterday"), None);
    }

    #[test]
    fn adjustable_clock_is_set_stopped_and_started() {
        let clock = Clock::adjustable();
        assert!(clock.now().0.abs_diff(Clock::System.now().0) <= 1);
        clock.set(Timestamp(1_000));
        assert!((1_000..1_005).contains(&clock.now().0) && !clock.is_frozen());
        clock.freeze(true);
        clock.set(Timestamp(2_000));
        clock.advance(-500);
        assert_eq!(clock.now(), Timestamp(1_500));
        clock.freeze(false);
        assert!((1_500..1_505).contains(&clock.now().0) && !clock.is_frozen());
    }
}
