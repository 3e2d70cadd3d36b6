//! The key that list cursors are signed with.

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const TAG_BYTES: usize = 16;

/// Belongs to the store, so that every node reads every cursor.
#[derive(Clone)]
pub struct CursorKey(hmac::Key);

impl CursorKey {
    pub fn new(secret: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret))
    }

    /// Signs the id of an item of the list named `list`.
    pub fn seal(&self, list: &str, id: i64) -> String {
        let mut bytes = id.to_be_bytes().to_vec();
        bytes.extend(self.tag(list, id));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The id, if the cursor was signed for this list.
    pub fn open(&self, list: &str, cursor: &str) -> Option<i64> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (id, tag) = bytes.split_first_chunk::<8>()?;
        let id = i64::from_be_bytes(*id);
        let expected = self.tag(list, id);
        bool::from(subtle::ConstantTimeEq::ct_eq(tag, &expected[..])).then_some(id)
    }

    fn tag(&self, list: &str, id: i64) -> [u8; TAG_BYTES] {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(list.as_bytes());
        context.update(&[0]);
        context.update(&id.to_be_bytes());
        let tag = context.sign();
        tag.as_ref()[..TAG_BYTES].try_into().expect("the tag is longer than its prefix")
    }
}

impl std::fmt::Debug for CursorKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("[redacted]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_opens_only_unchanged_and_for_its_list() {
        let key = CursorKey::new(b"a key of the store");
        let cursor = key.seal("project:1", 42);
        assert_eq!(key.open("project:1", &cursor), Some(42));
        assert_eq!(key.open("project:2", &cursor), None);
        assert_eq!(CursorKey::new(b"another key").open("project:1", &cursor), None);
        assert_eq!(key.open("project:1", ""), None);
        for position in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("ASCII stays ASCII");
            assert!(key.open("project:1", &changed).is_none_or(|id| changed == cursor && id == 42), "{changed}");
        }
    }
}
