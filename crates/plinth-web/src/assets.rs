//! The stylesheet, the script and the icons, in the binary.

use axum::body::Bytes;

use crate::response::WebResponse;

/// They have the version in their URL, so that a new one is loaded at once.
const FOR_A_YEAR: &str = "public, max-age=31536000, immutable";
const STYLE: &str = include_str!("assets/style.css");
const SCRIPT: &str = include_str!("assets/script.js");

/// A file that pages load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asset {
    Style,
    Script,
}

impl Asset {
    pub fn find(name: &str) -> Option<Self> {
        match name {
            "style.css" => Some(Asset::Style),
            "script.js" => Some(Asset::Script),
            _ => None,
        }
    }

    /// The URL of this version of the file.
    pub fn url(self) -> String {
        let (name, text) = match self {
            Asset::Style => ("style.css", STYLE),
            Asset::Script => ("script.js", SCRIPT),
        };
        format!("/-/{name}?{:08x}", checksum(text))
    }

    pub fn response(self) -> WebResponse {
        let (content_type, text) = match self {
            Asset::Style => ("text/css; charset=utf-8", STYLE),
            Asset::Script => ("text/javascript; charset=utf-8", SCRIPT),
        };
        WebResponse::File { content_type, body: Bytes::from_static(text.as_bytes()), caching: FOR_A_YEAR }
    }
}

/// FNV-1a: enough to tell two versions of a file apart.
const fn checksum(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let (mut hash, mut index) = (0x811c_9dc5_u32, 0);
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u32).wrapping_mul(0x0100_0193);
        index += 1;
    }
    hash
}
