//! Node ids: a prefix for the type, then a MessagePack array of numbers and names.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Builds a node id. Clients treat it as opaque, so only its stability and uniqueness matter.
pub struct NodeId {
    prefix: &'static str,
    count: u8,
    items: Vec<u8>,
}

impl NodeId {
    /// Starts an id; `scope` is the first item, 0 for everything that a user does not own.
    pub fn new(prefix: &'static str, scope: i64) -> Self {
        Self { prefix, count: 0, items: Vec::with_capacity(32) }.number(scope)
    }

    /// Adds a number in the shortest MessagePack form.
    pub fn number(mut self, value: i64) -> Self {
        let value = u64::try_from(value).unwrap_or_default();
        match value {
            0..=0x7f => self.items.push(value as u8),
            0x80..=0xff => self.items.extend([0xcc, value as u8]),
            0x100..=0xffff => {
                self.items.push(0xcd);
                self.items.extend((value as u16).to_be_bytes());
            }
            0x1_0000..=0xffff_ffff => {
                self.items.push(0xce);
                self.items.extend((value as u32).to_be_bytes());
            }
            _ => {
                self.items.push(0xcf);
                self.items.extend(value.to_be_bytes());
            }
        }
        self.count += 1;
        self
    }

    /// Adds a name: the short string form up to 31 bytes, then the 16-bit one.
    pub fn text(mut self, value: &str) -> Self {
        match value.len() {
            short @ 0..=31 => self.items.push(0xa0 | short as u8),
            long => {
                self.items.push(0xda);
                self.items.extend((long as u16).to_be_bytes());
            }
        }
        self.items.extend(value.as_bytes());
        self.count += 1;
        self
    }

    /// The finished id.
    pub fn finish(self) -> String {
        let mut packed = Vec::with_capacity(self.items.len() + 1);
        packed.push(0x90 | self.count);
        packed.extend(self.items);
        let mut text = String::with_capacity(self.prefix.len() + packed.len() * 4 / 3 + 3);
        text.push_str(self.prefix);
        text.push('_');
        URL_SAFE_NO_PAD.encode_string(packed, &mut text);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_id_equals_published_ids() {
        // The published node id of repository 1296269 and of user 583231.
        assert_eq!(NodeId::new("R", 0).number(1_296_269).finish(), "R_kgDOABPHjQ");
        assert_eq!(NodeId::new("U", 0).number(583_231).finish(), "U_kgDOAAjmPw");
    }

    #[test]
    fn node_ids_of_every_width_differ() {
        let ids: std::collections::HashSet<_> = [0, 127, 128, 255, 256, 65_535, 65_536, i64::from(u32::MAX), i64::MAX]
            .map(|value| NodeId::new("R", 0).number(value).finish())
            .into_iter()
            .collect();
        assert_eq!(ids.len(), 9);
    }
}
