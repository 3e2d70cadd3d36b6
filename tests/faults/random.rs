//! Random numbers that are reproducible from a seed.

/// SplitMix64: small, and good enough to choose operations and moments.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A separate sequence for each pair of seed and stream.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self(seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.next();
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// A number below `limit`, which is not zero.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let index = self.below(items.len() as u64);
        &items[usize::try_from(index).expect("an index of a slice fits")]
    }
}

#[test]
fn seed_repeats_and_streams_differ() {
    let draw = |seed, stream| {
        let mut random = Random::new(seed, stream);
        [random.next(), random.next(), random.next()]
    };
    assert_eq!(draw(7, 1), draw(7, 1));
    assert_ne!(draw(7, 1), draw(7, 2));
    assert_ne!(draw(7, 1), draw(8, 1));
}
