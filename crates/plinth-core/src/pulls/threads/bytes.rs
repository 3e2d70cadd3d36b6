//! Bytes in JSON, as a text with one character for each byte: most are ASCII, and every sequence of bytes can be read back.

use serde::{Deserialize, Deserializer, Serializer};

pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&to_text(bytes))
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    from_text(&String::deserialize(deserializer)?)
}

/// The same for bytes that may be absent.
pub mod optional {
    use super::{Deserialize, Deserializer, Serializer, from_text, to_text};

    #[expect(clippy::ref_option, reason = "serde passes the field")]
    pub fn serialize<S: Serializer>(bytes: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
        match bytes {
            Some(bytes) => serializer.serialize_some(&to_text(bytes)),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
        Option::<String>::deserialize(deserializer)?.map(|text| from_text(&text)).transpose()
    }
}

/// PostgreSQL has no text with a NUL, so JSON escapes matter here: `\u0000` is six characters of the stored text.
fn to_text(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

fn from_text<E: serde::de::Error>(text: &str) -> Result<Vec<u8>, E> {
    let byte = |character: char| u8::try_from(character).map_err(|_| E::custom("a character is no byte"));
    text.chars().map(byte).collect()
}

#[cfg(test)]
mod tests {
    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Bytes {
        #[serde(with = "super")]
        some: Vec<u8>,
        #[serde(with = "super::optional")]
        other: Option<Vec<u8>>,
    }

    #[test]
    fn every_byte_is_read_back() {
        for other in [None, Some(b"a/b".to_vec())] {
            let bytes = Bytes { some: (0..=255).collect(), other };
            let text = serde_json::to_string(&bytes).expect("it is JSON");
            assert!(!text.contains('\0'));
            assert_eq!(serde_json::from_str::<Bytes>(&text).expect("it is JSON"), bytes);
        }
    }
}
