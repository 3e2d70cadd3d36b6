//! Faults on demand: rules that change the response to some requests.

use std::collections::BTreeMap;
use std::ops::Not;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pattern::{Asked, Pattern};
use plinth_base::error::{Error, Result};
use plinth_webhooks::{DeliveryFault, DeliveryFaults};

const RULES_MAX: usize = 1_000;
const DELAY_MS_MAX: u64 = 10 * 60 * 1_000;
/// A delivery is claimed for 30 seconds.
const WEBHOOK_DELAY_MS_MAX: u64 = 20_000;

/// A rule, as it is sent: which requests it is about, and what happens to them. A delay comes first; the other effects
/// exclude each other.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The requests that it is about; all of them by default.
    #[serde(rename = "match", default)]
    pattern: Pattern,
    /// How many requests it affects. Without it and without a probability it affects one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    /// The share of the matching requests that it affects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    /// Decides which requests these are, the same ones for the same seed.
    #[serde(default)]
    seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// This response, and the request changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub respond: Option<CannedResponse>,
    /// The response of a rate limit, and the request changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimitKind>,
    /// The connection is closed without a response, and the request changes nothing.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub close: bool,
    /// The request is processed, and the connection is closed after so many bytes of the response's body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncate_at: Option<usize>,
    /// The request is processed, and its response is sent after the webhooks that it causes.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub after_deliveries: bool,
    /// The webhooks that it is about, instead of requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    webhook: Option<WebhookPattern>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deliver: Option<DeliveryEffect>,
}

/// A condition on webhooks.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WebhookPattern {
    /// The name of the event; without it, all webhooks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<String>,
}

/// What happens to a webhook instead of its delivery at once. `delay_ms` is an effect, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum DeliveryEffect {
    Lost,
    Duplicated,
    Reordered,
}

#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CannedResponse {
    pub status: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// A text is sent as it is; anything else as JSON.
    #[serde(default)]
    pub body: Value,
}

impl CannedResponse {
    fn check(&self) -> Result<()> {
        if !(200..=599).contains(&self.status) {
            return Err(Error::unprocessable("respond.status is between 200 and 599"));
        }
        for (name, value) in &self.headers {
            if HeaderName::try_from(name).is_err() || HeaderValue::try_from(value).is_err() {
                return Err(Error::unprocessable(format!("respond.headers: {name} is not a valid header")));
            }
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RateLimitKind {
    Primary,
    Secondary,
}

impl Rule {
    fn check(&self) -> Result<()> {
        let fail = |message: &str| Err(Error::unprocessable(message));
        if self.delay_ms.is_some_and(|delay| delay > DELAY_MS_MAX) {
            return fail("delay_ms is at most 600000");
        }
        if self.probability.is_some_and(|probability| !(0.0..=1.0).contains(&probability)) {
            return fail("probability is between 0 and 1");
        }
        let Self { delay_ms, respond, rate_limit, close, truncate_at, after_deliveries, .. } = self;
        let effects = [respond.is_some(), rate_limit.is_some(), *close, truncate_at.is_some(), *after_deliveries];
        let count = effects.iter().filter(|effect| **effect).count();
        if self.webhook.is_some() {
            if delay_ms.is_some_and(|delay| delay > WEBHOOK_DELAY_MS_MAX) {
                return fail("delay_ms of a webhook is at most 20000");
            }
            return match count == 0 && self.pattern.is_empty() && self.deliver.is_some() != delay_ms.is_some() {
                true => Ok(()),
                false => fail("a fault of webhooks has either deliver or delay_ms, and nothing about requests"),
            };
        }
        if self.deliver.is_some() {
            return fail("deliver requires webhook");
        }
        if count > 1 {
            return fail("a fault has one of respond, rate_limit, close, truncate_at and after_deliveries");
        }
        if count == 0 && delay_ms.is_none() {
            return fail("a fault needs respond, rate_limit, close, truncate_at, after_deliveries or delay_ms");
        }
        respond.as_ref().map_or(Ok(()), CannedResponse::check)
    }
}

/// A rule, and how often it has had an effect.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Fault {
    id: u64,
    #[serde(flatten)]
    rule: Rule,
    /// How many requests it has affected.
    used: u64,
    #[serde(skip)]
    random: u64,
}

impl Fault {
    fn applies_to_request(&mut self, asked: &Asked<'_>) -> bool {
        self.rule.webhook.is_none() && self.rule.pattern.matches(asked) && self.applies()
    }

    fn applies_to_webhook(&mut self, event: &str) -> bool {
        let Some(pattern) = &self.rule.webhook else { return false };
        pattern.event.as_ref().is_none_or(|expected| expected == event) && self.applies()
    }

    /// Whether something that matches is affected. Draws a random number each time.
    fn applies(&mut self) -> bool {
        let default = if self.rule.probability.is_some() { u64::MAX } else { 1 };
        if self.used >= self.rule.times.unwrap_or(default) {
            return false;
        }
        let is_drawn = self.rule.probability.is_none_or(|probability| next_random(&mut self.random) < probability);
        self.used += u64::from(is_drawn);
        is_drawn
    }
}

/// The rules of an instance, the oldest first.
#[derive(Default)]
pub struct Faults {
    rules: Mutex<Rules>,
}

#[derive(Default)]
struct Rules {
    list: Vec<Fault>,
    last_id: u64,
}

impl Faults {
    pub fn add(&self, rule: Rule) -> Result<Fault> {
        rule.check()?;
        let mut rules = self.rules.lock();
        if rules.list.len() >= RULES_MAX {
            return Err(Error::unprocessable(format!("there are at most {RULES_MAX} faults")));
        }
        rules.last_id += 1;
        let fault = Fault { id: rules.last_id, used: 0, random: rule.seed, rule };
        rules.list.push(fault.clone());
        Ok(fault)
    }

    pub fn list(&self) -> Vec<Fault> {
        self.rules.lock().list.clone()
    }

    pub fn clear(&self) {
        self.rules.lock().list.clear();
    }

    /// The first rule that applies to a request, with its id.
    pub fn find(&self, asked: &Asked<'_>) -> Option<(u64, Rule)> {
        let mut rules = self.rules.lock();
        let fault = rules.list.iter_mut().find_map(|fault| fault.applies_to_request(asked).then_some(fault))?;
        Some((fault.id, fault.rule.clone()))
    }
}

impl DeliveryFaults for Faults {
    fn find(&self, event: &str) -> Option<DeliveryFault> {
        let mut rules = self.rules.lock();
        let fault = rules.list.iter_mut().find_map(|fault| fault.applies_to_webhook(event).then_some(fault))?;
        match (fault.rule.deliver, fault.rule.delay_ms) {
            (Some(DeliveryEffect::Lost), _) => Some(DeliveryFault::Lost),
            (Some(DeliveryEffect::Duplicated), _) => Some(DeliveryFault::Duplicated),
            (Some(DeliveryEffect::Reordered), _) => Some(DeliveryFault::Reordered),
            (None, delay) => delay.map(|delay| DeliveryFault::Delayed(Duration::from_millis(delay))),
        }
    }
}

/// SplitMix64, as a number from 0 to below 1.
fn next_random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    let high = u32::try_from(mixed >> 32).unwrap_or_default();
    f64::from(high) / (f64::from(u32::MAX) + 1.0)
}
