//! Random numbers that are the same in every run.

/// SplitMix64: small, fast, and good enough to choose requests.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below 1.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        usize::try_from((u128::from(self.next()) * count as u128) >> u64::BITS).unwrap_or_default()
    }

    /// The index of a part, as likely as the part is large.
    pub fn pick(&mut self, parts: &[u32]) -> usize {
        let total: u32 = parts.iter().sum();
        let mut left = self.fraction() * f64::from(total);
        for (index, part) in parts.iter().enumerate() {
            left -= f64::from(*part);
            if left < 0.0 {
                return index;
            }
        }
        parts.len() - 1
    }
}

/// Zipf's law: the item at index `n` is `n + 1` times less popular than the first.
pub struct Zipf {
    /// The share of all items up to an index.
    cumulative: Vec<f64>,
}

impl Zipf {
    pub fn new(count: usize) -> Self {
        let weights: Vec<f64> = (1..=count).map(|rank| 1.0 / rank as f64).collect();
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        let cumulative = weights.iter().map(|weight| {
            sum += weight / total;
            sum
        });
        Self { cumulative: cumulative.collect() }
    }

    pub fn pick(&self, random: &mut Random) -> usize {
        let at = random.fraction();
        self.cumulative.partition_point(|share| *share < at).min(self.cumulative.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn popularity_follows_zipf() {
        let (zipf, mut random) = (Zipf::new(100), Random::new(1));
        let mut counts = [0_usize; 100];
        (0..100_000).for_each(|_| counts[zipf.pick(&mut random)] += 1);
        let expected = |rank: usize| 100_000.0 / rank as f64 / (1..=100).map(|rank| 1.0 / f64::from(rank)).sum::<f64>();
        for rank in [1, 2, 10, 50] {
            let ratio = counts[rank - 1] as f64 / expected(rank);
            assert!((0.8..1.2).contains(&ratio), "rank {rank}: {ratio}");
        }
    }

    #[test]
    fn sequence_is_the_same_in_every_run() {
        let mut random = Random::new(7);
        let picked: Vec<usize> = (0..8).map(|_| random.pick(&[80, 15, 5])).collect();
        let mut again = Random::new(7);
        assert_eq!(picked, (0..8).map(|_| again.pick(&[80, 15, 5])).collect::<Vec<_>>());
        assert!(random.below(1) == 0 && (0..1000).all(|_| random.below(3) < 3));
    }
}
