//! A small mutator, for tests that run the targets without coverage.

/// Pseudo-random numbers: the same seed, the same inputs.
struct Random(u64);

impl Random {
    /// A number below `limit`, by the generator xorshift64*.
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(number).unwrap_or_default() % limit.max(1)
    }
}

/// Bytes that mean something in the formats.
const TOKENS: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\r\n",
    b" ",
    b"/",
    b"\"",
    b"<",
    b">",
    b"&",
    b":",
    b"-",
    b"@",
    b"{",
    b"[",
    b"0000",
    b"9223372036854775807",
    b"-1",
    b"null",
    b"true",
    b"\xff",
    b"\xc3\xbc",
    b"\xe2\x80\xae",
    b"ffff",
    b"\x80",
    b"*",
    b"`",
    b"|",
    b"%2f",
    b"1e309",
];

/// `count` inputs: each is a seed with up to four changes, one of which may be a part of another seed.
pub fn inputs(seeds: &[Vec<u8>], count: usize) -> impl Iterator<Item = Vec<u8>> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    (0..count).map(move |_| {
        let mut input = seeds[random.below(seeds.len())].clone();
        for _ in 0..=random.below(4) {
            let other = &seeds[random.below(seeds.len())];
            change(&mut input, other, &mut random);
        }
        input
    })
}

fn change(input: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let start = random.below(input.len() + 1);
    let end = (start + 1 + random.below(8)).min(input.len());
    match random.below(6) {
        0 => drop(input.drain(start..end)),
        1 => drop(input.splice(start..start, TOKENS[random.below(TOKENS.len())].iter().copied())),
        2 => drop(input.splice(start..end, TOKENS[random.below(TOKENS.len())].iter().copied())),
        3 => {
            if let Some(byte) = input.get_mut(start) {
                *byte ^= 1 << random.below(8);
            }
        }
        4 => {
            let repeated = input[start..end].repeat(1 + random.below(20));
            drop(input.splice(end..end, repeated));
        }
        _ => {
            let from = random.below(other.len() + 1);
            let until = (from + random.below(40)).min(other.len());
            drop(input.splice(start..start, other[from..until].iter().copied()));
        }
    }
}
