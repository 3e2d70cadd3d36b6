//! Time, passed in as a value, so that tests control it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
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
    /// Stands still until [`Clock::advance`].
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// A manual clock that starts at `start`.
    pub fn manual(start: Timestamp) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(start.0)))
    }

    pub fn now(&self) -> Timestamp {
        match self {
            Clock::System => Timestamp(jiff::Timestamp::now().as_second()),
            Clock::Manual(seconds) => Timestamp(seconds.load(Ordering::SeqCst)),
        }
    }

    /// Moves a manual clock, forwards or back. No effect on the system clock.
    pub fn advance(&self, seconds: i64) {
        if let Clock::Manual(now) = self {
            now.fetch_add(seconds, Ordering::SeqCst);
        }
    }
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
}
