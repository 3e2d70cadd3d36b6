//! What came of a load.

use std::time::Duration;

/// One measurement of one server.
#[derive(Debug, Default, Clone)]
pub struct Outcome {
    pub elapsed: Duration,
    pub server_cpu: Duration,
    pub client_cpu: Duration,
    latencies: Vec<Duration>,
}

impl Outcome {
    pub fn add(&mut self, latency: Duration) {
        self.latencies.push(latency);
    }

    pub fn count(&self) -> usize {
        self.latencies.len()
    }

    pub fn per_second(&self) -> f64 {
        self.count() as f64 / self.elapsed.as_secs_f64()
    }

    /// CPU time of the server for each answer, in microseconds.
    pub fn server_micros(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / self.count() as f64
    }

    /// How many answers in a second this load generator could take if it had its core to itself and never waited.
    pub fn client_ceiling(&self) -> f64 {
        self.count() as f64 / self.client_cpu.as_secs_f64().max(1e-9)
    }

    /// The latency that so many of a thousand answers stayed below, in milliseconds.
    pub fn permille(&self, permille: usize) -> f64 {
        let mut sorted = self.latencies.clone();
        sorted.sort();
        let place = (sorted.len() * permille).div_ceil(1000);
        sorted.get(place.saturating_sub(1)).map_or(f64::NAN, |latency| latency.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_name_the_slow_ones() {
        let mut outcome = Outcome::default();
        (1..=100).for_each(|millis| outcome.add(Duration::from_millis(millis)));
        assert_eq!([500, 990, 1000].map(|permille| outcome.permille(permille)), [50.0, 99.0, 100.0]);
    }
}
