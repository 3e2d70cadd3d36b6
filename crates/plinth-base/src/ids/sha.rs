//! Object names of Git.

use std::fmt;
use std::str::FromStr;

use crate::json_schema::text_schema;

/// The SHA-1 name of a Git object, as twenty bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha([u8; 20]);

/// The text is not forty hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotASha;

impl Sha {
    pub const HEX_LENGTH: usize = 40;

    pub const fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }
}

impl FromStr for Sha {
    type Err = NotASha;

    fn from_str(text: &str) -> Result<Self, NotASha> {
        let digits = text.as_bytes();
        if digits.len() != Self::HEX_LENGTH {
            return Err(NotASha);
        }
        let mut bytes = [0; 20];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = hex_value(pair[0])? << 4 | hex_value(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

fn hex_value(digit: u8) -> Result<u8, NotASha> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        b'A'..=b'F' => Ok(digit - b'A' + 10),
        _ => Err(NotASha),
    }
}

impl Sha {
    /// Calls `call` with the hexadecimal digits.
    fn with_text<T>(&self, call: impl FnOnce(&str) -> T) -> T {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0u8; Self::HEX_LENGTH];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        call(std::str::from_utf8(&text).expect("hexadecimal digits are ASCII"))
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| out.write_str(text))
    }
}

impl fmt::Debug for Sha {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl serde::Serialize for Sha {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl<'de> serde::Deserialize<'de> for Sha {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(|_| serde::de::Error::custom("an object name has forty hexadecimal digits"))
    }
}

text_schema!(Sha: "pattern" = "^[0-9a-f]{40}$");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_accepts_only_forty_digits() {
        let text = "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3";
        assert_eq!(text.parse::<Sha>().expect("forty digits").to_string(), text);
        assert_eq!(text.to_uppercase().parse::<Sha>().expect("case does not matter").to_string(), text);
        for wrong in
            ["", "a94a8fe", "g94a8fe5ccb19ba61c4c0873d391e987982fbbd3", "--4a8fe5ccb19ba61c4c0873d391e987982fbbd3"]
        {
            assert_eq!(wrong.parse::<Sha>(), Err(NotASha), "{wrong}");
        }
    }
}
