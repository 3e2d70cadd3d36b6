//! How inputs are divided into the values that a target needs.

/// The parts between NUL bytes; the last one takes the rest. Missing parts are empty.
pub fn parts<const COUNT: usize>(data: &[u8]) -> [&[u8]; COUNT] {
    let mut rest = data.splitn(COUNT, |byte| *byte == 0);
    std::array::from_fn(|_| rest.next().unwrap_or_default())
}

/// The first byte and the rest; an empty input has a zero.
pub fn first(data: &[u8]) -> (u8, &[u8]) {
    data.split_first().map_or((0, data), |(first, rest)| (*first, rest))
}

/// Seeds from texts.
pub fn texts(seeds: &[&str]) -> Vec<Vec<u8>> {
    seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}
