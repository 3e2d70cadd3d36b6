//! The digest that a file of a release has.

use std::fmt::Write;

use aws_lc_rs::digest::{Context, SHA256};

/// The digest of a file that arrives in pieces.
pub struct Digest(Context);

impl Default for Digest {
    fn default() -> Self {
        Self(Context::new(&SHA256))
    }
}

impl Digest {
    pub fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    /// `sha256:` and 64 digits.
    pub fn finish(self) -> String {
        let mut text = "sha256:".to_owned();
        for byte in self.0.finish().as_ref() {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// The digest of a whole file.
pub fn digest(content: &[u8]) -> String {
    let mut digest = Digest::default();
    digest.update(content);
    digest.finish()
}
