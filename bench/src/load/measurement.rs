//! One measurement of one server.

use std::time::Duration;

#[derive(Debug, Default, Clone)]
pub struct Measurement {
    pub elapsed: Duration,
    pub server_cpu: Duration,
    pub database_cpu: Duration,
    pub client_cpu: Duration,
    latencies: Vec<Duration>,
}

impl Measurement {
    pub fn add(&mut self, latency: Duration) {
        self.latencies.push(latency);
    }

    /// Responses received.
    pub fn count(&self) -> usize {
        self.latencies.len()
    }

    pub fn per_second(&self) -> f64 {
        self.count() as f64 / self.elapsed.as_secs_f64()
    }

    /// CPU time of the server per response, in microseconds.
    pub fn server_micros(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / self.count() as f64
    }

    /// CPU time of the database per response, in microseconds.
    pub fn database_micros(&self) -> f64 {
        self.database_cpu.as_secs_f64() * 1e6 / self.count() as f64
    }

    /// Responses per second that the load generator could receive if it never waited.
    pub fn client_capacity(&self) -> f64 {
        self.count() as f64 / self.client_cpu.as_secs_f64().max(1e-9)
    }

    /// A latency percentile in milliseconds, in thousandths: 990 is the 99th percentile.
    pub fn permille(&self, permille: usize) -> f64 {
        let mut sorted = self.latencies.clone();
        sorted.sort();
        let rank = (sorted.len() * permille).div_ceil(1000);
        sorted.get(rank.saturating_sub(1)).map_or(f64::NAN, |latency| latency.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permille_is_the_latency_of_its_rank() {
        let mut measurement = Measurement::default();
        (1..=100).for_each(|millis| measurement.add(Duration::from_millis(millis)));
        assert_eq!([500, 990, 1000].map(|permille| measurement.permille(permille)), [50.0, 99.0, 100.0]);
    }
}
