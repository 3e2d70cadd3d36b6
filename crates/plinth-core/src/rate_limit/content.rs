//! Limits on created content, and on repetitions of it.

use std::hash::BuildHasher;
use std::time::Duration;

use super::leases::{Counter, Leases, Limit};
use super::{MINUTE, RateLimiter, hourly, whole_seconds};
use crate::tokens::Principal;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;

impl RateLimiter {
    /// As [`RateLimiter::admit_content`], for the account that the caller acts as.
    pub async fn admit(
        &self,
        caller: &Principal,
        operation: &'static str,
        content: &str,
        now: Timestamp,
    ) -> Result<()> {
        match caller.actor() {
            Some(actor) => self.admit_content(actor, operation, content, now).await,
            None => Ok(()),
        }
    }

    /// Counts one piece of content that `actor` is about to create through `operation`.
    pub async fn admit_content(
        &self,
        actor: AccountId,
        operation: &'static str,
        content: &str,
        now: Timestamp,
    ) -> Result<()> {
        self.admit_contents(actor, operation, &[content], now).await
    }

    /// Counts each piece of content that `actor` is about to create in one request.
    ///
    /// A request with more pieces than the limit is admitted if its window is empty: otherwise it never could be.
    pub async fn admit_contents(
        &self,
        actor: AccountId,
        operation: &'static str,
        contents: &[&str],
        now: Timestamp,
    ) -> Result<()> {
        if !self.limits.enforced {
            return Ok(());
        }
        let count = i64::try_from(contents.len()).unwrap_or(i64::MAX).max(1);
        match self.shared.get() {
            Some(shared) => self.count_content_of_all_nodes(&shared.leases, actor, count).await?,
            None => self.count_content_here(actor, count, now)?,
        }
        // Of this node only: it is about programs that repeat themselves, and not about fairness.
        let fingerprint = self.hasher.hash_one(contents);
        let same_max = self.limits.same_content_per_minute;
        let (same, _) = self.same_content.add((actor, operation, fingerprint), 1, same_max, now);
        if same > same_max {
            return Err(Error::unprocessable(
                "Validation failed, or the endpoint has been spammed: the same content was sent again and again.",
            ));
        }
        Ok(())
    }

    fn count_content_here(&self, actor: AccountId, count: i64, now: Timestamp) -> Result<()> {
        let (in_minute, minute_ends) = self.content_minute.add(actor, count, self.limits.content_per_minute, now);
        let (in_hour, hour_ends) = self.content_hour.add(actor, count, self.limits.content_per_hour, now);
        let is_over = |used: i64, limit: i64| used > limit && (count == 1 || used > count);
        let over_minute = is_over(in_minute, self.limits.content_per_minute);
        let over_hour = is_over(in_hour, self.limits.content_per_hour);
        if over_minute || over_hour {
            // Rejected content is not created, so it does not count.
            self.content_minute.subtract(actor, count, now);
            self.content_hour.subtract(actor, count, now);
            let until = if over_hour { hour_ends } else { minute_ends };
            return Err(retry_after(until.0 - now.0));
        }
        Ok(())
    }

    async fn count_content_of_all_nodes(&self, leases: &Leases, actor: AccountId, count: i64) -> Result<()> {
        let per_minute = Limit { max: self.limits.content_per_minute, seconds: MINUTE };
        let hour = leases.count(Counter::ContentHour(actor), count, hourly(self.limits.content_per_hour)).await?;
        if !hour.is_admitted {
            return Err(retry_after_duration(hour.ends_in));
        }
        let minute = leases.count(Counter::ContentMinute(actor), count, per_minute).await;
        if !minute.as_ref().is_ok_and(|minute| minute.is_admitted) {
            // Rejected content is not created, so it does not count.
            leases.uncount(Counter::ContentHour(actor), count.min(self.limits.content_per_hour));
        }
        let minute = minute?;
        if minute.is_admitted { Ok(()) } else { Err(retry_after_duration(minute.ends_in)) }
    }
}

fn retry_after(seconds: i64) -> Error {
    Error::SecondaryLimited { retry_after_seconds: u64::try_from(seconds).unwrap_or_default().max(1) }
}

fn retry_after_duration(duration: Duration) -> Error {
    retry_after(whole_seconds(duration))
}
